// Reservations of requests whose answers take long, in runs in this process whose clock stands between the calls.

import Core
import Machine
import Store
import Synchronization
import TestKit
import Testing

@testable import Running
@testable import bgfetch

/// A server of the shared state that answers late: it reserves at once, and the answer arrives when the clock has gone on.
private final class LateServer: Sendable {
  private struct State {
    var now: Int64 = 1_000_000
    var answers: [Int64]
    /// When the last reserved request begins at the latest.
    var latest: Int64 = 0
    var reservations = 0
    /// By how much requests were later than they were reserved for, in milliseconds.
    var tooLate: [Int64] = []
  }

  private let state: Mutex<State>

  /// How many milliseconds a request waits before it is reserved: more than a second, after which the run looks for pushes.
  private let ownWait: Int64

  /// - Parameters:
  ///   - answers: how many milliseconds each answer takes; the last one is for all that follow.
  ///   - ownWait: how long a request waits before it is reserved.
  init(answers: [Int64], ownWait: Int64 = 0) {
    state = Mutex(State(answers: answers))
    self.ownWait = ownWait
  }

  var now: Int64 { state.withLock { $0.now } }
  var reservations: Int { state.withLock { $0.reservations } }
  var tooLate: [Int64] { state.withLock { $0.tooLate } }

  /// Waits for a moment of a reservation, or for a request's own one.
  ///
  /// Later ones are of other waits of the run, which end with it.
  func sleep(until moment: Int64) async {
    let isReserved = state.withLock { state in
      let wait = moment - state.now
      let isReserved = moment <= state.latest || wait > 1000 && wait <= ownWait
      if isReserved { state.now = max(state.now, moment) }
      return isReserved
    }
    if !isReserved { try? await Task.sleep(for: longestWait) }
  }

  /// Reserves a request, and returns how long to wait for it, as the real server does.
  func reserve(_ delay: Interval, lateness: Int64) -> Int64 {
    state.withLock { state in
      let asked = state.now
      let moment = max(asked, state.latest + delay.seconds * 1000)
      state.latest = moment + lateness
      state.now += state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
      state.reservations += 1
      return moment - asked
    }
  }

  func send() { state.withLock { $0.tooLate.append($0.now - $0.latest) } }
}

@Suite struct LateReservationTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  @Test(
    arguments: [
      ([0], 1), ([300], 1), ([900], 2), ([900, 100], 2), ([400, 800], 3), ([400, 800, 1200, 2000], 5),
      // The server was away for a minute.
      ([60_000, 5], 2),
    ] as [([Int64], Int)])
  func `a request is not later than its reservation, however late the answers are`(
    answers: [Int64], reservations: Int
  ) async throws {
    let state = try await newState(in: home, configuration: "feeds: {planet: \"http://a.example/\"}\n")
    let server = LateServer(answers: answers)

    try await state.withEffects(report: { _ in }) { effects in
      var effects = effects
      effects.machine.milliseconds = { server.now }
      effects.machine.sleep = { await server.sleep(until: $0) }
      effects.coordination.reserve = { _, delay, lateness, _ in server.reserve(delay, lateness: lateness) }
      effects.network.fetch = { _ in
        server.send()
        return .failure(.suspended)
      }
      _ = try await Running.run(state.settings, RunOptions(), effects, RunLocks(fetching: HeldLock {}))
    }
    await state.store.close()

    #expect(server.reservations == reservations)
    #expect(server.tooLate.count == 1)
    // As late as an answer that is not late; the host is not kept for long.
    #expect(server.tooLate.allSatisfy { (-5000...300).contains($0) })
  }

  @Test func `a request is reserved when this run may send it`() async throws {
    let state = try await newState(in: home, configuration: "feeds: {planet: \"http://a.example/\"}\n")
    // A redirect leads to a host that another run has just asked, which is known to the second.
    let now = state.clock.now()
    try await state.store.recordAttempts([], round: 1, at: now, hosts: ["b.example"])
    let server = LateServer(answers: [0], ownWait: 2000)

    try await state.withEffects(report: { _ in }) { effects in
      var effects = effects
      effects.machine.now = { now }
      effects.machine.milliseconds = { server.now }
      effects.machine.sleep = { await server.sleep(until: $0) }
      effects.coordination.reserve = { host, delay, lateness, _ in
        host == "b.example" ? server.reserve(delay, lateness: lateness) : 0
      }
      effects.network.fetch = { request in
        guard request.address.host == "b.example" else {
          return .success(Response(status: 302, fields: [HeaderField("Location", "http://b.example/")]))
        }
        server.send()
        return .failure(.suspended)
      }
      _ = try await Running.run(state.settings, RunOptions(), effects, RunLocks(fetching: HeldLock {}))
    }
    await state.store.close()

    #expect(server.reservations == 1)
    #expect(server.now >= 1_002_000)
    #expect(server.tooLate.count == 1)
    #expect(server.tooLate.allSatisfy { $0 <= 300 })
  }
}

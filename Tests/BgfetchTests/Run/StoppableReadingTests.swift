// Readings of documents that are stopped, and readings that do not stop and are left.

import Core
import Foundation
import Machine
import Store
import Synchronization
import TestKit
import Testing

@testable import Running
@testable import bgfetch

@Suite struct StoppableReadingTests {
  @Test(arguments: [(9, 1), (10, nil)] as [(Int64, Int?)])
  func `a reading beyond its end has no outcome, even if it finished`(now: Int64, outcome: Int?) {
    let reading = Reading<Int>(until: 10, { now })

    #expect(reading.shouldStop() == (outcome == nil))
    reading.record(1)

    #expect(reading.outcome == outcome)
  }

  @Test func `the reading of a cancelled task has no outcome`() {
    let reading = Reading<Int>(until: .max, { 0 })

    reading.stop()
    #expect(reading.shouldStop())
    reading.record(1)

    #expect(reading.outcome == nil)
  }
}

// Runs in this process, in which the reading of one document never ends.

/// A reading that goes on until the test ends.
private final class EndlessReading: Sendable {
  private let hasBegun = Mutex(false)
  private let hasEnded = Gate()

  /// Returns at once, except for the first call.
  func read() {
    let isFirst = hasBegun.withLock { hasBegun in
      defer { hasBegun = true }
      return !hasBegun
    }
    if isFirst { hasEnded.pass() }
  }

  func end() { hasEnded.open() }

  /// A run whose first reading this is.
  func run(
    _ state: OpenedState, report: @escaping @Sendable (RunEvent) -> Void = { _ in }
  ) async throws -> RunReport {
    try await state.withEffects(report: report) { effects in
      var effects = effects
      effects.machine.aside = { [milliseconds = effects.machine.milliseconds] until, work in
        let limit = until == .max ? nil : Duration.milliseconds(until - milliseconds())
        let ended: Void? = await workAside(atMost: limit, patience: .milliseconds(20)) { () -> Void in
          self.read()
          work()
        }
        return ended != nil
      }
      return try await Running.run(state.settings, RunOptions(), effects, RunLocks(fetching: HeldLock {}))
    }
  }
}

@Suite struct EndlessReadingTests {
  private let home: TemporaryDirectory
  private let server: ScriptedServer

  init() throws {
    home = try TemporaryDirectory()
    server = try ScriptedServer()
  }

  @Test func `a document that is never read to its end keeps neither other feeds nor the end of a run`()
    async throws
  {
    for feed in ["a", "b"] { server.feed("/" + feed, [feed]) }
    let state = try await newState(
      in: home,
      configuration: """
        defaults: {first-run: all}
        feeds: {one: "\(server.url("/a"))", other: "\(server.url("/b", host: "localhost"))"}
        """)
    let endless = EndlessReading()
    defer { endless.end() }
    let (fetched, reported) = AsyncStream<FeedName>.makeStream()

    let running = Task {
      try await endless.run(state) { if case .fetched(let feed) = $0 { reported.yield(feed.feed) } }
    }
    // The other feed is committed although the first one is being read.
    let other = try #require(await fetched.first { _ in true })
    running.cancel()
    let report = try await running.value
    try await state.store.settleInterrupted(at: state.clock.now())
    let name = try #require(state.settings.feeds.all.map(\.name).first { $0 != other })
    let left = try #require(try await state.store.feedState(name))
    await state.store.close()

    #expect(report.totals.newData == 1)
    #expect(report.totals.left == 1)
    // It counts as a crash, so that it comes last if that is repeated.
    #expect(left.crashes == 1)
    #expect(left.failures == 0)
  }

  @Test func `a document that is still being read at the feed's time limit is a failure`() async throws {
    server.feed("/planet", ["a"])
    let state = try await newState(
      in: home,
      configuration: "feeds: {planet: {url: \"\(server.url("/planet"))\", network: {timeout: 1s}}}\n")
    let endless = EndlessReading()
    defer { endless.end() }

    let report = try await endless.run(state)
    let name = try #require(FeedName("planet"))
    let failed = try await state.store.feedState(name)
    await state.store.close()

    #expect(report.totals.failed == 1)
    #expect(failed?.failures == 1)
  }
}

// Holds of a process: rows that it works on, and the time for which nobody takes them over.

public import Core
import Machine
public import Store
import Synchronization

extension Membership {
  func hold(_ number: Int64, in table: HeldTable) throws {
    guard let holder else { return }
    try database.run("UPDATE \(table) SET held_by = ?2 WHERE number = ?1", number, holder)
  }

  func letGo(_ number: Int64, in table: HeldTable) throws {
    guard let holder else { return }
    try database.run(
      "UPDATE \(table) SET held_by = NULL WHERE number = ?1 AND held_by = ?2", number, holder)
  }

  func stillHolds(_ number: Int64, in table: HeldTable) throws -> Bool {
    try database.exists("SELECT 1 FROM \(table) WHERE number = ?1 AND held_by = ?2", number, holder)
  }
}

extension Store {
  /// The time for which nobody takes over what this process holds; nil for a file.
  public var holdTime: HoldTime? { membership?.holdTime }
}

/// The time for which nobody takes over what this process holds; each sign of life extends it.
public final class HoldTime: Sendable {
  private let state = Mutex<(end: ContinuousClock.Instant?, slowAnswers: Int)>((nil, 0))

  /// Its end; nil if the process holds nothing that others could take over.
  private var end: ContinuousClock.Instant? { state.withLock { $0.end } }

  /// How long the server may take for an answer.
  static let longestAnswer = Duration.milliseconds(1500)
  static let slowness = "its answers take longer than a second"

  /// Whether the last three answers were slow: what this process holds is then of more use to others.
  var isSlow: Bool { state.withLock { $0.slowAnswers >= 3 } }

  /// Extends it by a sign of life that was given at a moment and has just been answered.
  func extend(by length: Interval, since asked: ContinuousClock.Instant) {
    let isSlow = asked.duration(to: .now) > Self.longestAnswer
    state.withLock { state in
      state.end = max(state.end ?? asked, asked + .seconds(length.seconds))
      state.slowAnswers = isSlow ? state.slowAnswers + 1 : 0
    }
  }

  /// Waits, after an outage of the server, for the next sign of life, but no longer than a run tries to connect.
  public func renewed() async {
    for _ in 0..<300 where !Task.isCancelled && end.map({ $0 <= .now }) ?? false {
      try? await WallClock.sleep(for: .milliseconds(100))
    }
  }

  /// Sends a request, and cancels it when the time is over, unless it is extended meanwhile.
  public func within(
    _ send: @escaping @Sendable () async -> Result<Response, FetchFailure>
  ) async -> Result<Response, FetchFailure> {
    guard end != nil else { return await send() }
    return await withTaskGroup(of: Result<Response, FetchFailure>?.self) { group in
      group.addTask { await send() }
      group.addTask { [self] in
        while let end, end > .now, (try? await WallClock.sleep(for: end - .now)) != nil {}
        return nil
      }
      var result: Result<Response, FetchFailure>?
      while result == nil, let next = await group.next() {
        result = next
        group.cancelAll()
      }
      return result ?? .failure(.suspended)
    }
  }
}

// Holds of a process: rows that it works on, and the time for which nobody takes them over.

public import Core
import Machine
public import Store
import Synchronization

extension Membership {
  func hold(_ number: Int64, in table: HeldTable) throws(StoreFailure) {
    guard let holder else { return }
    try database.run("UPDATE \(table) SET held_by = ?2 WHERE number = ?1", number, holder)
  }

  func letGo(_ number: Int64, in table: HeldTable) throws(StoreFailure) {
    guard let holder else { return }
    try database.run(
      "UPDATE \(table) SET held_by = NULL WHERE number = ?1 AND held_by = ?2", number, holder)
  }

  func stillHolds(_ number: Int64, in table: HeldTable) throws(StoreFailure) -> Bool {
    try database.exists("SELECT 1 FROM \(table) WHERE number = ?1 AND held_by = ?2", number, holder)
  }
}

extension Store {
  /// The time for which nobody takes over what this process holds; nil for a file.
  public var holdTime: HoldTime? { membership?.holdTime }
}

/// The time for which nobody takes over what this process holds; each sign of life extends it.
public final class HoldTime: Sendable {
  private let moment = Mutex<ContinuousClock.Instant?>(nil)

  /// Its end; nil if the process holds nothing that others could take over.
  private var end: ContinuousClock.Instant? { moment.withLock { $0 } }

  func extend(to end: ContinuousClock.Instant) { moment.withLock { $0 = max($0 ?? end, end) } }

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

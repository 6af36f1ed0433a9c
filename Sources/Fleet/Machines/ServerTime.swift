// The clock of the server, which counts for all machines, and requests that end with the hold on what they are for.

public import Core
public import Machine
public import Store

/// The time of day of the server, as SQL; the clocks of the machines may differ.
enum ServerTime {
  static let seconds = "extract(epoch FROM clock_timestamp())::bigint"
  static let milliseconds = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
}

extension Store {
  /// The clock of the server; nil for a file.
  public func time() throws(StoreFailure) -> Timestamp? {
    guard membership != nil else { return nil }
    let milliseconds: Int64? = try database.value("SELECT \(ServerTime.milliseconds)")
    return milliseconds.map { Timestamp(millisecondsSince1970: $0) }
  }
}

extension WallClock {
  /// The clock by which the moments in a store are right: where machines share it, the clock of its server.
  public func set(to store: Store) async throws(StoreFailure) -> WallClock {
    while true {
      let before = timestamp()
      guard let time = try await store.time() else { return self }
      let after = timestamp()
      // Not what was asked before a connection was lost, and answered after.
      let duration = after.millisecondsSince1970 - before.millisecondsSince1970
      if (0..<1000).contains(duration) { return set(to: time, between: before, and: after) }
    }
  }
}

/// Sends a request, and cancels it at the end of the hold on what it is sent for, unless that is put off meanwhile.
public func withinHold(
  _ hold: HoldEnd, _ send: @escaping @Sendable () async -> Result<Response, FetchFailure>
) async -> Result<Response, FetchFailure> {
  guard hold.end != nil else { return await send() }
  return await withTaskGroup(of: Result<Response, FetchFailure>?.self) { group in
    group.addTask { await send() }
    group.addTask {
      while let end = hold.end, end > .now, (try? await WallClock.sleep(for: end - .now)) != nil {}
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

/// Waits, after an outage of the server, for the next sign of life, but no longer than a run tries to connect.
public func untilHeld(_ hold: HoldEnd) async {
  for _ in 0..<300 where !Task.isCancelled && hold.isOver {
    try? await WallClock.sleep(for: .milliseconds(100))
  }
}

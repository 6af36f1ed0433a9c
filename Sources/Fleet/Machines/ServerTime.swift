// The clock of the server, which counts for all machines.

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
  public func time() throws -> Timestamp? {
    guard membership != nil else { return nil }
    let milliseconds: Int64? = try database.value("SELECT \(ServerTime.milliseconds)")
    return milliseconds.map { Timestamp(millisecondsSince1970: $0) }
  }
}

extension WallClock {
  /// The clock by which the moments in a store are right: where machines share it, the clock of its server, by the quickest of at
  /// most three answers.
  public func set(to store: Store) async throws -> WallClock {
    var best: (clock: WallClock, duration: Int64)?
    for _ in 0..<3 {
      let before = timestamp()
      guard let time = try await store.time() else { return self }
      let after = timestamp()
      // A connection may have been lost meanwhile, or this clock been set.
      let duration = abs(after.millisecondsSince1970 - before.millisecondsSince1970)
      if duration < best?.duration ?? .max { best = (set(to: time, between: before, and: after), duration) }
      if duration < 1000 { break }
    }
    return best?.clock ?? self
  }
}

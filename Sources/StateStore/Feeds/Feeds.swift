// The states of feeds and hosts. They are written by commits; what is due is Planning's to say.

public import Core

extension Store {
  /// The states of all feeds ever asked, dormant ones too.
  public func feedStates() throws(StoreFailure) -> [FeedName: FeedState] {
    // Straight into a dictionary of the right size: states are large, and there may be very many.
    var states: [FeedName: FeedState] = [:]
    states.reserveCapacity(try database.value("SELECT count(*) FROM feed") ?? 0)
    try database.each("SELECT name, \(FeedRow.readColumns) FROM feed") { row throws(StoreFailure) in
      let name: FeedName = try row.next()
      states[name] = try FeedRow.read(&row)
    }
    for (name, move) in try moves() { states[name]?.moves.append(move) }
    for name in try feedsWithBodyUnderWay() { states[name]?.hasTransferUnderWay = true }
    return states
  }

  /// The states of those of some feeds that were ever asked.
  public func feedStates(of feeds: [FeedName]) throws(StoreFailure) -> [FeedName: FeedState] {
    var states: [FeedName: FeedState] = [:]
    for feed in feeds { states[feed] = try feedState(feed) }
    return states
  }

  /// The state of one feed; nil if it was never asked.
  public func feedState(_ feed: FeedName) throws(StoreFailure) -> FeedState? {
    var state = try database.first(
      "SELECT \(FeedRow.readColumns) FROM feed WHERE name = ?1", feed, read: FeedRow.read)
    state?.moves = try moves(of: feed)
    return state
  }

  /// What is known of hosts, by name in lower case.
  public func hostStates() throws(StoreFailure) -> [String: HostState] {
    let hosts = try database.all("SELECT name, \(Self.hostColumns) FROM host") { row throws(StoreFailure) in
      (try row.next(String.self), try Self.host(&row))
    }
    return Dictionary(hosts) { first, _ in first }
  }

  /// Writes what is now known of hosts, over what another fetch has written meanwhile.
  func write(_ hosts: [String: HostState], at now: Instant) throws(StoreFailure) {
    for (name, host) in hosts {
      var host = host
      if let stored = try hostState(name) { host = host.merged(over: stored, at: now) }
      try database.run(
        """
        INSERT INTO host (name, \(Self.hostColumns)) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO UPDATE SET (\(Self.hostColumns)) = (?2, ?3, ?4)
        """, name, host.lastRequest, host.limitedUntil, host.limitedBy)
    }
  }

  private func hostState(_ name: String) throws(StoreFailure) -> HostState? {
    try database.first("SELECT \(Self.hostColumns) FROM host WHERE name = ?1", name, read: Self.host)
  }

  private static let hostColumns = "last_request, limited_until, limited_by"

  private static func host(_ row: inout Row) throws(StoreFailure) -> HostState {
    var host = HostState()
    host.lastRequest = try row.next()
    host.limitedUntil = try row.next()
    host.limitedBy = try row.next()
    return host
  }

  /// The number of a feed's row, which is made if there is none.
  func number(of feed: FeedName, configured at: Instant) throws(StoreFailure) -> Int64 {
    if let known: Int64 = try database.value("SELECT number FROM feed WHERE name = ?1", feed) {
      return known
    }
    try database.run("INSERT INTO feed (name, last_configured) VALUES (?1, ?2)", feed, at)
    return database.lastInserted
  }
}

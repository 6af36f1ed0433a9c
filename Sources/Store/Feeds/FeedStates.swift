// The states of feeds and hosts, their moves and hubs, and the columns they have. Commits write them; Core decides what is due.

public import Core

/// A feed's row, with what a commit has to know of it.
struct FeedRow: Sendable {
  let number: Int64
  let hasMoves: Bool
}

extension Store {
  /// The states of feeds; feeds that were never requested have none.
  public func feedStates(of feeds: [FeedName]) throws -> [FeedName: FeedState] {
    guard !feeds.isEmpty else { return [:] }
    // To read the whole table takes less time than to find most of its rows.
    guard feeds.count > 100, feeds.count >= (try database.value("SELECT max(number) FROM feed") ?? 0) / 4 * 3
    else { return try feedStates(from: "json_each(?1) CROSS JOIN feed ON name = value", feeds) }
    let wanted = Set(feeds)
    return try feedStates(from: "feed") { wanted.contains($0) }
  }

  /// The state of one feed; nil if it was never requested.
  public func feedState(_ feed: FeedName) throws -> FeedState? {
    try feedStates(of: [feed])[feed]
  }

  func feedStates(
    from source: String, _ values: any Bindable..., where isWanted: (FeedName) -> Bool = { _ in true }
  ) throws -> [FeedName: FeedState] {
    var states: [FeedName: FeedState] = [:]
    var moved: [(FeedName, Int64)] = []
    try database.each(
      """
      SELECT name, feed.number, \(FeedState.columns), is_paused, paused_until, next_due,
        EXISTS (SELECT 1 FROM move WHERE move.feed = feed.number), \(Self.bodyUnderWay("feed.number")) IS NOT NULL
      FROM \(source)
      """, Values(list: values)
    ) { row in
      let name: FeedName = try row.next()
      guard isWanted(name) else { return }
      let number: Int64 = try row.next()
      var state: FeedState = try row.next()
      state.number = number
      let (isPaused, until) = (try row.next(Bool.self), try row.next(Instant?.self))
      state.pause = isPaused ? Pause(until: until) : nil
      state.planned = try row.next()
      if try row.next(Bool.self) { moved.append((name, number)) }
      state.hasTransferUnderWay = try row.next()
      states[name] = state
    }
    // Few feeds have moves.
    for (name, number) in moved {
      states[name]?.moves = try database.all(
        "SELECT \(Move.columns) FROM move WHERE feed = ?1 ORDER BY is_learned DESC, address", number
      ) { row in try row.next(Move.self) }
    }
    return states
  }

  /// Writes the state of a feed and its moves, and when it is next due; `recordChange` is the caller's business.
  func write(
    _ state: FeedState, nextDue: Instant?, _ lasting: LastingMoment?, of feed: FeedRow
  ) throws {
    try database.run(Self.feedUpdate, state, nextDue, lasting?.at, lasting?.fingerprint, feed.number)
    if feed.hasMoves { try database.run("DELETE FROM move WHERE feed = ?1", feed.number) }
    for move in state.moves {
      try database.run(
        "INSERT INTO move (feed, \(Move.columns)) VALUES (?, \(Move.columns.placeholders))", feed.number, move
      )
    }
  }

  /// Records that feeds wait for a condition from now on, unless that was recorded before.
  ///
  /// A moment that is still ahead was recorded before the clock was set back.
  public func recordWaiting(_ feeds: [FeedName], since now: Instant) throws {
    guard !feeds.isEmpty else { return }
    try database.run(
      """
      INSERT INTO feed (name, last_configured, waits_since) SELECT value, ?2, ?2 FROM json_each(?1) WHERE true
      ON CONFLICT (name) DO UPDATE SET waits_since = excluded.waits_since
        WHERE feed.waits_since IS NULL OR feed.waits_since > excluded.waits_since
      """, feeds, now)
  }

  private static let feedUpdate =
    """
    UPDATE feed SET (\(FeedState.columns), next_due, due_at) = (\(FeedState.columns.placeholders), ?,
      (SELECT ? FROM owner WHERE due_note = ? AND feed.due_at IS NOT NULL))
    WHERE number = ?
    """

  /// The hubs of a feed and their topic.
  func hubLinks(of feed: Int64) throws -> HubLinks {
    var links = HubLinks()
    try database.each("SELECT address, topic FROM hub WHERE feed = ?1 ORDER BY place", feed) {
      row in
      links.hubs.append(try row.next())
      links.topic = try row.next()
    }
    return links
  }

  /// Replaces the hubs of a feed; nil leaves them alone.
  func write(_ links: HubLinks?, of feed: Int64) throws {
    // Publishers hardly ever change them.
    guard let links, try hubLinks(of: feed) != links else { return }
    try database.run("DELETE FROM hub WHERE feed = ?1", feed)
    for (place, hub) in links.hubs.enumerated() {
      try database.run(
        "INSERT INTO hub (feed, place, address, topic) VALUES (?1, ?2, ?3, ?4)", feed, place, hub, links.topic
      )
    }
  }

  /// The states of hosts, by name in lower case.
  public func hostStates() throws -> [String: HostState] {
    var hosts: [String: HostState] = [:]
    try database.each("SELECT name, \(HostState.columns) FROM host") { row in
      hosts[try row.next()] = try row.next(HostState.self)
    }
    return hosts
  }

  /// Merges the states of hosts into what other fetches have written meanwhile.
  func write(_ hosts: [String: HostState], at now: Instant) throws {
    for (name, host) in hosts {
      let stored = try database.first("SELECT \(HostState.columns) FROM host WHERE name = ?1", name) {
        row in try row.next(HostState.self)
      }
      try database.run(
        """
        INSERT INTO host (name, \(HostState.columns)) VALUES (?, \(HostState.columns.placeholders))
        ON CONFLICT (name) DO UPDATE SET \(HostState.columns.replacements)
        """, name, stored.map { host.merged(over: $0, at: now) } ?? host)
    }
  }

  /// A feed's row, which is added if it is missing.
  func row(of feed: FeedName, configured at: Instant) throws -> FeedRow {
    if let known = try row(of: feed) { return known }
    let number = try database.insert("INSERT INTO feed (name, last_configured) VALUES (?1, ?2)", feed, at)
    return FeedRow(number: number, hasMoves: false)
  }

  /// The row of a feed; nil if it was never requested.
  func row(of feed: FeedName) throws -> FeedRow? {
    // Few feeds have moved; to look first takes a third of the time of deleting nothing.
    try database.first(
      "SELECT number, EXISTS (SELECT 1 FROM move WHERE move.feed = feed.number) FROM feed WHERE name = ?1",
      feed
    ) { row in FeedRow(number: try row.next(), hasMoves: try row.next()) }
  }

  /// The number of a feed's row; nil if it was never requested.
  func number(of feed: FeedName) throws -> Int64? { try row(of: feed)?.number }
}

// MARK: Columns

extension FeedState: Record {
  static let blank = FeedState()
  static let columns = ColumnList(Self.self)

  mutating func visit(_ column: inout ColumnVisitor) {
    column("request_fingerprint", &requestFingerprint)
    column("configuration_fingerprint", &configurationFingerprint)
    column("validator_address", &validators.address)
    column("entity_tag", &validators.entityTag)
    column("last_modified", &validators.lastModified)
    column("validators_since", &validators.since)
    column("last_asked", &lastAsked)
    column("last_counted", &lastCounted)
    column("last_success", &lastSuccess)
    column("waits_since", &waitsSince)
    column("last_result", &lastResult)
    column("last_reason", &lastReason)
    var (notBefore, source) = (freshness?.notBefore, freshness?.source)
    column("fresh_until", &notBefore)
    column("fresh_source", &source)
    freshness = notBefore.map { ServerFreshness(notBefore: $0, source: source ?? "") }
    column("hint_time_to_live", &hints.timeToLive)
    column("hint_skip_hours", &hints.skipHours)
    column("hint_skip_days", &hints.skipDays)
    column("hint_update_interval", &hints.updateInterval)
    var (until, count, status) = (rateLimit?.until, rateLimit?.withoutRetryAfter, rateLimit?.status)
    column("limited_until", &until)
    column("limited_without_retry_after", &count)
    column("limited_status", &status)
    rateLimit = until.map { RateLimit(until: $0, withoutRetryAfter: count ?? 0, status: status ?? 0) }
    column("failures", &failures)
    column("backoff_class", &backoffClass)
    column("backoff_failures", &backoffFailures)
    column("gone_since", &goneSince)
    column("is_gone", &isGone)
    column("failing_announced", &failingAnnounced)
    column("has_baseline", &hasBaseline)
    column("crashes", &crashes)
    column("title", &title)
    column("link", &link)
    column("document_items", &identity.documentItems)
    column("replaced_at", &identity.replacedAt)
    column("is_rebuilt", &identity.isRebuilt)
    column("quiet_items", &identity.quietItems)
    column("records_assets", &recordsAssets)
    column("inner_address", &innerAddress)
    column("page_hour", &pageHour)
    column("pages_in_hour", &pagesInHour)
    column("pages_not_before", &pagesNotBefore)
  }
}

extension Move: Record {
  static let blank = Move(address: "", firstSeen: Instant(secondsSince1970: 0))
  static let columns = ColumnList(Self.self)

  mutating func visit(_ column: inout ColumnVisitor) {
    column("address", &address)
    column("sightings", &sightings)
    column("first_seen", &firstSeen)
    column("is_learned", &isLearned)
    column("is_doubted", &isSuspect)
  }
}

extension HostState: Record {
  static let blank = HostState()
  static let columns = ColumnList(Self.self)

  mutating func visit(_ column: inout ColumnVisitor) {
    column("last_request", &lastRequest)
    column("limited_until", &limitedUntil)
    column("limited_by", &limitedBy)
  }
}

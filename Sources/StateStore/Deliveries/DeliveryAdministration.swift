// Deliveries as a person and `status` deal with them: looking, dropping, trying again, growing old.

public import Core

extension Store {
  /// Deliveries of these statuses, of one hook or (nil) of all, newest first.
  public func deliveries(
    _ statuses: Set<DeliveryStatus>, hook: String? = nil, limit: Int
  ) throws(StoreFailure) -> [Delivery] {
    let names = JSONValue.array(statuses.map { .string($0.rawValue) }).text
    let found = try database.all(
      """
      SELECT \(Self.deliveryColumns) FROM delivery JOIN event ON event.number = delivery.event
      WHERE status IN (SELECT value FROM json_each(?1)) AND (?2 IS NULL OR hook = ?2)
      ORDER BY delivery.number DESC LIMIT ?3
      """, names, hook, limit, read: Self.delivery)
    return try complete(found)
  }

  /// The hooks with dead or expired deliveries.
  public func problems() throws(StoreFailure) -> [String: DeliveryProblems] {
    let counts = try database.all(
      """
      SELECT hook, count(*) FILTER (WHERE status = 'dead'), count(*) FILTER (WHERE status = 'expired')
      FROM delivery WHERE status = 'dead' OR status = 'expired' GROUP BY hook
      """
    ) { row throws(StoreFailure) in
      (try row.next(String.self), DeliveryProblems(dead: try row.next(), expired: try row.next()))
    }
    return Dictionary(counts) { first, _ in first }
  }

  /// Expires a hook's deliveries that wait since before a moment; gives how many.
  ///
  /// The age of one that was tried again by hand counts from then. What is best effort is dropped and not counted:
  /// nobody has to know of it.
  @discardableResult
  public func expireDeliveries(_ hook: String, before: Instant) throws(StoreFailure) -> Int {
    let bestEffort = JSONValue.array(
      EventKind.allCases.filter(\.isBestEffort).map { .string($0.rawValue) }
    ).text
    try database.run(
      """
      UPDATE delivery SET status = 'dropped' WHERE hook = ?1 AND status = 'pending' AND queued < ?2
        AND (SELECT kind FROM event WHERE number = delivery.event) IN (SELECT value FROM json_each(?3))
      """, hook, before, bestEffort)
    return try change(
      "UPDATE delivery SET status = 'expired' WHERE hook = ?1 AND status = 'pending' AND queued < ?2",
      hook, before)
  }

  /// Lets the age of a hook's deliveries that wait count from now where it would count from a moment so far in the
  /// future that the clock must have been set back since: they would never grow old.
  ///
  /// The same for those that waited for files and need not wait any longer.
  public func countAgesAnew(_ hook: String, at now: Instant) throws(StoreFailure) {
    try countAgesFromReadiness(hook, at: now)
    try database.run(
      "UPDATE delivery SET queued = ?2 WHERE hook = ?1 AND status = 'pending' AND queued > ?2 + ?3",
      hook, now, Self.longestHold)
  }

  /// Drops deliveries that wait or were lost, of one hook or (nil) of all, one or (nil) all of them; gives
  /// how many.
  ///
  /// A running one goes on.
  @discardableResult
  public func dropDeliveries(hook: String?, number: Int64? = nil) throws(StoreFailure) -> Int {
    try change(
      """
      UPDATE delivery SET status = 'dropped' WHERE status IN ('pending', 'dead', 'expired')
        AND (?1 IS NULL OR hook = ?1) AND (?2 IS NULL OR number = ?2)
      """, hook, number)
  }

  /// Makes dead and expired deliveries pending again, with all their retries; gives how many.
  @discardableResult
  public func retryDeliveries(
    hook: String?, number: Int64? = nil, at now: Instant
  ) throws(StoreFailure) -> Int {
    try change(
      """
      UPDATE delivery SET status = 'pending', attempts = 0, queued = ?3, not_before = ?3
      WHERE status IN ('dead', 'expired') AND (?1 IS NULL OR hook = ?1) AND (?2 IS NULL OR number = ?2)
      """, hook, number, now)
  }

  /// Runs a statement that changes rows; gives how many.
  private func change<each Value: Storable>(
    _ sql: String, _ values: repeat each Value
  ) throws(StoreFailure) -> Int {
    try database.run(sql, repeat each values)
    return database.changes
  }
}

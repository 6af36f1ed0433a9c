// When the time of a delivery comes: every moment that it waits for has passed. What those moments are is decided
// elsewhere.

public import Core

extension Store {
  /// The longest that hours hold a message back: a week, and another one where a change of clocks leaves their only
  /// window out.
  static let longestHold = Interval.days(15)

  /// The longest that a delayed message waits (`notify.delay`), with a day for clocks that are corrected.
  static let longestDelay = Interval.days(8)

  /// The longest that a failed delivery waits for its next attempt.
  private static let longestRetry = Interval.hours(6)

  /// Whether a delivery's time has come, as SQL over a parameter that holds the present moment.
  ///
  /// A moment further away than it can be was written under a clock that has been set back, and counts as past.
  static func hasCome(_ now: String) -> String {
    "(\(hasComeButForDelay(now)) AND \(isPast("trigger_at", now, longest: longestDelay)))"
  }

  /// Whether a delivery waits for nothing, or only for its delay to end, likewise.
  static func hasComeButForDelay(_ now: String) -> String {
    """
    (\(isPast("not_before", now, longest: longestRetry)) AND \(isPast("held_until", now, longest: longestHold))
      AND \(isReady(now)))
    """
  }

  /// Whether a delivery's delay has ended.
  static func hasTriggered(_ moment: Instant?, at now: Instant) -> Bool {
    guard let moment else { return true }
    return moment <= now || moment > now + longestDelay
  }

  /// The next moment after now at which the time of a delivery that waits comes; nil where there is none.
  ///
  /// One that waits for files counts with the last moment to which it may: that they settle is an event of its own.
  ///
  /// - Parameters:
  ///   - now: the present moment.
  ///   - hooks: the hooks that are configured; nil counts the deliveries of all.
  /// - Returns: the moment.
  /// - Throws: what the store throws.
  public func nextDeliveryMoment(
    after now: Instant, hooks: Set<String>? = nil
  ) throws(StoreFailure) -> Instant? {
    let names = hooks.map { JSONValue.array($0.sorted().map(JSONValue.string)).text }
    return try database.value(Self.nextMomentQuery, now, names)
  }

  static let nextMomentQuery = """
    SELECT min(moment) FROM (
      SELECT max(
        \(moment("not_before", past: isPast("not_before", "?1", longest: longestRetry))),
        \(moment("held_until", past: isPast("held_until", "?1", longest: longestHold))),
        \(moment("trigger_at", past: isPast("trigger_at", "?1", longest: longestDelay))),
        \(moment("ready_by", past: isReady("?1")))) AS moment
      FROM delivery
      WHERE status = 'pending' AND (?2 IS NULL OR hook IN (SELECT value FROM json_each(?2))))
    WHERE moment > ?1
    """

  /// Whether a moment has passed, or there is none, as SQL.
  private static func isPast(_ column: String, _ now: String, longest: Interval) -> String {
    "(\(column) IS NULL OR \(column) <= \(now) OR \(column) > \(now) + \(longest.seconds))"
  }

  /// A moment as SQL, and one long before all others where it has passed.
  private static func moment(_ column: String, past: String) -> String { "iif(\(past), 0, \(column))" }
}

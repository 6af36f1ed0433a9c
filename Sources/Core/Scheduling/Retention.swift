// How long things are kept that nobody asks for any more. Deleting them is the store's business.

/// How long things are kept that nobody asks for any more.
public enum Retention {
  /// Past runs, fetches and requests, events, and what is known of hosts.
  public static let history = Interval.days(90)
  /// The state and the items of a feed that has left the configuration.
  public static let dormantFeeds = Interval.days(90)
  /// Deliveries to a hook that has left the configuration: as long as those of a hook that does not say.
  public static let deliveriesOfNoHook = Interval.hours(12)

  /// How many rows a run looks at to find old ones, after so many fetches of its own.
  ///
  /// More than a run can add, or the history would grow faster than it goes; and bounded, as a person waits for the run.
  public static func pruned(after fetches: Int) -> Int { 1000 + 2 * fetches }
}

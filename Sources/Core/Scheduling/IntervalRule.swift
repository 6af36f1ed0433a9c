// Which minimum interval holds for a feed, and how much earlier than its end a run may come.

/// Where a minimum interval comes from.
public enum IntervalSource: Hashable, Sendable {
  /// The user wrote it, for the feed or in `defaults`.
  case configured
  /// The user wrote a schedule and no interval: the schedule alone decides.
  case schedule
  /// Nobody said anything, and the server gives no validators, so that each fetch costs it a whole document.
  case noValidators
  /// Nobody said anything.
  case standard
}

/// The minimum interval that holds for a feed.
struct IntervalRule {
  let minimum: MinimumInterval
  let source: IntervalSource

  /// The length that backoff begins with, nil where no interval gives one.
  var length: Interval? {
    switch (minimum, source) {
    case (_, .schedule), (.never, _): nil
    case (.every(let interval), _): interval
    case (.everyRun, _): .zero
    }
  }

  /// How much earlier than the end of its interval a feed is due.
  ///
  /// A timer of the same length as the interval comes a few seconds early or late each time; without slack
  /// an hourly timer and an hourly interval give a fetch every two hours. 5 % of the interval, at most 2
  /// min, and from 5 min up at least the minute that timers are off by.
  var slack: Interval {
    guard case .every(let interval) = minimum else { return .zero }
    let share = interval.seconds / 20
    return .seconds(interval < .minutes(5) ? share : min(max(share, 60), 120))
  }

  /// The least time between two fetches where runs come now and then.
  var leastLength: Interval {
    guard case .every(let interval) = minimum else { return .zero }
    return interval - slack
  }

  /// The least time between two fetches where a run comes at the very second at which something is due.
  ///
  /// Then there is no timer that says how often every run is; it is as often as those timers that are usual.
  func exactLength(of feed: FeedSpec) -> Interval {
    let length = length ?? .zero
    return length == .zero && feed.schedule.isEmpty ? .minutes(5) : length
  }
}

/// The interval the user wrote, or the default that fits what is known of the server.
///
/// A schedule without an interval has none: whoever writes `*/10 7-22 * * *` wants a fetch every ten
/// minutes, and would get hourly ones from a default nobody sees.
func intervalRule(_ feed: FeedSpec, _ state: FeedState) -> IntervalRule {
  if let configured = feed.minimumInterval { return IntervalRule(minimum: configured, source: .configured) }
  if !feed.schedule.isEmpty { return IntervalRule(minimum: .every(.zero), source: .schedule) }
  // A file has no server to spare.
  if state.hasBaseline, state.validators.isEmpty, feed.file == nil {
    return IntervalRule(minimum: .every(.hours(24)), source: .noValidators)
  }
  return IntervalRule(minimum: .every(.hours(1)), source: .standard)
}

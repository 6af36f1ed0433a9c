// How long a feed is left alone after failures. Which failure is of which class is FailureKind's business.

/// The wait after the last failure of a feed.
struct BackoffWait {
  /// What the rule gives.
  let length: Interval
  /// What is added to it, so that feeds that failed together do not come back together.
  let jitter: Interval

  /// Both.
  var total: Interval { length + jitter }
}

/// The wait after the last failure of a feed; nil if nothing failed.
///
/// Transient failures begin at the shorter of interval and 15 min, but at 5 min at least; refusals at 4 h;
/// both double with each failure of that kind in a row, up to 24 h. A 410 is asked once more a day later and then
/// every 30 d. A rate limit has its own time; all it takes from here is the first step, so that a server that
/// says "a second" is not asked at every run.
func backoffWait(
  _ state: FeedState, _ rule: IntervalRule, _ feed: FeedName, _ machine: String
) -> BackoffWait? {
  guard state.failures > 0 else { return nil }
  let first = max(.minutes(5), min(rule.length ?? .minutes(15), .minutes(15)))
  let wait =
    switch state.backoffClass {
    case .transient: doubled(first, after: state.backoffFailures)
    case .refused: doubled(.hours(4), after: state.backoffFailures)
    case .gone: state.isGone ? .days(30) : longestBackoff
    case nil: first
    }
  return BackoffWait(length: wait, jitter: jitter(on: wait, machine: machine, feed: feed))
}

/// A wait doubled with each failure after the first one, at most 24 h.
func doubled(_ wait: Interval, after failures: Int) -> Interval {
  // Seventeen doublings make a day of a second.
  let times = min(max(failures, 1), 18) - 1
  return .seconds(min(min(wait, longestBackoff).seconds << times, longestBackoff.seconds))
}

/// The longest wait after failures other than 410.
private let longestBackoff = Interval.hours(24)

// How long a feed waits after failures and rate limits. Scheduling.swift lists the backoff rules of downloads and hooks.

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

/// What a failure means for when the feed is asked again.
public enum FailureKind: Hashable, Sendable {
  /// It is counted, and waits get longer with each in a row.
  case backoff(BackoffClass)
  /// The server said to come less often.
  case rateLimit
  /// It says nothing of the feed and is not counted.
  case uncounted
}

extension FetchFailure {
  /// What the failure means for when the feed is asked again.
  ///
  /// What a captive portal, a check for browsers or a server under repair does to every feed at once (a redirect
  /// somewhere else, a foreign certificate, HTML) is transient, so that one evening in a hotel does not cost
  /// hours the next day.
  public var kind: FailureKind {
    switch self {
    case .unresolved, .unreachable, .refused, .connectTimeout, .timeout, .stalled, .tls, .cut, .proxy,
      .proxyUnreachable, .challenged, .loginPage, .tooManyRedirects, .badRedirect, .insecureRedirect,
      .privateAddress, .notAFeed, .truncated, .noSecret, .transferLibrary, .file, .other:
      .backoff(.transient)
    case .tooLarge, .headersTooLarge:
      // The next attempt costs the server as much and ends the same way.
      .backoff(.refused)
    case .status(let status): Self.kind(of: status)
    case .rateLimited(status: 429, _), .rateLimited(_, .some): .rateLimit
    case .rateLimited(_, nil): .backoff(.transient)
    case .offline, .captivePortal, .suspended: .uncounted
    }
  }

  /// The kind of a status: 4xx is refused, but for those that the server itself expects to pass.
  private static func kind(of status: Int) -> FailureKind {
    switch status {
    case 410: .backoff(.gone)
    case 429: .rateLimit
    // Request Timeout, Misdirected Request, Too Early: RFC 9110 section 15.5, RFC 8470. 407 is the proxy's.
    case 407, 408, 421, 425: .backoff(.transient)
    case 400..<500: .backoff(.refused)
    default: .backoff(.transient)
    }
  }
}

/// What is remembered after an answer that says to come less often.
public struct RateLimiting: Hashable, Sendable {
  /// The limit on the feed.
  public var feed: RateLimit
  /// What is now known of the host.
  public var host: HostState
}

/// The limits that an answer sets.
///
/// It holds until the latest of `Retry-After` (at most 7 d), a `max-age` on the answer itself, and, for a
/// 429 that names no time, 10 min that double with each in a row, up to 24 h. Jitter comes on top.
///
/// A 503 holds for its feed. A 429 also holds for a public host, for at most 1 h, because one feed of a
/// site may be limited for its own sake; when a second feed of the host gets one, in full. A private host's
/// feeds have nothing in common but an address (RSS bridges), and it is left alone. Feeds that share one answer
/// count as the one that asked.
///
/// - Parameters:
///   - status: 429 or 503.
///   - wait: its `Retry-After`, nil if it named no time.
///   - previous: the limit on the feed so far.
///   - attempt: the fetch that was answered so.
/// - Returns: the limit on the feed, and what is now known of the host.
public func rateLimiting(
  status: Int, wait: Interval?, previous: RateLimit?, attempt: FetchAttempt
) -> RateLimiting {
  var unnamed = 0
  var length = min(wait ?? .zero, longestRetryAfter)
  if status == 429, wait == nil {
    unnamed = min(previous?.unnamed ?? 0, Int.max - 1) + 1
    length = doubled(.minutes(10), after: unnamed)
  }
  if let response = attempt.response,
    let freshness = headerFreshness(of: response, receivedAt: attempt.ended)
  {
    length = max(length, min(freshness.length, attempt.freshnessLimit))
  }

  let end = attempt.end(of: length)
  var host = attempt.hostState
  if status == 429, attempt.isPublicHost, !attempt.isShared {
    let isSecondFeed = host.limitedBy.map { $0 != attempt.feed.name } ?? false
    let hostEnd = isSecondFeed ? end : attempt.end(of: min(length, .hours(1)))
    let former = host.limitedUntil.flatMap { isPlausible(rateLimitEnd: $0, at: attempt.ended) ? $0 : nil }
    host.limitedUntil = former.map { max($0, hostEnd) } ?? hostEnd
    host.limitedBy = attempt.feed.name
  }
  return RateLimiting(feed: RateLimit(until: end, unnamed: unnamed, status: status), host: host)
}

extension HostState {
  /// The state after a request that began at a moment and was answered without a limit.
  ///
  /// A limit that had ended by then is forgotten, and with it which feed set it. One that came while the
  /// request was under way holds.
  public func afterSuccess(of request: Instant) -> HostState {
    guard let limitedUntil, limitedUntil <= request else { return self }
    var copy = self
    copy.limitedUntil = nil
    copy.limitedBy = nil
    return copy
  }
}

extension FetchAttempt {
  /// When a wait that a server asked for is over, jitter included.
  func end(of wait: Interval) -> Instant {
    ended + wait + wholeSecond + jitter(on: wait, machine: machine, feed: feed.name)
  }
}

/// Up to 10 % of a wait, at most 10 min, the same each time for one machine and feed.
///
/// It is added, never taken away: what a server or a rule asked for is not undercut.
func jitter(on wait: Interval, machine: String, feed: FeedName) -> Interval {
  var fingerprint = Fingerprint()
  fingerprint.add(machine)
  fingerprint.add(feed.text)
  let share = Int64(spread(fingerprint.value) % 1001)
  // Bounded before it is multiplied, as a wait may be any length: 6,000 s is what 10 min is a tenth of.
  return .seconds(min(wait.seconds, 6000) * share / 10_000)
}

/// Stirs the bits of a fingerprint (the finaliser of MurmurHash3), whose upper ones hardly differ for `feed1`
/// and `feed2`.
private func spread(_ value: UInt64) -> UInt64 {
  var bits = value
  bits = (bits ^ (bits >> 33)) &* 0xFF51_AFD7_ED55_8CCD
  bits = (bits ^ (bits >> 33)) &* 0xC4CE_B9FE_1A85_EC53
  return bits ^ (bits >> 33)
}

/// What is added to a server's length of time because moments are whole seconds, rounded down.
///
/// An answer that came at 10:00:00.9 and asks for an hour is stored as 10:00:00; an hour later it would
/// still be 0.9 s too early.
let wholeSecond = Interval.seconds(1)

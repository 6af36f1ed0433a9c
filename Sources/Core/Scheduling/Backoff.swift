// How long a feed waits after failures and rate limits.
//
// Three rules of backoff exist, because they protect different things:
//   feeds      `backoffWait` here: the server of a feed; 5 min or more doubling to 24 h, never ends.
//   downloads  Downloads/TransferOutcome.swift: the server of a file; 5 min doubling to 6 h, ends after 8 attempts or 7 d.
//   hooks      `deliveryEnd` in Messages/Delivery.swift: a program of the user; 1 min tripling to 6 h, ends after `retries`.

/// The wait after the last failure of a feed.
struct BackoffWait {
  /// The wait that the rule gives.
  let length: Interval
  /// The time added, so that feeds that failed together do not return together.
  let jitter: Interval

  var total: Interval { length + jitter }
}

/// The wait after the last failure of a feed; nil if nothing failed.
///
/// Transient failures begin at the shorter of interval and 15 min, but at least 5 min; refusals at 4 h. Both double with
/// each failure of the same kind in a row, up to 24 h. After a 410 the feed is requested once more a day later and then
/// every 30 d. A rate limit sets its own time; this is then only the minimum, for a server that says "retry after 1 s".
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
  // 17 doublings of a second are more than a day.
  let times = min(max(failures, 1), 18) - 1
  return .seconds(min(min(wait, longestBackoff).seconds << times, longestBackoff.seconds))
}

/// The longest wait after failures other than a confirmed 410.
private let longestBackoff = Interval.hours(24)

/// How a failure affects the next fetch.
enum FailureKind: Equatable, Sendable {
  /// It counts, and waits grow with each in a row.
  case backoff(BackoffClass)
  /// The server asked for fewer requests.
  case rateLimit
  /// It says nothing about the feed and does not count.
  case uncounted
}

extension FetchFailure {
  /// How the failure affects the next fetch.
  ///
  /// Failures that a captive portal, a browser check or a server under repair causes for every feed at once (redirects,
  /// foreign certificates, HTML) are transient, so that one evening in a hotel does not cost hours the next day.
  var kind: FailureKind {
    switch self {
    case .unresolved, .unreachable, .refused, .connectTimeout, .timeout, .stalled, .tls, .cut, .proxy,
      .proxyUnreachable, .challenged, .loginPage, .tooManyRedirects, .badRedirect, .insecureRedirect,
      .bodyRedirect, .privateAddress, .notAFeed, .truncated, .noSecret, .transferLibrary, .file, .command,
      .other:
      .backoff(.transient)
    case .tooLarge, .headersTooLarge:
      // The next attempt would cost the server as much and end the same way.
      .backoff(.refused)
    case .status(let status): Self.kind(of: status)
    case .rateLimited(status: 429, _), .rateLimited(_, .some): .rateLimit
    case .rateLimited(_, nil): .backoff(.transient)
    case .offline, .captivePortal, .suspended: .uncounted
    }
  }

  /// The kind of a status: 4xx is refused, except for statuses that the server itself expects to pass.
  private static func kind(of status: Int) -> FailureKind {
    switch status {
    case 410: .backoff(.gone)
    case 429: .rateLimit
    // Request Timeout, Misdirected Request, Too Early: RFC 9110 section 15.5, RFC 8470. 407 comes from the proxy.
    case 407, 408, 421, 425: .backoff(.transient)
    case 400..<500: .backoff(.refused)
    default: .backoff(.transient)
    }
  }
}

/// The limits that a 429, a 403 like it, or a 503 sets.
///
/// A limit lasts as long as the server asks (`retryAfter`, at most 7 d) or the `max-age` of the response says, whichever is
/// longer. For a 429 that asks for no time it lasts at least 10 min, doubled with each in a row up to 24 h. Jitter is added.
///
/// A 503 applies to its feed. A 429 or 403 also applies to a public host, for at most 1 h, because one feed of a site may be
/// limited alone; when a second feed of the host is limited, it applies in full, unless a redirect or a link of another host led
/// there: no server postpones the feeds of another one for long. A private host (an RSS bridge) is left
/// alone, because its feeds come from different sites. Feeds that share one response count as the one that requested it.
///
/// - Parameters:
///   - status: 429, 403 or 503.
///   - wait: how long the server asks to wait, or nil.
///   - previous: the feed's limit so far.
///   - attempt: the fetch.
/// - Returns: the new limit of the feed, and the new state of its host; nil if that has not changed.
func rateLimiting(
  status: Int, wait: Interval?, previous: RateLimit?, attempt: FetchAttempt
) -> (feed: RateLimit, host: HostState?) {
  var count = 0
  var length = min(wait ?? .zero, longestRetryAfter)
  if status == 429, wait == nil {
    count = min(previous?.withoutRetryAfter ?? 0, Int.max - 1) + 1
    length = doubled(.minutes(10), after: count)
  }
  if let response = attempt.response,
    let freshness = headerFreshness(of: response, receivedAt: attempt.ended)
  {
    length = max(length, min(freshness.length, longestFreshness))
  }

  let end = attempt.end(of: length)
  var host = attempt.hostState
  if status == 429 || status == 403, attempt.address?.isPublicHost ?? false, !attempt.isShared {
    let isOwnHost = attempt.feed.address?.host == attempt.address?.host
    let isSecondFeed = isOwnHost && host.limitedBy.map { $0 != attempt.feed.name } ?? false
    let hostEnd = isSecondFeed ? end : attempt.end(of: min(length, .hours(1)))
    let former = host.limitedUntil.flatMap { isPlausible(rateLimitEnd: $0, at: attempt.ended) ? $0 : nil }
    host.limitedUntil = former.map { max($0, hostEnd) } ?? hostEnd
    host.limitedBy = attempt.feed.name
  }
  let limit = RateLimit(until: end, withoutRetryAfter: count, status: status)
  return (limit, host == attempt.hostState ? nil : host)
}

extension HostState {
  /// Whether a rate limit on the whole host has not ended.
  public func isLimited(at now: Instant) -> Bool {
    isInForce(rateLimitEnd: limitedUntil, at: now)
  }

  /// The state after a request, begun at a moment, that was not limited.
  ///
  /// A limit that had ended by then is cleared, with the feed that set it. A limit set during the request stays.
  func afterSuccess(of request: Instant) -> HostState {
    guard let limitedUntil, limitedUntil <= request else { return self }
    var copy = self
    copy.limitedUntil = nil
    copy.limitedBy = nil
    return copy
  }
}

extension FetchAttempt {
  /// The end of a wait that a server asked for, jitter included.
  func end(of wait: Interval) -> Instant {
    ended + wait + wholeSecond + jitter(on: wait, machine: machine, feed: feed.name)
  }
}

/// Up to 10 % of a wait, at most 10 min, always the same for one machine and feed.
///
/// Clients that a server or an outage sent away together must not return together. Jitter is added, never subtracted, so
/// that no requested wait is undercut.
func jitter(on wait: Interval, machine: String, feed: FeedName) -> Interval {
  var fingerprint = Fingerprint()
  fingerprint.add(machine)
  fingerprint.add(feed.text)
  let share = Int64(fingerprint.value % 1001)
  // 10 min is 10 % of 6,000 s; the bound before the multiplication prevents an overflow.
  return .seconds(min(wait.seconds, 6000) * share / 10_000)
}

/// Added to a time that a server asked for, because moments are rounded down to whole seconds.
///
/// A response at 10:00:00.9 that asks for an hour is stored as 10:00:00; an hour later would be 0.9 s too early.
let wholeSecond = Interval.seconds(1)

// What a 429 or 503 means for its feed and for its host.

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

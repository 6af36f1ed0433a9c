// How long a server asks to wait: `Retry-After`, and the fields that say when a rate limit ends.

/// The wait in a value of `Retry-After` (RFC 9110 section 10.2.3): seconds or an HTTP date, at most 7 days.
///
/// Nil for zero, a past date, and anything unreadable.
public func retryAfter(_ value: String, at now: Instant) -> Interval? {
  let wait: Interval
  if let seconds = wholeNumber(value) {
    wait = .seconds(seconds)
  } else if let date = Instant(httpDate: value) {
    wait = date.since(now)
  } else {
    return nil
  }
  return wait > .zero ? min(wait, longestRetryAfter) : nil
}

/// How long a response asks to wait: its `Retry-After`, or the end of the rate limit that refused the request; at most 7 days.
///
/// A date is compared with the response's own `Date`, so that a wrong local clock does not matter.
public func retryAfter(of response: Response, receivedAt now: Instant) -> Interval? {
  let (written, isLimit) = (response["Retry-After"], isRateLimit(response, at: now))
  guard written != nil || isLimit else { return nil }
  let sent = response["Date"].flatMap { Instant(httpDate: $0) } ?? now
  if let wait = written.flatMap({ retryAfter($0, at: sent) }) { return wait }
  guard isLimit else { return nil }
  return quotas(of: response, at: sent).filter { $0.left ?? 0 == 0 }.compactMap(\.wait).max()
}

/// Whether a response refuses its request because of a rate limit: a 429, or a 403 whose fields say so, as GitHub's do.
///
/// GitHub sends the fields with every response. A 403 means the limit only if nothing is left, or nothing is said about that.
func isRateLimit(_ response: Response, at now: Instant) -> Bool {
  guard response.status == 403 else { return response.status == 429 }
  let quotas = quotas(of: response, at: now)
  if quotas.contains(where: { $0.left == 0 }) { return true }
  return quotas.allSatisfy { $0.left == nil } && quotas.contains { $0.wait != nil }
}

/// A rate limit of a server, by the fields of a response.
private struct Quota {
  /// The number of requests that are left.
  var left: Int64?
  /// The time until more requests are allowed.
  var wait: Interval?
}

/// The rate limits in the fields of a response: of GitHub, of Twitter, and of draft-ietf-httpapi-ratelimit-headers.
private func quotas(of response: Response, at now: Instant) -> [Quota] {
  ["X-RateLimit", "X-Rate-Limit", "RateLimit"].map { name in
    Quota(
      left: response[name + "-Remaining"].flatMap { wholeNumber($0) },
      wait: response[name + "-Reset"].flatMap { wait(untilReset: $0, at: now) })
  }.filter { $0.left != nil || $0.wait != nil }
}

/// The wait in a field such as `X-RateLimit-Reset`: until a moment in seconds since 1970, or a number of seconds.
private func wait(untilReset value: String, at now: Instant) -> Interval? {
  guard let number = wholeNumber(value), number >= 1_000_000_000 else { return retryAfter(value, at: now) }
  // Milliseconds, or another unit: seconds end with the year 9999.
  guard number <= 253_402_300_799 else { return nil }
  let wait = Instant(secondsSince1970: number).since(now)
  return wait > .zero ? min(wait, longestRetryAfter) : nil
}

let longestRetryAfter = Interval.days(7)

/// How long a redirect asks to wait before it is followed (RFC 9110 section 10.2.3); nil if it does not, or if the feed or
/// file has waited for it.
public func redirectWait(of response: Response, receivedAt now: Instant, hasWaited: Bool) -> Interval? {
  guard !hasWaited, [301, 302, 303, 307, 308].contains(response.status) else { return nil }
  return retryAfter(of: response, receivedAt: now)
}

/// The longest time for which a redirect waits within its fetch; longer waits end the fetch.
public let longestRedirectWait = Interval.seconds(10)

/// Whether a stored end of a rate limit is plausible.
///
/// A later one was stored before the clock was set back.
func isPlausible(rateLimitEnd end: Instant, at now: Instant) -> Bool {
  end <= now + longestRetryAfter + .minutes(10) + wholeSecond
}

/// Whether a stored rate limit has not ended.
func isInForce(rateLimitEnd end: Instant?, at now: Instant) -> Bool {
  end.map { $0 > now && isPlausible(rateLimitEnd: $0, at: now) } ?? false
}

// How long a server asks to be left alone (RFC 9110 section 10.2.3).

/// Reads the value of `Retry-After`: seconds or an HTTP date, at most 7 d.
///
/// Zero, a date that is past and anything unreadable are nil: the server named no time.
///
/// - Parameters:
///   - value: the field's value.
///   - now: what a date is held against.
/// - Returns: how long to wait; nil if the server named no time.
public func retryAfter(_ value: String, at now: Instant) -> Interval? {
  let wait: Interval
  if let seconds = wholeNumber(value) {
    wait = .seconds(seconds)
  } else if let date = Instant(httpDate: value, now: now) {
    wait = date.since(now)
  } else {
    return nil
  }
  return wait > .zero ? min(wait, longestRetryAfter) : nil
}

/// The `Retry-After` of an answer; a date is held against the answer's own `Date`, so that a clock that is
/// wrong here does not count.
func retryAfter(of response: Response, receivedAt now: Instant) -> Interval? {
  guard let value = response["Retry-After"] else { return nil }
  let sent = response["Date"].flatMap { Instant(httpDate: $0, now: now) }
  return retryAfter(value, at: sent ?? now)
}

/// The longest time that `Retry-After` is obeyed for.
let longestRetryAfter = Interval.days(7)

/// Whether a stored end of a rate limit can be one: not further away than the cap and its jitter.
///
/// What is further away was stored under a clock that has been set back since.
func isPlausible(rateLimitEnd end: Instant, at now: Instant) -> Bool {
  end <= now + longestRetryAfter + .minutes(10) + wholeSecond
}

// HTTP caching for feeds: validators and freshness (RFC 9111).

/// The validators for the next request.
///
/// Some servers answer 304 forever. To detect that, validators are omitted once when the last full response is 8 to 30 days
/// old; the exact age depends on machine and feed, so that not all feeds do it at once.
///
/// - Parameters:
///   - state: the feed's state.
///   - fingerprint: the current access's; if it differs from the stored one, the validators do not apply.
///   - feed: the feed's name.
///   - machine: this machine's identity.
///   - now: the start of the round.
/// - Returns: the stored validators, or none.
public func validatorsToSend(
  _ state: FeedState, fingerprint: UInt64, feed: FeedName, machine: String, at now: Instant
) -> Validators {
  guard state.requestFingerprint == fingerprint, !state.validators.isEmpty else { return Validators() }
  var spread = Fingerprint(of: machine)
  spread.add(feed.text)
  let longest = Interval.days(8 + Int64(spread.value % 22))
  // A time in the future was stored before the clock was set back; the validators could stay forever.
  guard let since = state.validators.since, now.since(since) < longest, since.since(now) < longest else {
    return Validators()
  }
  return state.validators
}

extension Validators {
  /// The validators of a full response, byte for byte; `key` is the chain's `validatorKey`.
  public init(from response: Response, at key: String, now: Instant) {
    self.init()
    address = key
    entityTag = usable(response["ETag"])
    lastModified = usable(response["Last-Modified"])
    since = now
  }

  /// The validators after a 304: those in the response replace the old ones (RFC 9111 section 3.2).
  public func refreshed(by response: Response) -> Validators {
    var copy = self
    if let tag = usable(response["ETag"]) { copy.entityTag = tag }
    if let date = usable(response["Last-Modified"]) { copy.lastModified = date }
    return copy
  }
}

/// A validator that can be sent back: not empty, without control characters, at most 4 KiB.
///
/// A validator that the server refuses in a request would make every fetch fail until it is dropped.
func usable(_ value: String?) -> String? {
  guard let value, !value.isEmpty, value.utf8.count <= 4096,
    value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F || $0 == "\t" })
  else { return nil }
  return value
}

/// The longest freshness that is respected, so that a server's mistake cannot silence a feed for a year.
let longestFreshness = Interval.days(7)

/// The time before which a server does not want another request, by the longest freshness in header and document.
///
/// The header's freshness is `Cache-Control: max-age` minus `Age`, else `Expires` minus `Date`. `no-cache`, `no-store`, past
/// and unreadable values count as none. The document's is `ttl` and `sy:updatePeriod`, each at most 24 h. The longest
/// freshness applies to all of them.
///
/// - Parameters:
///   - response: the response; a 304 counts like any other (RFC 9111 section 4.3.4).
///   - hints: those of the last readable document.
///   - received: the time of the response.
/// - Returns: the time with its source, or nil.
func serverFreshness(
  after response: Response, hints: FeedHints, receivedAt received: Instant
) -> ServerFreshness? {
  let candidates = [
    headerFreshness(of: response, receivedAt: received),
    hints.timeToLive.map { capped(Freshness(length: $0, source: "ttl: \($0.text)"), at: .hours(24)) },
    hints.updateInterval.map {
      capped(Freshness(length: $0, source: "sy:updatePeriod: \($0.text)"), at: .hours(24))
    },
  ]
  guard let longest = candidates.compactMap({ $0 }).max(by: { $0.length < $1.length }), longest.length > .zero
  else { return nil }
  let freshness = capped(longest, at: longestFreshness)
  return ServerFreshness(notBefore: received + freshness.length + wholeSecond, source: freshness.source)
}

/// The time for which a response is fresh, with its source as text.
struct Freshness {
  var length: Interval
  var source: String
}

/// The freshness in a response's header, without limits.
func headerFreshness(of response: Response, receivedAt received: Instant) -> Freshness? {
  if let control = response.joined("Cache-Control").map({ fieldParameters($0, separatedBy: ",") }) {
    // With an argument, no-cache applies only to those fields.
    if control["no-store"] != nil || control["no-cache"] == "" { return nil }
    if let written = control["max-age"] {
      // An unreadable one means stale (RFC 9111 section 4.2.1).
      guard let maxAge = wholeNumber(written) else { return nil }
      let age = response["Age"].flatMap { wholeNumber($0) } ?? 0
      let source = "Cache-Control: max-age=\(maxAge)" + (age > 0 ? ", Age: \(age)" : "")
      return Freshness(length: .seconds(maxAge) - .seconds(age), source: source)
    }
  }
  guard let expires = response["Expires"].flatMap({ Instant(httpDate: $0) }) else {
    return nil
  }
  let sent = response["Date"].flatMap { Instant(httpDate: $0) } ?? received
  return Freshness(length: expires.since(sent), source: "Expires: \(expires.rfc3339)")
}

private func capped(_ freshness: Freshness, at cap: Interval) -> Freshness {
  guard freshness.length > cap else { return freshness }
  return Freshness(length: cap, source: freshness.source + ", cut to \(cap.text)")
}

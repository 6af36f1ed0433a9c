// How long a server wishes to be left alone after an answer that was no failure, and where it said so.

/// The wish of a server after a full answer or a 304: the latest of what its header and its document ask for.
///
/// The header counts by `Cache-Control: max-age` less `Age`, else by `Expires` less `Date`; `no-cache`,
/// `no-store`, what is past and what cannot be read is no wish. The document counts by `ttl` and
/// `sy:updatePeriod`, each for 24 h at most. All of it is cut to the freshness limit, and the source says
/// so.
///
/// - Parameters:
///   - response: the answer; a 304 counts like any other (RFC 9111 section 4.3.4).
///   - hints: those of the last readable document.
///   - received: when the answer had come.
///   - limit: the configuration's `freshness-limit`; zero gives nil.
/// - Returns: nil if the server wishes for nothing.
public func serverWish(
  after response: Response, hints: FeedHints, receivedAt received: Instant, limit: Interval
) -> ServerWish? {
  guard limit > .zero else { return nil }
  let wishes = [
    headerFreshness(of: response, receivedAt: received),
    hints.timeToLive.map { capped(Freshness(length: $0, source: "ttl: \($0.text)"), at: .hours(24)) },
    hints.updateInterval.map {
      capped(Freshness(length: $0, source: "sy:updatePeriod: \($0.text)"), at: .hours(24))
    },
  ]
  guard let longest = wishes.compactMap({ $0 }).max(by: { $0.length < $1.length }), longest.length > .zero
  else { return nil }
  let freshness = capped(longest, at: limit)
  return ServerWish(notBefore: received + freshness.length + wholeSecond, source: freshness.source)
}

/// A length of time for which an answer stays fresh, and where that was said.
struct Freshness: Hashable {
  var length: Interval
  var source: String
}

/// What the header of an answer says of freshness, uncut; nil if nothing.
func headerFreshness(of response: Response, receivedAt received: Instant) -> Freshness? {
  if let control = response.joined("Cache-Control").map(CacheControl.init) {
    if control.forbidsReuse { return nil }
    if control.namesMaxAge {
      guard let maxAge = control.maxAge else { return nil }
      let age = response["Age"].flatMap { wholeNumber($0) } ?? 0
      let source = "Cache-Control: max-age=\(maxAge)" + (age > 0 ? ", Age: \(age)" : "")
      return Freshness(length: .seconds(maxAge) - .seconds(age), source: source)
    }
  }
  guard let expires = response["Expires"].flatMap({ Instant(httpDate: $0, now: received) }) else {
    return nil
  }
  let sent = response["Date"].flatMap { Instant(httpDate: $0, now: received) } ?? received
  return Freshness(length: expires.since(sent), source: "Expires: \(expires.rfc3339)")
}

private func capped(_ freshness: Freshness, at cap: Interval) -> Freshness {
  guard freshness.length > cap else { return freshness }
  return Freshness(length: cap, source: freshness.source + ", cut to \(cap.text)")
}

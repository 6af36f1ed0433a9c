// Which validators are kept after an answer and sent with the next request.

/// The validators that go with the next request: none where they are due to be dropped once.
///
/// Some servers answer 304 to anything for ever; so that one is found out, validators are left out once when the last
/// full answer is 8 to 30 days old, a time that is fixed by machine and feed.
///
/// - Parameters:
///   - state: what is remembered of the feed.
///   - fingerprint: of the access now; where it differs from the stored one, the validators belong to other requests.
///   - feed: the feed's name, for the day on which it is due.
///   - machine: this machine's identity, likewise.
///   - now: the start of the run.
/// - Returns: the stored validators, or none.
public func validatorsToSend(
  _ state: FeedState, fingerprint: UInt64, feed: FeedName, machine: String, at now: Instant
) -> Validators {
  guard state.requestFingerprint == fingerprint, !state.validators.isEmpty else { return Validators() }
  var spread = Fingerprint()
  spread.add(machine)
  spread.add(feed.text)
  let longest = Interval.days(8 + Int64(spread.value % 22))
  // One from the future was stored under a clock that has been set back since: they might be kept for ever.
  guard let since = state.validators.since, now.since(since) < longest, since.since(now) < longest else {
    return Validators()
  }
  return state.validators
}

extension Validators {
  /// The validators after a full answer that could be read: exactly those it carries, byte for byte; `key` is
  /// what a chain's `validatorKey` gives.
  public init(from response: Response, at key: String, now: Instant) {
    self.init()
    address = key
    entityTag = usable(response["ETag"])
    lastModified = usable(response["Last-Modified"])
    since = now
  }

  /// The validators after a 304: each one it carries replaces the old one, the others stay (RFC 9111 section
  /// 3.2).
  public func refreshed(by response: Response) -> Validators {
    var copy = self
    if let tag = usable(response["ETag"]) { copy.entityTag = tag }
    if let date = usable(response["Last-Modified"]) { copy.lastModified = date }
    return copy
  }
}

/// A validator that can be sent back: not empty, no control characters, at most 4 KiB.
///
/// One that a server would refuse as a request's field would lock the feed out until it is dropped.
func usable(_ value: String?) -> String? {
  guard let value, !value.isEmpty, value.utf8.count <= 4096,
    value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F || $0 == "\t" })
  else { return nil }
  return value
}

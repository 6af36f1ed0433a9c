// The meaning of a response: a document, not modified, or a failure, the message for each failure, and learned addresses.

/// The meaning of a response.
public enum ResponseMeaning: Equatable, Sendable {
  case document
  /// Nothing changed since the validators (RFC 9110 section 15.4.5).
  case notModified
  case failed(FetchFailure)
}

/// The meaning of the final response of a chain.
///
/// - Parameters:
///   - response: the response.
///   - isConditional: whether validators were sent; a 304 to an unconditional request is a failure.
///   - now: the time that dates in a response without `Date` are compared with.
/// - Returns: the meaning.
public func meaning(of response: Response, isConditional: Bool, at now: Instant) -> ResponseMeaning {
  // A 429 is a rate limit, even if a challenge sends it.
  if response.status != 429, let challenger = challenger(of: response) {
    return .failed(.challenged(challenger))
  }
  switch response.status {
  case 200, 203: return .document
  case 304 where isConditional: return .notModified
  case 403 where isRateLimit(response, at: now), 429, 503:
    return .failed(
      .rateLimited(status: response.status, retryAfter: retryAfter(of: response, receivedAt: now)))
  default: return .failed(.status(response.status))
  }
}

/// The service that wants to check for a browser, by its own header field: Cloudflare, AWS WAF or DataDome.
func challenger(of response: Response) -> String? {
  if response["cf-mitigated"]?.lowercased() == "challenge" { return "Cloudflare" }
  if let action = response["x-amzn-waf-action"]?.lowercased(), action == "challenge" || action == "captcha" {
    return "AWS WAF"
  }
  if response["x-datadome"]?.lowercased() == "protected", response.status == 401 || response.status == 403 {
    return "DataDome"
  }
  return nil
}

/// The failure of a response whose body is not a feed: a check for browsers, a login page, or `failure` itself.
///
/// - Parameter linkedFeed: the address of a feed that the page links to, if it is a page.
public func failure(
  of response: Response, notAFeed failure: FeedReadingFailure, linkedFeed: String? = nil
) -> FetchFailure {
  guard failure == .html else { return .notAFeed(failure) }
  // Such pages are small, and the marks are near the beginning.
  let page = response.body.prefix(128 << 10).map(asciiLowercased)
  for (mark, who) in challengeMarks where page.firstRange(of: mark) != nil { return .challenged(who) }
  if let linkedFeed { return .notAFeed(.page(linkingTo: linkedFeed)) }
  return logInMarks.contains { page.firstRange(of: $0) != nil } ? .loginPage : .notAFeed(.html)
}

/// Lower-case text that only pages of checks for browsers contain.
private let challengeMarks: [([UInt8], String)] = [
  (Array("/.within.website/x/".utf8), "Anubis"), (Array("captcha-delivery.com/".utf8), "DataDome"),
  (Array("/cdn-cgi/challenge-platform/".utf8), "Cloudflare"),
  (Array("/_incapsula_resource".utf8), "Imperva"), (Array("px-captcha".utf8), "HUMAN"),
  (Array("/.well-known/sgcaptcha/".utf8), "SiteGround"), (Array(".awswaf.com/".utf8), "AWS WAF"),
]

private let logInMarks: [[UInt8]] = ["\"password\"", "'password'", "type=password"].map { Array($0.utf8) }

extension FetchFailure {
  /// The beginnings of the messages of failures that say more about this machine's network than about the feed.
  static let beginningsIfUnreached = [
    "cannot find the host ", "cannot reach ", "connecting took longer than ", "the proxy cannot be reached",
  ]

  /// The message, with a cure if there is one.
  ///
  /// The store, hooks and reports all use this text.
  public var text: String {
    switch self {
    case .unresolved(let host, _): "cannot find the host \(host); check the name and the DNS server"
    case .unreachable(let host, let detail): "cannot reach \(host): \(detail)"
    case .refused(let host): "\(host) refused the connection"
    case .connectTimeout(let limit): "connecting took longer than \(limit.text)"
    case .timeout(let limit): "the response took longer than \(limit.text); see network.timeout"
    case .stalled(let limit):
      "the response was slower than \(limit.below.text)/s for \(limit.for.text)"
    case .tls(let detail): "no secure connection: \(detail)"
    case .cut(let detail): detail
    case .tooLarge(let limit): "the feed is larger than \(limit.text)"
    case .headersTooLarge(let limit): "the response header is larger than \(limit.text)"
    case .proxy(let detail): "the proxy failed: \(detail); see network.proxy"
    case .proxyUnreachable(let detail): "the proxy cannot be reached: \(detail); see network.proxy"
    case .status(let status): "the server answered \(status)" + Self.meaning(of: status, for: "feed")
    case .rateLimited(let status, let after):
      "the server answered \(status)" + (after.map { "; it asks to wait \($0.text)" } ?? "")
    case .challenged(let who): "\(who) sent a browser check; ask the site to let feed readers through"
    case .tooManyRedirects(let count): "redirected more often than \(counted(count, "time"))"
    case .insecureRedirect(let target): "redirected from https to http at \(target); not followed"
    case .bodyRedirect(let target):
      "redirected to \(target), which would have sent the body there; if that is right, set url to that address"
    case .privateAddress(let address) where NetworkAddress(address)?.isPrivate == false:
      "led to this machine's own address \(address); see network.private-addresses"
    case .privateAddress(let address):
      "led to the private address \(address); see network.private-addresses"
    case .notAFeed(let why): Self.text(of: why)
    case .loginPage: "not a feed: a login page; see auth, or find another address of the feed"
    case .truncated: "the document ends in the middle"
    case .noSecret(let detail): "no secret: \(detail)"
    case .file(let detail), .command(let detail): detail
    case .offline: "offline"
    case .captivePortal(let host):
      "offline: \(host) answers instead of the feed's server; log in to the network with a browser"
    case .suspended: "suspended"
    case .badRedirect(let detail), .transferLibrary(let detail), .other(let detail): detail
    }
  }

  /// The meaning of a status for a feed or a file, as the end of a sentence.
  static func meaning(of status: Int, for what: String) -> String {
    switch status {
    case 401: "; credentials are missing or wrong, see auth"
    case 403: "; access to the \(what) is refused"
    case 404 where what == "feed": "; check the address or remove the feed"
    case 404: "; the server does not have the \(what)"
    case 407: "; the proxy requires credentials"
    case 410: "; it says that the \(what) is gone"
    case 451: "; the \(what) is unavailable for legal reasons"
    case 511: "; log in to the network with a browser"
    default: ""
    }
  }

  private static func text(of failure: FeedReadingFailure) -> String {
    switch failure {
    case .empty: "not a feed: the document is empty"
    case .html: "not a feed: an HTML page; look on it for the feed's address"
    case .page(let feed):
      "not a feed: an HTML page that links to the feed \(cleanText(feed, limit: 300)); set url to that address"
    case .other(let what), .unknown(let what): "not a feed: \(what)"
    case .unmapped(let what): what
    case .stopped: "reading was stopped"
    }
  }
}

/// A change of a feed's learned address, reported once.
public enum MoveChange: Equatable, Sendable {
  /// From now on this address is requested in place of the configured one.
  case learned(String)
  /// This address is forgotten, because it failed while the configured one works.
  case forgotten(String)
}

extension FeedSpec {
  /// The first address of the next fetch: a learned one unless its last fetch failed, else the configured one; nil if that
  /// is a secret.
  public func addressToAsk(_ state: FeedState) -> WebAddress? {
    state.learnedAddress ?? address
  }
}

extension FeedAccess {
  /// The first address of a fetch: a learned one unless its last fetch failed, else the configured one.
  public func addressToAsk(_ state: FeedState) -> WebAddress {
    state.learnedAddress.flatMap { canLearn($0) ? $0 : nil } ?? address
  }

  /// Whether an address may replace the configured one.
  ///
  /// It may not for a secret address, whose redirects may contain the secret and would be stored; not from https to http;
  /// and not at another origin for a feed with credentials. Any configured header, cookie and body counts as
  /// credentials.
  func canLearn(_ target: WebAddress) -> Bool {
    guard !isAddressSecret, target.text.utf8.count <= 2048, !hidden.isIn(target.text) else { return false }
    if address.scheme == "https", target.scheme == "http" { return false }
    let hasCredentials =
      credentials != nil || cookies != nil || !headers.isEmpty || body != nil || address.hasUser
    return !hasCredentials || target.hasOrigin(of: address)
  }
}

extension RequestRoute {
  /// Takes the address to which a document says that its feed has moved, like the target of a permanent redirect.
  ///
  /// No document leads from a public server into a private network, or back to an address of this fetch.
  public mutating func accept(newAddress: String?, _ access: FeedAccess) {
    guard isPermanent, let target = newAddress.flatMap(WebAddress.init), !target.hasUser,
      target.isPublicHost || !configured.isPublicHost, access.canLearn(target)
    else { return }
    let known = (addresses + [configured]).map(\.normalized)
    if !known.contains(target.normalized) { permanentTarget = target }
  }
}

extension FeedState {
  /// The learned address, unless its last fetch failed.
  fileprivate var learnedAddress: WebAddress? {
    learnedMove.flatMap { $0.isSuspect ? nil : WebAddress($0.address) }
  }

  /// Learns from the route of a successful fetch.
  ///
  /// A permanent redirect is learned after three fetches in a row over at least a day, so that a short mistake or a hijacked
  /// name is not. Another target, or none, starts again.
  mutating func follow(_ route: RequestRoute, at now: Instant) -> MoveChange? {
    var learned = learnedMove
    var change: MoveChange?
    if let move = learned {
      if route.addresses.contains(where: { $0.text == move.address }) {
        learned?.isSuspect = false
      } else {
        // The configured address works and no longer redirects there.
        learned = nil
        change = .forgotten(move.address)
      }
    }
    var seen: Move?
    if let target = route.permanentTarget?.text, target != learned?.address {
      if let move = learned, target == route.configured.text {
        // The feed moved back to the configured address.
        moves = []
        return .forgotten(move.address)
      }
      seen = sighting(of: target, at: now)
    }
    if let move = seen, move.isLearned {
      moves = [move]
      return .learned(move.address)
    }
    moves = [learned, seen].compactMap { $0 }
    return change
  }

  /// Records the route of a failed fetch: after a failure at the learned address the configured one is next, and vice versa.
  mutating func doubt(_ route: RequestRoute) {
    guard let index = moves.firstIndex(where: \.isLearned) else { return }
    moves[index].isSuspect = starts(route, at: moves[index])
  }

  /// Whether a fetch began at the learned address.
  func startsAtLearnedAddress(_ route: RequestRoute) -> Bool {
    learnedMove.map { starts(route, at: $0) } ?? false
  }

  private func starts(_ route: RequestRoute, at move: Move) -> Bool { route.start.text == move.address }

  private func sighting(of target: String, at now: Instant) -> Move {
    // A first sighting in the future was stored under another clock.
    guard var move = seenMove, move.address == target, move.firstSeen <= now else {
      return Move(address: target, firstSeen: now)
    }
    move.sightings = min(move.sightings, Int.max - 1) + 1
    move.isLearned = move.sightings >= 3 && now.since(move.firstSeen) >= .hours(24)
    return move
  }
}

// Words for why a fetch failed: the one place for them, as the store, hooks and reports all say the same.

extension FetchFailure {
  /// The failure in words: lower case, what is wrong and, where there is one, the cure.
  public var text: String {
    switch self {
    case .unresolved(let host, _): "cannot find the host \(host); check the name and the DNS server"
    case .unreachable(let host, let detail): "cannot reach \(host): \(detail)"
    case .refused(let host): "\(host) refused the connection"
    case .connectTimeout(let limit): "connecting took longer than \(limit.text); see network.connect-timeout"
    case .timeout(let limit): "the answer took longer than \(limit.text); see network.timeout"
    case .stalled(let limit):
      "the answer came slower than \(limit.below.text)/s for \(limit.for.text); see network.stall"
    case .tls(let detail): "no secure connection: \(detail)"
    case .cut(let detail): "the answer was cut short: \(detail)"
    case .tooLarge(let limit): "the feed is larger than \(limit.text); see network.max-feed-size"
    case .headersTooLarge(let limit): "the answer's header is larger than \(limit.text)"
    case .proxy(let detail): "the proxy failed: \(detail); see network.proxy"
    case .proxyUnreachable(let detail): "the proxy cannot be reached: \(detail); see network.proxy"
    case .status(let status): "the server answered \(status)" + Self.meaning(of: status)
    case .rateLimited(let status, let after):
      "the server answered \(status)" + (after.map { "; it asks to wait \($0.text)" } ?? "")
    case .challenged(let who): "\(who) wants to see a browser; ask the site to let feed readers through"
    case .tooManyRedirects(let count):
      "redirected in a circle, or more often than \(count) times; see network.max-redirects"
    case .badRedirect(let scheme):
      "redirected to something that is no http address"
        + (scheme.isEmpty ? "" : " but begins with \(scheme):")
    case .insecureRedirect(let target): "redirected from https to http at \(target); not followed"
    case .privateAddress(let address) where NetworkAddress(address)?.isPrivate == false:
      "led to this machine's own address \(address); see network.private-addresses"
    case .privateAddress(let address):
      "led to the private address \(address); see network.private-addresses"
    case .notAFeed(let why): Self.text(of: why)
    case .loginPage: "not a feed: a page to log in; see auth, or look for another address of the feed"
    case .truncated: "the document ends in the middle"
    case .noSecret(let detail): "no secret: \(detail)"
    case .file(let detail): detail
    case .offline: "offline"
    case .captivePortal(let host):
      "offline: \(host) answers in its place; log in to the network with a browser"
    case .suspended: "suspended"
    case .transferLibrary(let detail): "libcurl cannot be used: \(detail); install libcurl4"
    case .other(let detail): detail
    }
  }

  private static func meaning(of status: Int) -> String {
    switch status {
    case 401: "; it wants credentials, see auth"
    case 403: "; it refuses to give the feed"
    case 404: "; check the address or remove the feed"
    case 407: "; the proxy wants credentials"
    case 410: "; the feed is gone for good"
    case 511: "; the network wants a log-in with a browser"
    default: ""
    }
  }

  private static func text(of failure: FeedReadingFailure) -> String {
    switch failure {
    case .empty: "not a feed: the document is empty"
    case .html: "not a feed: an HTML page; look on it for the feed's address"
    case .other(let what): "not a feed: \(what)"
    case .unknown(let what): "not a feed: \(what)"
    case .unmapped(let what): what
    case .stopped: "reading was stopped"
    }
  }
}

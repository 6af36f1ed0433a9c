// Why a fetch failed, as facts. `FetchFailure.text` in Planning words them.

/// Why a fetch could not be done, with its facts.
public enum FetchFailure: Error, Hashable, Sendable {
  /// The host's name could not be resolved.
  case unresolved(host: String, detail: String)
  /// No route to the host, or the network is down.
  case unreachable(host: String, detail: String)
  /// The host refused the connection.
  case refused(host: String)
  /// Connecting took too long.
  case connectTimeout(Interval)
  /// The whole exchange took too long.
  case timeout(Interval)
  /// The body dripped.
  case stalled(StallLimit)
  /// TLS failed; the detail is libcurl's.
  case tls(String)
  /// The connection ended before the answer did.
  case cut(String)
  /// The body is larger than allowed, after decompression.
  case tooLarge(ByteCount)
  /// The header is larger than allowed.
  case headersTooLarge(ByteCount)
  /// The proxy failed.
  case proxy(String)
  /// The proxy was not found or not reached.
  case proxyUnreachable(String)
  /// An answer that is neither usable nor a rate limit.
  case status(Int)
  /// 429 or 503.
  case rateLimited(status: Int, retryAfter: Interval?)
  /// A page where the server checks for browsers stood in the way.
  case challenged(String)
  /// More redirects than allowed.
  case tooManyRedirects(Int)
  /// A redirect without a usable address.
  case badRedirect(String)
  /// A redirect from https to http.
  case insecureRedirect(String)
  /// The connection would have led to a private address.
  case privateAddress(String)
  /// The answer is no feed.
  case notAFeed(FeedReadingFailure)
  /// A page to log in stands where the feed should be.
  case loginPage
  /// The document ends in the middle.
  case truncated
  /// A secret could not be fetched.
  case noSecret(String)
  /// A file that cannot be read; the detail names it and says why.
  case file(String)
  /// The machine is offline.
  case offline
  /// The network that the machine is in answers in the feeds' place until somebody logs in (RFC 8952).
  case captivePortal(String)
  /// The budget ended or a signal came.
  case suspended
  /// libcurl could not be used; the detail says why.
  case transferLibrary(String)
  /// Anything else libcurl says.
  case other(String)

  /// Whether it says more about this machine's network than about the feed.
  public var isConnectivity: Bool {
    switch self {
    case .unresolved, .unreachable, .connectTimeout, .proxyUnreachable: true
    default: false
    }
  }
}

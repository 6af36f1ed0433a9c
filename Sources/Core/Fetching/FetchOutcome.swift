// How a fetch ended, as facts. `FetchFailure.text` words the failures; `fetchEvents` makes the events.

/// What one fetch came to, as far as events tell of it.
public struct FetchOutcome: Hashable, Sendable {
  /// The result.
  public var result: FetchResult
  /// Its reason, in words.
  public var reason: String
  /// What was found; empty after 304 and failures.
  public var classification: Classification
  /// Failures in a row, this one included.
  public var failures: Int
  /// What is now to be said about the feed's health, if anything.
  public var health: HealthChange?

  /// An outcome.
  public init(
    result: FetchResult, reason: String, classification: Classification = Classification(), failures: Int = 0,
    health: HealthChange? = nil
  ) {
    self.result = result
    self.reason = reason
    self.classification = classification
    self.failures = failures
    self.health = health
  }
}

/// A change in a feed's health that is told once.
public enum HealthChange: Hashable, Sendable {
  /// It failed several times in a row.
  case failing
  /// It succeeded again after `failing`.
  case recovered
  /// It is gone: 410 twice.
  case gone
}

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

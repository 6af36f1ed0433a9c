// How a fetch ended, as facts. `FetchFailure.text` words the failures; `fetchEvents` makes the events.

/// The result of a fetch, as far as events need it.
public struct FetchOutcome: Hashable, Sendable {
  public var result: FetchResult
  /// Its reason, in words.
  public var reason: String
  /// The items found; empty after 304 and failures.
  public var classification: Classification
  /// Failures in a row, this one included.
  public var failures: Int
  /// The change of the feed's health to report, if any.
  public var health: HealthChange?

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

/// A change of a feed's health that is reported once.
public enum HealthChange: Hashable, Sendable {
  /// It failed several times in a row.
  case failing
  /// It succeeded after `failing` was reported.
  case recovered
  /// The server sent 410 twice.
  case gone
}

/// Why a redirect cannot be followed.
public enum BadRedirect: Hashable, Sendable {
  case noLocation(status: Int)
  case emptyLocation(status: Int)
  /// Neither an address nor a reference to one.
  case unreadable
  /// An address with another scheme than http and https.
  case scheme(String)
  /// An address that was asked before with the same cookies; whether the response sets cookies.
  case circle(setsCookies: Bool)
}

/// Why a fetch failed.
public enum FetchFailure: Error, Hashable, Sendable {
  /// The host's name could not be resolved.
  case unresolved(host: String, detail: String)
  /// No route to the host, or the network is down.
  case unreachable(host: String, detail: String)
  /// The host refused the connection.
  case refused(host: String)
  case connectTimeout(Interval)
  /// The request took too long.
  case timeout(Interval)
  /// The body came too slowly.
  case stalled(StallLimit)
  /// TLS failed; the detail says how.
  case tls(String)
  /// The connection ended before the response did, or before it began; the detail says which.
  case cut(String)
  /// The body is larger than allowed, after decompression.
  case tooLarge(ByteCount)
  /// The header is larger than allowed.
  case headersTooLarge(ByteCount)
  case proxy(String)
  /// The proxy could not be resolved or reached.
  case proxyUnreachable(String)
  /// A status that is neither usable nor a rate limit.
  case status(Int)
  case rateLimited(status: Int, retryAfter: Interval?)
  /// The server sent a browser check.
  case challenged(String)
  /// More redirects than allowed.
  case tooManyRedirects(Int)
  /// A redirect that leads nowhere.
  case badRedirect(BadRedirect)
  /// A redirect from https to http.
  case insecureRedirect(String)
  /// A redirect that would have sent the body of a POST to another origin.
  case bodyRedirect(String)
  /// The connection would have led to a private address.
  case privateAddress(String)
  /// The response is not a feed.
  case notAFeed(FeedReadingFailure)
  /// The response is a log-in page.
  case loginPage
  /// The end of the document is missing.
  case truncated
  /// A secret could not be read.
  case noSecret(String)
  /// A file could not be read; the detail names it and says why.
  case file(String)
  /// A feed's command failed; the detail says how.
  case command(String)
  /// The machine is offline.
  case offline
  /// A captive portal answered (RFC 8952).
  case captivePortal(String)
  /// The budget ended or a signal came.
  case suspended
  /// libcurl could not be used; the detail says why.
  case transferLibrary(String)
  /// Any other failure; the detail says which.
  case other(String)

  /// Whether the failure says more about this machine's network than about the feed.
  public var isConnectivity: Bool {
    switch self {
    case .unresolved, .unreachable, .connectTimeout, .proxyUnreachable: true
    default: false
    }
  }
}

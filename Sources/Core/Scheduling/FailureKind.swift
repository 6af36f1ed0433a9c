// What a failure means for the next attempt.

/// What a failure means for when the feed is asked again.
public enum FailureKind: Hashable, Sendable {
  /// It is counted, and waits get longer with each in a row.
  case backoff(BackoffClass)
  /// The server said to come less often.
  case rateLimit
  /// It says nothing of the feed and is not counted.
  case uncounted
}

extension FetchFailure {
  /// What the failure means for when the feed is asked again.
  ///
  /// What a captive portal, a check for browsers or a server under repair does to every feed at once (a redirect
  /// somewhere else, a foreign certificate, HTML) is transient, so that one evening in a hotel does not cost
  /// hours the next day.
  public var kind: FailureKind {
    switch self {
    case .unresolved, .unreachable, .refused, .connectTimeout, .timeout, .stalled, .tls, .cut, .proxy,
      .proxyUnreachable, .challenged, .loginPage, .tooManyRedirects, .badRedirect, .insecureRedirect,
      .privateAddress, .notAFeed, .truncated, .noSecret, .transferLibrary, .file, .other:
      .backoff(.transient)
    case .tooLarge, .headersTooLarge:
      // The next attempt costs the server as much and ends the same way.
      .backoff(.refused)
    case .status(let status): Self.kind(of: status)
    case .rateLimited(status: 429, _), .rateLimited(_, .some): .rateLimit
    case .rateLimited(_, nil): .backoff(.transient)
    case .offline, .captivePortal, .suspended: .uncounted
    }
  }

  /// The kind of a status: 4xx is refused, but for those that the server itself expects to pass.
  private static func kind(of status: Int) -> FailureKind {
    switch status {
    case 410: .backoff(.gone)
    case 429: .rateLimit
    // Request Timeout, Misdirected Request, Too Early: RFC 9110 section 15.5, RFC 8470. 407 is the proxy's.
    case 407, 408, 421, 425: .backoff(.transient)
    case 400..<500: .backoff(.refused)
    default: .backoff(.transient)
    }
  }
}

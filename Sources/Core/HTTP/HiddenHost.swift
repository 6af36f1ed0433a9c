// A failure's words where the feed's address is a secret, of which the host is a part.

extension FetchFailure {
  /// The failure in words without the host that was asked or the one that it led to, or anything else of where a
  /// redirect leads: that may hold the secret, too.
  public func text(hiding host: String) -> String {
    if case .badRedirect = self { return FetchFailure.badRedirect("").text }
    return HiddenWords([host, namedHost ?? ""]).masked(text)
  }

  private var namedHost: String? {
    switch self {
    case .unresolved(let host, _), .unreachable(let host, _), .refused(let host), .insecureRedirect(let host),
      .privateAddress(let host):
      host
    default: nil
    }
  }
}

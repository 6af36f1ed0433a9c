// Where a feed is, as far as its configuration tells without fetching a secret.

extension FeedSpec {
  /// The feed's address; nil where it is a secret, which only its fetch comes to know.
  public var address: WebAddress? {
    if case .plain(let text) = url { WebAddress(text) } else { nil }
  }

  /// The file that the feed is, if it is one of this machine.
  public var file: FileAddress? {
    if case .plain(let text) = url { FileAddress(text) } else { nil }
  }

  /// The host in lower case, if the address is known.
  public var host: String? { address?.host }
}

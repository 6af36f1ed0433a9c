// The way that the requests of one fetch took, from the first address to the one that answered.

/// The way that the requests of one fetch took.
public struct RequestRoute: Hashable, Sendable {
  /// The address in the configuration.
  public var configured: WebAddress
  /// The address that was asked first: the configured one, or a learned one.
  public var start: WebAddress
  /// Every address asked.
  public var addresses: Set<WebAddress>
  /// The last address asked.
  public var end: WebAddress
  /// Where the redirects for good (301, 308) at the beginning lead that may be learned; nil if there are none.
  ///
  /// What comes after the first redirect of another kind (302, 303, 307) is no part of it.
  public var permanentTarget: WebAddress?
  /// Whether all redirects were for good; true where there were none.
  public var isPermanent = true

  /// A route that has not left its first address.
  public init(configured: WebAddress, start: WebAddress) {
    self.configured = configured
    self.start = start
    end = start
    addresses = [start]
  }

  /// The host that answered in the place of another, as a network that wants a log-in makes it; nil if none did.
  ///
  /// Such a network can send only http elsewhere, and means it for now.
  public var standIn: String? {
    start.scheme == "http" && end.host != start.host && !isPermanent ? end.host : nil
  }

  /// Goes on to the target of a redirect.
  mutating func follow(to target: WebAddress, status: Int, mayLearn: Bool) {
    end = target
    addresses.insert(target)
    guard isPermanent, status == 301 || status == 308 else {
      isPermanent = false
      return
    }
    permanentTarget = mayLearn ? target : nil
  }
}

// How one feed is asked, with its secrets resolved. Resolving them is Host's business.

/// Where a feed is and who asks, with every secret resolved for one fetch.
public struct FeedAccess: Hashable, Sendable {
  /// The feed's address.
  public var address: WebAddress
  /// The configured header fields, in order.
  public var headers: [HeaderField]
  /// The names of those that are secrets, in lower case.
  public var secretFields: Set<String> = []
  /// Credentials, if any are configured.
  public var credentials: Credentials?
  /// The configured `User-Agent`; nil is the program's own, a new version of which makes no other request.
  public var userAgent: String?
  /// What its answers are.
  public var kind: FeedKind = .feed
  /// Whether the address is a secret, which is kept nowhere and shown nowhere.
  public var isAddressSecret = false
  /// Whether the feed is a file of this machine: the address is only that of one of its files, and no host is the feed's.
  public var isOfFile = false

  /// Credentials in the form in which they are sent.
  public enum Credentials: Hashable, Sendable {
    /// HTTP Basic (RFC 7617).
    case basic(username: String, password: String)
    /// A bearer token (RFC 6750).
    case bearer(String)
    /// Whatever `~/.netrc` holds.
    case netrc
  }

  /// Access to an address.
  public init(address: WebAddress, headers: [HeaderField] = [], credentials: Credentials? = nil) {
    self.address = address
    self.headers = headers
    self.credentials = credentials
  }

  /// Access to a file on the web that a feed of this machine names; nothing of the feed is told to its server.
  public static func fromFile(to address: WebAddress, _ network: NetworkSettings) -> FeedAccess {
    var access = FeedAccess(address: address)
    access.userAgent = network.userAgent
    access.isOfFile = true
    return access
  }

  /// The access of another feed that sends the same request: it may write the address in another way, and read the
  /// answer in another.
  public func lent(to feed: FeedSpec) -> FeedAccess {
    var access = self
    access.address = feed.address ?? address
    access.kind = feed.kind
    return access
  }

  /// What validators remember of the address they came from: the address, or a fingerprint of one that holds a secret.
  public func validatorKey(of address: WebAddress) -> String {
    guard isAddressSecret || hidden.isIn(address.text) else { return address.text }
    var fingerprint = Fingerprint()
    fingerprint.add(address.text)
    return "#" + String(fingerprint.value, radix: 16)
  }

  /// A fingerprint of all that an answer's validators depend on; where it changes, they are dropped.
  ///
  /// Kind and mapping are part of it: an answer that was read by another one has to come again to be read anew.
  public var fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.add(address.text)
    fingerprint.add(kind)
    for header in headers {
      fingerprint.add(header.name.lowercased())
      fingerprint.add(header.value)
    }
    switch credentials {
    case .basic(let username, let password):
      fingerprint.add("basic")
      fingerprint.add(username)
      fingerprint.add(password)
    case .bearer(let token):
      fingerprint.add("bearer")
      fingerprint.add(token)
    case .netrc: fingerprint.add("netrc")
    case nil: fingerprint.add(nil)
    }
    // A server may answer by it, as by any other field (RFC 9110 section 12.5.5).
    if let userAgent {
      fingerprint.add("user-agent")
      fingerprint.add(userAgent)
    }
    return fingerprint.value
  }
}

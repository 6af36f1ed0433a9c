// Access to a feed with its secrets resolved. The program resolves them.

/// A feed's address, headers and credentials with all secrets resolved, for one fetch.
public struct FeedAccess: Sendable {
  public var address: WebAddress
  public var headers: [HeaderField]
  /// The lower-case names of the secret headers.
  public var secretFields: Set<String> = []
  public var credentials: Credentials?
  /// The cookies of a browser for the feed's host.
  public var cookies: CookieJar?
  /// The body of a POST; nil for a GET.
  public var body: SentBody?
  /// The configured `User-Agent`, or nil for the program's own, which is not part of the fingerprint.
  public var userAgent: String?
  public var kind: FeedKind = .feed
  /// The command that filters the response; empty means none.
  public var command: [String] = []
  /// Whether the address is a secret; messages then show only its host, and the store keeps nothing else of it.
  public var isAddressSecret = false
  /// Whether the document comes from this machine and the address names an asset.
  var isOfLocalFeed = false

  public enum Credentials: Equatable, Sendable {
    case basic(username: String, password: String)
    /// Name and password that answer a challenge of HTTP Digest and are never sent as HTTP Basic.
    case digest(username: String, password: String)
    case bearer(String)
    /// The certificate to identify with if the server asks for one (RFC 8446 section 4.4.2).
    case certificate(ClientCertificate)
    /// The credentials in `~/.netrc`.
    case netrc
  }

  /// Sets a name and password, for the scheme to try first.
  ///
  /// Over http, everybody on the way could read a password that HTTP Basic sends, so it is sent only if the server asks for
  /// it. Over https it is sent at once: some servers answer without a challenge what everybody may see.
  public mutating func setPassword(_ password: String, of username: String) {
    credentials =
      address.scheme == "https"
      ? .basic(username: username, password: password) : .digest(username: username, password: password)
  }

  /// Takes the other scheme of HTTP authentication if the challenge of a response does not have the one that was tried;
  /// returns whether it did.
  ///
  /// A server that refuses without any challenge gets HTTP Basic.
  mutating func takeOtherScheme(after response: Response) -> Bool {
    guard response.status == 401 else { return false }
    let schemes = response.challengedSchemes
    switch credentials {
    case .basic(let username, let password) where schemes.contains("digest") && !schemes.contains("basic"):
      credentials = .digest(username: username, password: password)
    case .digest(let username, let password) where !schemes.contains("digest"):
      credentials = .basic(username: username, password: password)
    default: return false
    }
    return true
  }

  public init(address: WebAddress, headers: [HeaderField] = [], credentials: Credentials? = nil) {
    (self.address, self.headers, self.credentials) = (address, headers, credentials)
  }

  /// Access to an asset on the web of a feed whose document comes from this machine; no secrets are sent.
  public static func fromLocalFeed(to address: WebAddress, _ network: NetworkSettings) -> FeedAccess {
    var access = FeedAccess(address: address)
    access.userAgent = network.userAgent
    access.isOfLocalFeed = true
    return access
  }

  /// The access of another feed with the same request, which may spell the address and read the response differently.
  public func shared(with feed: FeedSpec) -> FeedAccess {
    var access = self
    access.address = feed.address ?? address
    access.kind = feed.kind
    access.command = feed.command
    return access
  }

  /// The key of validators from an address: the address, or a fingerprint if it contains a secret.
  public func validatorKey(of address: WebAddress) -> String {
    guard isAddressSecret || hidden.isIn(address.text) else { return address.text }
    return "#" + String(Fingerprint(of: address.text).value, radix: 16)
  }

  /// A fingerprint of everything that validators depend on; when it changes, they are dropped.
  ///
  /// It includes kind, mapping and command, because a new one needs the whole document again.
  public var fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.add(address.text)
    fingerprint.add(kind)
    fingerprint.add(command: command)
    for header in headers {
      fingerprint.add(header.name.lowercased())
      fingerprint.add(header.value)
    }
    let parts: [String?] =
      switch credentials {
      case .basic(let username, let password): ["basic", username, password]
      case .digest(let username, let password): ["digest", username, password]
      case .bearer(let token): ["bearer", token]
      case .certificate(let certificate): ["certificate", certificate.file, certificate.key]
      case .netrc: ["netrc"]
      case nil: [nil]
      }
    for part in parts { fingerprint.add(part) }
    for value in cookies?.values ?? [] { fingerprint.add(value) }
    // The response may depend on it, as on any other field (RFC 9110 section 12.5.5).
    if let userAgent {
      fingerprint.add("user-agent")
      fingerprint.add(userAgent)
    }
    if let body {
      fingerprint.add("post " + body.mediaType)
      fingerprint.add(body.text)
    }
    return fingerprint.value
  }
}

extension FeedSpec {
  /// Whether the feed can use the response to another feed's request.
  var sharesRequests: Bool { kind != .asset && !isLocal }

  /// Whether another feed sends the same request, apart from validators and a learned address.
  public func hasSameRequest(as other: FeedSpec) -> Bool {
    RequestSource(self, FeedState()) == RequestSource(other, FeedState())
  }
}

extension FeedKind {
  /// The `Accept` field (RFC 9110 section 12.5.1).
  ///
  /// Its last entry is for servers that do not know a better type.
  var accept: String {
    switch self {
    case .feed:
      "application/rss+xml, application/atom+xml, application/feed+json, application/rdf+xml;q=0.9, "
        + "application/xml;q=0.8, text/xml;q=0.8, application/json;q=0.7, */*;q=0.5"
    case .json: "application/json, */*;q=0.5"
    case .html: "text/html, application/xhtml+xml;q=0.9, */*;q=0.5"
    case .asset: "*/*"
    }
  }
}

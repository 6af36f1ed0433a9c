// Addresses of feeds: http and https addresses, and files of this machine.

/// An absolute `http` or `https` address, as written except for its fragment.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
  /// One object, because a fetch copies its addresses many times.
  private let parts: Parts

  private final class Parts: Sendable {
    let text: String
    let scheme: String
    let host: String
    let port: Int
    /// The place of the user, with the `@` after it, in the bytes of the text.
    let user: Range<Int>
    /// The end of the port in the bytes of the text.
    let authorityEnd: Int
    let hasQuery: Bool

    init(
      _ text: String, scheme: String, host: String, port: Int, user: Range<Int>, authorityEnd: Int,
      hasQuery: Bool
    ) {
      (self.text, self.scheme, self.host, self.port) = (text, scheme, host, port)
      (self.user, self.authorityEnd, self.hasQuery) = (user, authorityEnd, hasQuery)
    }
  }

  public var text: String { parts.text }
  public var scheme: String { parts.scheme }
  /// The host in lower case, without the brackets of an IPv6 address; never empty.
  public var host: String { parts.host }
  var port: Int { parts.port }

  public static func == (left: WebAddress, right: WebAddress) -> Bool {
    left.parts === right.parts || left.text == right.text
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// Nil for another scheme, no host, a port out of range, white space and control characters.
  public init?(_ text: String) {
    // Reads the bytes in place: a run reads the address of each feed several times.
    var utf8 = text
    guard let address = utf8.withUTF8({ WebAddress($0, of: text) }) else { return nil }
    self = address
  }

  private init?(_ bytes: UnsafeBufferPointer<UInt8>, of text: String) {
    func string(_ part: URIReference.Parts.Bytes) -> String { String(decoding: part, as: UTF8.self) }
    let parts = URIReference.Parts(bytes)
    guard let scheme = parts.scheme.map({ string($0).lowercased() }), scheme == "http" || scheme == "https",
      let authority = parts.authority,
      bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else { return nil }
    let hostAndPort =
      authority.lastIndex(of: "@").map { authority[($0 + 1)...] } ?? authority
    var host = hostAndPort
    var digits = hostAndPort.suffix(0)
    if hostAndPort.first == "[" {
      guard let end = hostAndPort.firstIndex(of: "]") else { return nil }
      host = hostAndPort[..<end].dropFirst()
      guard NetworkAddress(string(host)) != nil else { return nil }
      let rest = hostAndPort[(end + 1)...]
      guard rest.isEmpty || rest.first == ":" else { return nil }
      digits = rest.dropFirst()
    } else if let colon = hostAndPort.lastIndex(of: ":") {
      host = hostAndPort[..<colon]
      digits = hostAndPort[(colon + 1)...]
    }
    guard !host.isEmpty, !host.contains(where: Self.endsHost) else { return nil }
    var port = Self.port(of: scheme)
    if !digits.isEmpty {
      guard digits.allSatisfy(\.isASCIIDigit), let number = Int(string(digits)),
        (1...65_535).contains(number)
      else { return nil }
      port = number
    }
    self.parts = Parts(
      parts.fragment.map { string(bytes[..<($0.startIndex - 1)]) } ?? text, scheme: scheme,
      host: string(host).lowercased(), port: port, user: authority.startIndex..<hostAndPort.startIndex,
      authorityEnd: authority.endIndex, hasQuery: parts.query != nil)
  }

  /// The port of an address that names none.
  private static func port(of scheme: String) -> Int { scheme == "https" ? 443 : 80 }

  private static func endsHost(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "/", "?", "#", "@", "[", "]", "\\": true
    default: false
    }
  }

  public var description: String { text }

  /// Scheme, host and port (RFC 6454 section 4).
  ///
  /// Credentials and validators never go to another origin.
  var origin: String {
    "\(scheme)://\(hostInAddress):\(port)"
  }

  /// Whether both addresses have the same origin.
  func hasOrigin(of other: WebAddress) -> Bool {
    port == other.port && host == other.host && scheme == other.scheme
  }

  /// The host without `www.`.
  var site: Substring { host.hasPrefix("www.") ? host.dropFirst(4) : host[...] }

  /// The host as an address has it, with the brackets of an IPv6 address.
  private var hostInAddress: String { host.utf8.contains(":") ? "[\(host)]" : host }

  /// The address if the host is one.
  var literalAddress: NetworkAddress? { NetworkAddress.ofHost(host) }

  /// Whether the address contains a user name or password.
  public var hasUser: Bool { !parts.user.isEmpty }

  /// The user name and password, with the `@` after them; empty if there are none.
  private var user: Substring {
    Substring(text.utf8.prefix(parts.user.upperBound).dropFirst(parts.user.lowerBound))
  }

  /// Whether it has a user or a query, which may be secret; most addresses have neither.
  var mayHaveSecrets: Bool { hasUser || parts.hasQuery }

  /// The address with the user part and the values of the query masked, because they may be secret.
  public var masked: String { mayHaveSecrets ? URIReference(text).masked.text : text }

  /// The target of a reference in a document at this address, or nil if it is not an http or https address.
  public func resolving(_ reference: String) -> WebAddress? {
    WebAddress(URIReference(reference).resolved(against: URIReference(text)).text)
  }
}

extension WebAddress {
  /// The normal spelling of the address (RFC 3986 sections 6.2.2.1 and 6.2.3).
  ///
  /// Scheme and host are in lower case, the default port is omitted, an empty path is `/`, and there is no fragment.
  /// Differences that only a server could ignore, such as the order of a query, remain.
  public var normalized: String {
    var normal = scheme + "://"
    normal += user
    normal += hostInAddress
    if port != Self.port(of: scheme) { normal += ":\(port)" }
    let rest = text.utf8.dropFirst(parts.authorityEnd)
    if rest.first != "/" { normal += "/" }
    normal += Substring(rest)
    return normal
  }
}

extension WebAddress {
  /// Whether the host seems to be on the public Internet: not a private address, a name without a dot, or a name reserved
  /// for private use (RFC 6761, RFC 6762, RFC 8375).
  public var isPublicHost: Bool {
    if let address = NetworkAddress(host) { return !address.isPrivate }
    guard host.utf8.contains(".") else { return false }
    let reserved = [".localhost", ".local", ".internal", ".lan", ".home.arpa", ".intranet", ".home", ".corp"]
    return !reserved.contains { host.hasSuffix($0) }
  }
}

/// A file of this machine as an address, such as `file:///srv/feeds/planet.xml` (RFC 8089).
public struct FileAddress: Hashable, Sendable, CustomStringConvertible {
  public let path: String

  public init(path: String) {
    self.path = path
  }

  /// Nil if the text is not a `file:` address, names another host, or has no absolute path.
  ///
  /// `file:/path`, `file:///path` and `file://localhost/path` are equal (RFC 8089 section 2 and appendix B).
  public init?(_ text: String) {
    guard Self.isWritten(text) else { return nil }
    let reference = URIReference(text)
    guard ["", "localhost"].contains(reference.authority?.lowercased() ?? ""), reference.query == nil,
      reference.fragment == nil, let path = Self.decoded(reference.path), path.hasPrefix("/")
    else { return nil }
    self.path = path
  }

  /// Whether a text has the scheme `file`.
  public static func isWritten(_ text: String) -> Bool {
    text.utf8.prefix(5).elementsEqual("file:".utf8) { asciiLowercased($0) == $1 }
  }

  /// The address, with all but unreserved characters and slashes percent-encoded.
  public var text: String {
    "file://" + percentEncoded(path) { $0.isUnreserved || $0 == "/" }
  }

  public var description: String { text }

  /// Text without its percent-encoding; nil if the encoding is broken or contains NUL.
  public static func decoded(_ text: String) -> String? {
    let escapes = text.utf8.split(separator: "%", omittingEmptySubsequences: false).dropFirst()
    guard escapes.allSatisfy({ $0.count >= 2 && $0.prefix(2).allSatisfy { $0.hexDigitValue != nil } }),
      case let bytes = percentDecodedBytes(text.utf8), !bytes.contains(0)
    else { return nil }
    // A path that is not UTF-8 cannot be opened by its decoded text.
    return String(validating: bytes, as: UTF8.self)
  }
}

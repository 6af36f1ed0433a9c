// Addresses of feeds: http and https addresses, and files of this machine.

/// An absolute `http` or `https` address, as written except for its fragment.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
  public let text: String
  public let scheme: String
  /// The host in lower case, without the brackets of an IPv6 address; never empty.
  public let host: String
  public let port: Int

  /// Nil for another scheme, no host, a port out of range, white space and control characters.
  public init?(_ text: String) {
    let reference = URIReference(text)
    guard let scheme = reference.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let authority = reference.authority,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else { return nil }
    let hostAndPort =
      authority.utf8.lastIndex(of: UInt8(ascii: "@")).map { authority[authority.utf8.index(after: $0)...] }
      ?? authority[...]
    var host = hostAndPort
    var port = scheme == "https" ? 443 : 80
    if hostAndPort.utf8.first == UInt8(ascii: "[") {
      guard let end = hostAndPort.firstIndex(of: "]") else { return nil }
      host = hostAndPort[hostAndPort.index(after: hostAndPort.startIndex)..<end]
      guard NetworkAddress(String(host)) != nil else { return nil }
      let rest = hostAndPort[hostAndPort.index(after: end)...]
      if !rest.isEmpty {
        guard rest.first == ":" else { return nil }
        if rest.count > 1 {
          guard let number = Int(rest.dropFirst()), (1...65_535).contains(number) else { return nil }
          port = number
        }
      }
    } else if let colon = hostAndPort.utf8.lastIndex(of: UInt8(ascii: ":")) {
      host = hostAndPort[..<colon]
      let digits = hostAndPort[hostAndPort.index(after: colon)...]
      if !digits.isEmpty {
        guard digits.utf8.allSatisfy(\.isASCIIDigit), let number = Int(digits),
          (1...65_535).contains(number)
        else { return nil }
        port = number
      }
    }
    guard !host.isEmpty, !host.utf8.contains(where: Self.endsHost) else { return nil }
    self.text = reference.fragment == nil ? text : reference.withoutFragment.text
    self.scheme = scheme
    self.host = host.lowercased()
    self.port = port
  }

  private static func endsHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "["),
      UInt8(ascii: "]"), UInt8(ascii: "\\"):
      true
    default: false
    }
  }

  public var description: String { text }

  /// Scheme, host and port (RFC 6454 section 4).
  ///
  /// Credentials and validators never go to another origin.
  public var origin: String {
    (host.contains(":") ? "\(scheme)://[\(host)]" : "\(scheme)://\(host)") + ":\(port)"
  }

  /// The address if the host is one, or `127.0.0.1` for `localhost` (RFC 6761 section 6.3); nil for other names.
  public var literalAddress: NetworkAddress? {
    if let address = NetworkAddress(host) { return address }
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    return name == "localhost" || name.hasSuffix(".localhost") ? NetworkAddress.localhost.first : nil
  }

  /// Whether the address contains a user name or password.
  public var hasUser: Bool { URIReference(text).authority?.utf8.contains(UInt8(ascii: "@")) ?? false }

  /// The address with the user part and the values of the query masked, because they may be secret.
  public var masked: String { URIReference(text).masked.text }

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
    var reference = URIReference(text)
    reference.scheme = scheme
    let user =
      reference.authority.flatMap { part in part.lastIndex(of: "@").map { String(part[...$0]) } } ?? ""
    let literal = host.contains(":") ? "[\(host)]" : host
    reference.authority = user + literal + (port == (scheme == "https" ? 443 : 80) ? "" : ":\(port)")
    if reference.path.isEmpty { reference.path = "/" }
    return reference.text
  }
}

extension WebAddress {
  /// Whether the host seems to be on the public Internet: not a private address, a name without a dot, or a name reserved
  /// for private use (RFC 6761, RFC 6762, RFC 8375).
  public var isPublicHost: Bool {
    if let address = NetworkAddress(host) { return !address.isPrivate }
    guard host.utf8.contains(UInt8(ascii: ".")) else { return false }
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
    guard text.utf8.count > 5, text.prefix(5).lowercased() == "file:" else { return nil }
    let reference = URIReference(text)
    guard ["", "localhost"].contains(reference.authority?.lowercased() ?? ""), reference.query == nil,
      reference.fragment == nil, let path = Self.decoded(reference.path), path.hasPrefix("/")
    else { return nil }
    self.path = path
  }

  /// The address, with all but unreserved characters and slashes percent-encoded.
  public var text: String {
    "file://" + percentEncoded(path) { $0.isUnreserved || $0 == "/" }
  }

  public var description: String { text }

  /// Text without its percent-encoding; nil if the encoding is broken or contains NUL.
  public static func decoded(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue,
        high | low != 0
      else { return nil }
      bytes.append(high << 4 | low)
    }
    // A path that is not UTF-8 cannot be opened by its decoded text.
    return String(validating: bytes, as: UTF8.self)
  }
}

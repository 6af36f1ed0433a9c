// An absolute http or https address, kept as written, and its parts as far as requests need them.

/// An absolute `http` or `https` address, kept as written but for its fragment.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address without a fragment.
  public let text: String
  /// `http` or `https`.
  public let scheme: String
  /// The host in lower case, an IPv6 address without its brackets; never empty.
  public let host: String
  /// The port, the scheme's own if none is written.
  public let port: Int

  /// The address, or nil if the text is none: another scheme, no host, a port out of range, white space or
  /// control characters.
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
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
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

  /// The address as written, without a fragment.
  public var description: String { text }

  /// Scheme, host and port: what credentials, cookies and validators must not leave (RFC 6454 section 4).
  public var origin: String {
    (host.contains(":") ? "\(scheme)://[\(host)]" : "\(scheme)://\(host)") + ":\(port)"
  }

  /// The address that the host spells out, `127.0.0.1` for `localhost` (RFC 6761 section 6.3); nil for other names.
  public var literalAddress: NetworkAddress? {
    if let address = NetworkAddress(host) { return address }
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    return name == "localhost" || name.hasSuffix(".localhost") ? NetworkAddress.localhost.first : nil
  }

  /// Whether the address holds a user name or a password.
  public var hasUser: Bool { URIReference(text).authority?.utf8.contains(UInt8(ascii: "@")) ?? false }

  /// The address with what may be secret in it masked: the user part and the values of the query.
  public var masked: String { URIReference(text).masked.text }

  /// Where a reference found at this address leads, or nil if that is no http or https address.
  public func resolving(_ reference: String) -> WebAddress? {
    WebAddress(URIReference(reference).resolved(against: URIReference(text)).text)
  }
}

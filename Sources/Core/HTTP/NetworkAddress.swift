// IPv4 and IPv6 addresses as numbers, blocks of them, and the addresses of proxies.

private import Glibc

/// An IPv4 or IPv6 address; an IPv4-mapped or NAT64 address becomes its IPv4 address.
public struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  let bytes: [UInt8]

  /// Parses dotted decimal and the text forms of RFC 4291 section 2.2; nil for host names.
  public init?(_ text: String) {
    // The zone of an address has no meaning for others (RFC 4007 section 11).
    guard let bytes = Self.bytes(text) ?? text.utf8.firstIndex(of: "%").flatMap({ Self.bytes(text[..<$0]) })
    else { return nil }
    self.bytes = bytes
  }

  private static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { bytes in
      text.withCString { text in
        if inet_pton(AF_INET, text, bytes.baseAddress) == 1 { return Array(bytes[..<4]) }
        return inet_pton(AF_INET6, text, bytes.baseAddress) == 1 ? unmapped(Array(bytes)) : nil
      }
    }
  }

  /// The address of a host written as a number in any form that the C library reads (inet_aton(3): `127.1`, `0x7f000001`), or
  /// `127.0.0.1` for `localhost` (RFC 6761 section 6.3); nil for other names.
  public static func ofHost(_ host: String) -> NetworkAddress? {
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    if let address = NetworkAddress(name) { return address }
    if name == "localhost" || name.hasSuffix(".localhost") { return localhost.first }
    var number = in_addr()
    guard inet_aton(name, &number) != 0 else { return nil }
    return NetworkAddress(bytes: withUnsafeBytes(of: number.s_addr) { Array($0) })
  }

  /// Whether it is this machine's own address in every network.
  var isLoopback: Bool { Self.loopbackBlocks.contains { $0.contains(self) } }

  private static let loopbackBlocks = ["127.0.0.0/8", "::1"].compactMap(AddressBlock.init)

  /// Takes 4 or 16 bytes in network order; nil for another number of bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes.count == 16 ? Self.unmapped(bytes) : bytes
  }

  /// Text that `init(_:)` reads; an IPv6 address has all eight groups.
  public var description: String {
    guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
    return stride(from: 0, to: 16, by: 2).map { index in
      String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
    }.joined(separator: ":")
  }

  /// The addresses of `localhost`: `127.0.0.1` and `::1`.
  static let localhost = ["127.0.0.1", "::1"].compactMap(NetworkAddress.init)

  /// Whether the address is not on the public Internet: private, loopback, link-local, shared, unspecified, documentation,
  /// benchmarking, multicast, reserved or unique-local (the special-purpose registries of RFC 6890).
  ///
  /// Public IPv6 addresses are only in 2000::/3, so all others count as private, including unused ones.
  public var isPrivate: Bool { Self.privateBlocks.contains { $0.contains(self) } }

  private static let privateBlocks: [AddressBlock] = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4",
    "::/3", "4000::/2", "8000::/1",
    // Within 2000::/3: Teredo, benchmarking and similar, documentation, and 6to4, which carries any IPv4 address (RFC 7526).
    "2001::/23", "2001:db8::/32", "3fff::/20", "2002::/16",
  ].compactMap(AddressBlock.init)

  private static func unmapped(_ bytes: [UInt8]) -> [UInt8] {
    let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    let isNAT64 = bytes[..<12] == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
    return isMapped || isNAT64 ? Array(bytes[12...]) : bytes
  }
}

/// A block of addresses in CIDR notation (RFC 4632): an address and the number of its leading bits that must match.
public struct AddressBlock: Hashable, Sendable {
  let address: NetworkAddress
  let prefixLength: Int

  /// Parses `10.0.0.0/8`, `fd00::/8`, or a single address.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = NetworkAddress(String(first)) else { return nil }
    let bits = address.bytes.count * 8
    let length = parts.count == 2 ? Int(parts[1]) : bits
    guard let length, (0...bits).contains(length) else { return nil }
    (self.address, self.prefixLength) = (address, length)
  }

  init(_ address: NetworkAddress) {
    self.address = address
    prefixLength = address.bytes.count * 8
  }

  public func contains(_ other: NetworkAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    let whole = prefixLength / 8
    guard other.bytes[..<whole] == address.bytes[..<whole] else { return false }
    let rest = prefixLength % 8
    return rest == 0 || (other.bytes[whole] ^ address.bytes[whole]) >> (8 - rest) == 0
  }
}

/// The address of a proxy in libcurl's form: `[scheme://][user[:password]@]host[:port]`.
public struct ProxyAddress: Equatable, Sendable {
  public let text: String
  /// Its user name and password, as written and decoded.
  public let hidden: HiddenWords

  /// The environment variables with such addresses, those of other programs included.
  public static let variables: Set = [
    "http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
    "FTP_PROXY",
  ]

  private static let schemes = ["http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h"]

  /// - Throws: that a text is no such address, as the rest of a sentence about a key or variable.
  public init(_ text: String) throws(TextProblem) {
    self.text = text
    let mistake = TextProblem(
      what: "is not the address of a proxy", cure: "write http://HOST:PORT, and %40 for an @ in a password")
    // A password may contain anything, also an address.
    let at = text.utf8.lastIndex(of: "@")
    var rest = text.utf8[...]
    if let colon = rest.firstIndex(of: ":"), colon < at ?? rest.endIndex {
      let scheme = String(decoding: rest[..<colon], as: UTF8.self).lowercased()
      let after = rest[rest.index(after: colon)...]
      let (isKnown, hasMark) = (Self.schemes.contains(scheme), after.starts(with: "//".utf8))
      // Without the mark, the word may be a host before its port, or a user.
      guard isKnown == hasMark || !hasMark && after.first?.isASCIIDigit ?? false else { throw mistake }
      if hasMark { rest = after.dropFirst(2) }
    }
    var words: [String] = []
    if let at {
      let user = rest[..<at]
      guard user.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"/?#\\@".utf8.contains($0) }) else { throw mistake }
      let parts = user.split(separator: ":", maxSplits: 1) + [user]
      words = parts.map { String(decoding: $0, as: UTF8.self) }
      rest = rest[rest.index(after: at)...]
    }
    hidden = HiddenWords((words + words.map(percentDecoded)).filter { $0.utf8.count >= 4 })
    guard WebAddress("http://" + String(decoding: rest, as: UTF8.self)) != nil else { throw mistake }
  }
}

// IPv4 and IPv6 addresses as numbers, blocks of them, NAT64 prefixes, and the addresses of proxies.

/// An IPv4 or IPv6 address; an IPv4-mapped or NAT64 address becomes its IPv4 address.
public struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  public let bytes: [UInt8]

  /// Parses dotted decimal and the text forms of RFC 4291 section 2.2; nil for host names.
  public init?(_ text: String) {
    let withoutScope = text.utf8.firstIndex(of: "%").map { text[..<$0] } ?? text[...]
    if let dotted = Self.dotted(withoutScope) {
      bytes = dotted
    } else if let groups = Self.groups(withoutScope) {
      bytes = Self.unmapped(groups)
    } else {
      return nil
    }
  }

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
  public static let localhost = ["127.0.0.1", "::1"].compactMap(NetworkAddress.init)

  /// Whether the address is not on the public Internet: private, loopback, link-local, shared, unspecified, documentation,
  /// benchmarking, multicast, reserved or unique-local (the special-purpose registries of RFC 6890).
  ///
  /// A 6to4 address counts as the IPv4 address in it (RFC 3056). Public IPv6 addresses are only in 2000::/3, so all others
  /// count as private, including unused ones.
  public var isPrivate: Bool {
    Self.privateBlocks.contains { $0.contains(self) } || carried?.isPrivate ?? false
  }

  /// The IPv4 address in a 6to4 address.
  private var carried: NetworkAddress? {
    guard bytes.count == 16, bytes[0] == 0x20, bytes[1] == 0x02 else { return nil }
    return NetworkAddress(bytes: Array(bytes[2..<6]))
  }

  private static let privateBlocks: [AddressBlock] = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4",
    "::/3", "4000::/2", "8000::/1",
    // Reserved blocks within 2000::/3: Teredo, benchmarking and similar, and documentation.
    "2001::/23", "2001:db8::/32", "3fff::/20",
  ].compactMap(AddressBlock.init)

  /// Reads four numbers below 256, each of one to three digits.
  private static func dotted(_ text: Substring) -> [UInt8]? {
    // Most texts are the names of hosts. A loop, because each fetch reads several addresses.
    guard text.utf8.first?.isASCIIDigit ?? false else { return nil }
    var bytes: [UInt8] = []
    var (number, digits) = (0, 0)
    for byte in text.utf8 {
      if byte == ".", digits > 0 {
        bytes.append(UInt8(number))
        number = 0
        digits = 0
      } else {
        number = number * 10 + Int(byte) - 0x30
        digits += 1
        guard byte.isASCIIDigit, digits <= 3, number < 256 else { return nil }
      }
    }
    guard digits > 0, bytes.count == 3 else { return nil }
    bytes.append(UInt8(number))
    return bytes
  }

  private static func groups(_ text: Substring) -> [UInt8]? {
    guard text.utf8.contains(":") else { return nil }
    let halves = text.split(separator: "::", omittingEmptySubsequences: false)
    guard halves.count <= 2 else { return nil }
    func read(_ half: Substring) -> [UInt8]? {
      var bytes: [UInt8] = []
      guard !half.isEmpty else { return bytes }
      let parts = half.split(separator: ":", omittingEmptySubsequences: false)
      for (index, part) in parts.enumerated() {
        if index == parts.count - 1, let tail = dotted(part) {
          bytes += tail
        } else {
          guard (1...4).contains(part.utf8.count), let value = UInt16(part, radix: 16), part.first != "+"
          else {
            return nil
          }
          bytes += [UInt8(value >> 8), UInt8(value & 0xFF)]
        }
      }
      return bytes
    }
    guard let head = read(halves[0]), let tail = halves.count == 2 ? read(halves[1]) : [] else { return nil }
    let missing = 16 - head.count - tail.count
    guard halves.count == 2 ? missing >= 2 : missing == 0 else { return nil }
    return head + [UInt8](repeating: 0, count: missing) + tail
  }

  private static func unmapped(_ bytes: [UInt8]) -> [UInt8] {
    let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    let isNAT64 = bytes[..<12] == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
    return isMapped || isNAT64 ? Array(bytes[12...]) : bytes
  }
}

/// A block of addresses in CIDR notation (RFC 4632): an address and the number of its leading bits that must match.
public struct AddressBlock: Hashable, Sendable {
  public let address: NetworkAddress
  public let prefixLength: Int

  /// Parses `10.0.0.0/8`, `fd00::/8`, or a single address.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = NetworkAddress(String(first)) else { return nil }
    let bits = address.bytes.count * 8
    let length = parts.count == 2 ? Int(parts[1]) : bits
    guard let length, (0...bits).contains(length) else { return nil }
    (self.address, self.prefixLength) = (address, length)
  }

  public init(_ address: NetworkAddress) {
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

/// A prefix of IPv6 addresses that the network translates to IPv4 (NAT64, RFC 6052), other than the well-known prefix,
/// which `NetworkAddress` handles.
public struct TranslationPrefix: Hashable, Sendable {
  private let bytes: [UInt8]
  /// The byteIndices of the four bytes of the IPv4 address.
  private let byteIndices: [Int]

  /// The prefixes in IPv6 addresses of `ipv4only.arpa` (RFC 7050).
  ///
  /// The name has only the addresses 192.0.0.170 and 192.0.0.171, so its translated addresses reveal the prefix.
  public static func shown(by addresses: [NetworkAddress]) -> Set<TranslationPrefix> {
    var found: Set<TranslationPrefix> = []
    for address in addresses where address.bytes.count == 16 {
      for byteIndices in Self.layouts {
        let carried = byteIndices.map { address.bytes[$0] }
        guard carried == [192, 0, 0, 170] || carried == [192, 0, 0, 171] else { continue }
        found.insert(
          TranslationPrefix(bytes: Array(address.bytes[..<byteIndices[0]]), byteIndices: byteIndices))
      }
    }
    return found
  }

  /// The IPv4 address in an address with this prefix; nil for another prefix.
  public func carried(by address: NetworkAddress) -> NetworkAddress? {
    guard address.bytes.count == 16, address.bytes.starts(with: bytes) else { return nil }
    return NetworkAddress(bytes: byteIndices.map { address.bytes[$0] })
  }

  /// The byteIndices for each length of the prefix (RFC 6052 section 2.2); byte 8 is never used.
  private static let layouts = [
    [4, 5, 6, 7], [5, 6, 7, 9], [6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], [12, 13, 14, 15],
  ]
}

/// The address of a proxy in libcurl's form: `[scheme://][user[:password]@]host[:port]`.
public struct ProxyAddress: Hashable, Sendable {
  public let text: String
  /// Its user name and password, as written and decoded.
  public let hidden: HiddenWords

  /// The environment variables with such addresses, those of other programs included.
  public static let variables: Set = [
    "http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
    "FTP_PROXY",
  ]

  private static let schemes = ["http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h"]

  /// - Throws: the mistake in a text that is no such address, as the rest of a sentence about a key or variable; it has nothing
  ///   of the address that may be secret.
  public init(_ text: String) throws(TextProblem) {
    self.text = text
    // A password may contain anything, also an address.
    let at = text.utf8.lastIndex(of: "@")
    var rest = text.utf8[...]
    if let colon = rest.firstIndex(of: ":"), colon < at ?? rest.endIndex {
      let scheme = String(decoding: rest[..<colon], as: UTF8.self).lowercased()
      let after = rest[rest.index(after: colon)...]
      let (isKnown, hasMark) = (Self.schemes.contains(scheme), after.starts(with: "//".utf8))
      // Without the mark, the word may be a host before its port, or a user.
      guard isKnown == hasMark || !hasMark && after.first?.isASCIIDigit ?? false else {
        throw TextProblem(
          what: "does not begin with the scheme of a proxy", cure: "write http://HOST:PORT")
      }
      if hasMark { rest = after.dropFirst(2) }
    }
    var words: [String] = []
    if let at {
      let user = rest[..<at]
      guard user.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"/?#\\@".utf8.contains($0) }) else {
        throw TextProblem(
          what: "has a character in the user name or password that ends it",
          cure: "write it percent-encoded, as %40 for @")
      }
      let parts = user.split(separator: ":", maxSplits: 1) + [user]
      words = parts.map { String(decoding: $0, as: UTF8.self) }
      rest = rest[rest.index(after: at)...]
    }
    hidden = HiddenWords((words + words.map(percentDecoded)).filter { $0.utf8.count >= 4 })
    guard WebAddress("http://" + String(decoding: rest, as: UTF8.self)) != nil else {
      throw TextProblem(
        what: "has no valid host and port", cure: "write http://HOST:PORT, with a port from 1 to 65535")
    }
  }
}

// IPv6 addresses that a translator (NAT64) of the network takes for IPv4 addresses (RFC 6052).

/// A prefix behind which a network translates to IPv4, other than the well-known one that `NetworkAddress` reads.
public struct TranslationPrefix: Hashable, Sendable {
  private let bytes: [UInt8]
  /// Where the four bytes of an IPv4 address stand.
  private let places: [Int]

  /// The prefixes that IPv6 addresses of `ipv4only.arpa` show.
  ///
  /// Its only addresses are 192.0.0.170 and 192.0.0.171, so that what a resolver makes up of them shows the prefix (RFC 7050).
  public static func shown(by addresses: [NetworkAddress]) -> Set<TranslationPrefix> {
    var found: Set<TranslationPrefix> = []
    for address in addresses where address.bytes.count == 16 {
      for places in Self.layouts {
        let carried = places.map { address.bytes[$0] }
        guard carried == [192, 0, 0, 170] || carried == [192, 0, 0, 171] else { continue }
        found.insert(TranslationPrefix(bytes: Array(address.bytes[..<places[0]]), places: places))
      }
    }
    return found
  }

  /// The IPv4 address that a translator makes of an address; nil for one that has another prefix.
  public func carried(by address: NetworkAddress) -> NetworkAddress? {
    guard address.bytes.count == 16, address.bytes.starts(with: bytes) else { return nil }
    return NetworkAddress(bytes: places.map { address.bytes[$0] })
  }

  /// The places for each length of a prefix (RFC 6052 section 2.2): byte 8 is never used.
  private static let layouts = [
    [4, 5, 6, 7], [5, 6, 7, 9], [6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], [12, 13, 14, 15],
  ]
}

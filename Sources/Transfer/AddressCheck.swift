// Which addresses a request may reach: those that the host spells out, before anything is sent. The addresses that
// names lead to are held against the same rule when libcurl connects, in Exchange.

internal import CCurl
import Core
private import Glibc

extension AddressReach {
  /// Whether a connection may lead to an address.
  func allows(_ address: NetworkAddress, _ own: OwnAddresses) -> Bool {
    if case .anywhere = self { return true }
    return allows(address, isInner: own.isInner(address))
  }

  /// Refuses an address whose host is a number, or `localhost`, that is out of reach.
  ///
  /// This is all that can be checked where a proxy looks up the name; elsewhere it saves a connection.
  func checkLiteral(_ address: WebAddress, _ own: OwnAddresses) throws(FetchFailure) {
    guard case .publicOr = self else { return }
    guard let host = curlHost(of: address) else {
      throw .other("\(address.masked): libcurl does not understand this address")
    }
    if let literal = literalAddress(host), !allows(literal, own) { throw .privateAddress(host) }
  }
}

/// The host that libcurl will ask for; nil if it would refuse the address.
func curlHost(of address: WebAddress) -> String? {
  var host = [CChar](repeating: 0, count: 1024)
  let isFound = OctetText.withCText(OctetText.encodedAddress(address.text)) { text in
    bgfetch_curl_host_of(text, &host, host.count)
  }
  guard isFound else { return nil }
  return String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// The address that a host spells out, in any way that the C library reads too (inet_aton(3): `127.1`,
/// `0x7f000001`); nil for a name.
func literalAddress(_ host: String) -> NetworkAddress? {
  var host = host.lowercased()
  if host.hasPrefix("[") { host = String(host.dropFirst().prefix { $0 != "]" }) }
  while host.hasSuffix(".") { host.removeLast() }
  if let address = NetworkAddress(host) { return address }
  // RFC 6761 section 6.3: always the machine itself.
  if host == "localhost" || host.hasSuffix(".localhost") { return NetworkAddress("127.0.0.1") }
  var number = in_addr()
  guard inet_aton(host, &number) != 0 else { return nil }
  let value = UInt32(bigEndian: number.s_addr)
  return NetworkAddress([24, 16, 8, 0].map { String((value >> UInt32($0)) & 0xFF) }.joined(separator: "."))
}

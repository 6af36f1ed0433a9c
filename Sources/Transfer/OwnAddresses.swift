// What this machine alone knows of addresses: which are its own, and which its network translates.

private import CCurl
import Core

/// The addresses that servers may not have asked: private ones, and those of this machine.
///
/// What listens there may be meant for the machine or its network alone. It lives on the loop's thread alone.
final class OwnAddresses {
  private let look: @Sendable () -> [NetworkAddress]
  private var known: (addresses: Set<NetworkAddress>, since: MonotonicTime)?

  /// So many seconds what was seen counts: looking costs a round through the kernel.
  private static let lifetime = 5.0

  init(_ look: @escaping @Sendable () -> [NetworkAddress]) { self.look = look }

  /// Whether an address is private or one of this machine's own, also behind a translator of the network.
  func isInner(_ address: NetworkAddress) -> Bool {
    if address.isPrivate || addresses().contains(address) { return true }
    guard address.bytes.count == 16 else { return false }
    return translations().contains { prefix in
      prefix.carried(by: address).map { $0.isPrivate || addresses().contains($0) } ?? false
    }
  }

  private func addresses() -> Set<NetworkAddress> {
    let now = MonotonicTime.now()
    if let known, now - known.since < Self.lifetime { return known.addresses }
    let addresses = Set(look())
    known = (addresses, now)
    return addresses
  }

  /// The prefixes behind which the network translates to IPv4; empty as long as its resolver has not said.
  private func translations() -> Set<TranslationPrefix> {
    var shown: [NetworkAddress] = []
    var text = [CChar](repeating: 0, count: 64)
    while bgfetch_curl_translated(Int32(shown.count), &text, text.count) {
      let name = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      guard let address = NetworkAddress(name) else { break }
      shown.append(address)
    }
    return TranslationPrefix.shown(by: shown)
  }
}

// The addresses of the network interfaces, and which of them lead anywhere.

import Glibc

/// One address of one network interface (getifaddrs(3)).
struct InterfaceAddress: Hashable, Sendable {
  /// Whether the interface is switched on and has a carrier.
  let isRunning: Bool
  let isLoopback: Bool
  /// The 4 or 16 bytes in network order.
  let bytes: [UInt8]

  /// Whether packets to other machines can leave by it; a link-local address alone means that no router has
  /// been heard of.
  var isUsable: Bool {
    isRunning && !isLoopback && !isLinkLocal
  }

  private var isLinkLocal: Bool {
    switch bytes.count {
    case 4: bytes[0] == 169 && bytes[1] == 254
    case 16: bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    default: true
    }
  }
}

/// Every IPv4 and IPv6 address of this machine; nil if the system does not tell.
func interfaceAddresses() -> [InterfaceAddress]? {
  var first: UnsafeMutablePointer<ifaddrs>?
  guard getifaddrs(&first) == 0 else { return nil }
  defer { freeifaddrs(first) }
  var addresses: [InterfaceAddress] = []
  var next = first
  while let entry = next?.pointee {
    next = entry.ifa_next
    guard let address = entry.ifa_addr, let bytes = addressBytes(address) else { continue }
    let flags = Int(entry.ifa_flags)
    func has(_ flag: Int) -> Bool { flags & flag != 0 }
    addresses.append(
      InterfaceAddress(
        isRunning: has(IFF_UP) && has(IFF_RUNNING),
        isLoopback: has(IFF_LOOPBACK), bytes: bytes))
  }
  return addresses
}

/// The address bytes of a socket address; nil for other families.
private func addressBytes(_ address: UnsafeMutablePointer<sockaddr>) -> [UInt8]? {
  let raw = UnsafeRawPointer(address)
  // The family says how long the structure behind the pointer is.
  switch Int32(address.pointee.sa_family) {
  case AF_INET:
    return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
  case AF_INET6:
    return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
  default:
    return nil
  }
}

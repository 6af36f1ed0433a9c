// Which host names lie on the public Internet, as far as a name can tell.

extension WebAddress {
  /// Whether the host is one of the public Internet, as far as its name tells: no private address, no name
  /// without a dot, none of the names reserved for private use (RFC 6761, RFC 6762, RFC 8375).
  public var isPublicHost: Bool {
    if let address = NetworkAddress(host) { return !address.isPrivate }
    guard host.utf8.contains(UInt8(ascii: ".")) else { return false }
    let reserved = [".localhost", ".local", ".internal", ".lan", ".home.arpa", ".intranet", ".home", ".corp"]
    return !reserved.contains { host.hasSuffix($0) }
  }
}

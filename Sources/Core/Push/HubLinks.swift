// The WebSub hubs that a feed names. bgfetch shows them but does not subscribe.

/// The hubs of a feed and the topic under which they know it (W3C WebSub, section 4).
public struct HubLinks: Hashable, Sendable {
  /// The addresses of the hubs, http or https, in the publisher's order.
  public var hubs: [String] = []
  /// The address to subscribe to; nil means the address that was fetched.
  public var topic: String?

  public init() {}

  /// The most hubs of a feed that are kept.
  public static let most = 4
  /// The longest address in bytes; longer ones are ignored.
  public static let longest = 2048

  /// Adds a hub, unless it is already there, not a web address, or one too many.
  public mutating func add(hub: String?) {
    guard let hub, hubs.count < Self.most, Self.isUsable(hub), !hubs.contains(hub) else { return }
    hubs.append(hub)
  }

  /// Sets the topic to the first usable web address.
  public mutating func take(topic address: String?) {
    guard topic == nil, let address, Self.isUsable(address) else { return }
    topic = address
  }

  private static func isUsable(_ address: String) -> Bool {
    address.utf8.count <= longest && WebAddress(address) != nil
  }
}

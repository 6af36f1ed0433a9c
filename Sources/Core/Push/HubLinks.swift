// Where a publisher lets its feed be subscribed to. Subscribing is not this program's business.

/// The hubs of a feed and the name they know it by (W3C WebSub, section 4).
public struct HubLinks: Hashable, Sendable {
  /// The addresses of the hubs, in the publisher's order; http or https.
  public var hubs: [String] = []
  /// The topic: the address to subscribe to; nil where the publisher says none, and it is the address that was asked.
  public var topic: String?

  /// A feed without a hub.
  public init() {}

  /// The most hubs of a feed that are kept.
  public static let most = 4
  /// The most bytes of an address; longer ones are left out.
  public static let longest = 2048

  /// Adds a hub, unless it is known, no web address, or one too many.
  public mutating func add(hub: String?) {
    guard let hub, hubs.count < Self.most, Self.isUsable(hub), !hubs.contains(hub) else { return }
    hubs.append(hub)
  }

  /// Takes the first topic that is a web address.
  public mutating func take(topic address: String?) {
    guard topic == nil, let address, Self.isUsable(address) else { return }
    topic = address
  }

  private static func isUsable(_ address: String) -> Bool {
    address.utf8.count <= longest && WebAddress(address) != nil
  }
}

// The network settings of feeds, held once for all feeds that have the same.

/// Network settings that many feeds share.
///
/// A feed is one of perhaps a hundred thousand, and few have settings of their own: here they are one word in each
/// feed, and their fingerprint is computed once. Nothing of it ever changes, and it is compared by what it says.
public final class SharedNetwork: Hashable, Sendable {
  /// The settings.
  public let settings: NetworkSettings
  /// A fingerprint of everything in them that can change how a fetch ends.
  public let fingerprint: UInt64

  /// Settings to share.
  public init(_ settings: NetworkSettings) {
    self.settings = settings
    fingerprint = settings.fingerprint
  }

  /// The settings of a feed for which nothing is configured.
  public static let standard = SharedNetwork(NetworkSettings())

  /// Whether two say the same.
  public static func == (left: SharedNetwork, right: SharedNetwork) -> Bool {
    left === right || left.settings == right.settings
  }

  /// Hashes what they say.
  public func hash(into hasher: inout Hasher) { hasher.combine(settings) }
}

extension NetworkSettings {
  /// A fingerprint of what a fetch can fail by; how many go to a host at once, and how soon, is not part of it.
  fileprivate var fingerprint: UInt64 {
    var print = Fingerprint()
    for number in [
      connectTimeout.seconds, timeout.seconds, stall.below.bytes, stall.for.seconds, maxFeedSize.bytes,
      Int64(maxRedirects), freshnessLimit.seconds,
    ] {
      print.add(String(number))
    }
    switch privateAddresses {
    case .sameAsFeed: print.add("same-as-feed")
    case .allow: print.add("allow")
    case .refuse: print.add("refuse")
    case .networks(let blocks):
      print.add(String(blocks.count))
      for block in blocks {
        for byte in block.address.bytes { print.add(byte: byte) }
        print.add("/" + String(block.prefixLength))
      }
    }
    switch proxy {
    case .environment: print.add("environment")
    case .none: print.add("none")
    case .url(let url): print.add(url)
    }
    print.add(userAgent)
    print.add(caFile)
    return print.value
  }
}

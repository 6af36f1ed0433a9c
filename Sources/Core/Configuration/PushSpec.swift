// What a push of a feed may do.

/// What pushes of a feed lead to.
public struct PushSpec: Hashable, Sendable {
  /// The template of the one file that a push brings, filled with the payload's keys; nil fetches the feed.
  public var url: Template?
  /// The template of what that file is called; nil is the name in its address.
  public var description: Template?
  /// How many fetches pushes may cause, and in what time.
  public var limit = PushLimit()

  /// Pushes that make the feed due.
  public init() {}
}

/// How many fetches pushes may cause in a time.
public struct PushLimit: Hashable, Sendable {
  /// So many.
  public var count: Int
  /// In this time.
  public var interval: Interval

  /// A limit; Apple advises not to send more than two or three an hour ("Pushing background updates to your App"), each of
  /// which may be tried twice.
  public init(count: Int = 6, interval: Interval = .hours(1)) {
    self.count = count
    self.interval = interval
  }
}

/// A feed's pushes, held once for all feeds that have the same.
public final class SharedPush: Hashable, Sendable {
  /// What it is.
  public let spec: PushSpec

  /// Pushes to share.
  public init(_ spec: PushSpec) { self.spec = spec }

  /// The pushes of a feed for which nothing is configured.
  public static let standard = SharedPush(PushSpec())

  /// Whether two say the same.
  public static func == (left: SharedPush, right: SharedPush) -> Bool {
    left === right || left.spec == right.spec
  }

  /// Hashes what they say.
  public func hash(into hasher: inout Hasher) { hasher.combine(spec) }
}

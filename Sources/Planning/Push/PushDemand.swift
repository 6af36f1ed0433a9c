// What the waiting pushes of a feed ask for, and from when on they may have it.

public import Model
public import Timing

/// The pushes of one feed that wait, and the fetches that earlier ones caused.
public struct PushDemand: Hashable, Sendable {
  /// Those that wait, the oldest first; at least one.
  public var pushes: [StoredPush]
  /// When pushes caused fetches of the feed, in any order.
  public var fetches: [Instant]

  /// The pushes of a feed.
  public init(pushes: [StoredPush], fetches: [Instant] = []) {
    self.pushes = pushes
    self.fetches = fetches
  }

  /// How long the data of a push may be late until it is asked for once more.
  public static let lateness = Interval.seconds(60)

  /// From when on a push may cause a fetch.
  ///
  /// That is when the limit of the feed lets it, and the first of those that wait has no reason to wait any more. What
  /// lies ahead was stored under a clock that was set back since, and does not count.
  ///
  /// - Parameters:
  ///   - limit: the feed's.
  ///   - now: the present moment.
  /// - Returns: a moment, which may be past.
  public func allowedFrom(_ limit: PushLimit, at now: Instant) -> Instant {
    let ready = pushes.map { push in
      guard let moment = push.notBefore, moment <= now + Self.lateness else { return min(push.received, now) }
      return moment
    }
    let counted = fetches.filter { $0 <= now && now.since($0) < limit.interval }.sorted()
    let first = ready.min() ?? now
    guard counted.count >= limit.count else { return first }
    // When so many are left behind that one more is allowed.
    return max(first, counted[counted.count - limit.count] + limit.interval)
  }

  /// The pushes whose time has come.
  public func ready(at now: Instant) -> [StoredPush] {
    pushes.filter { push in
      push.notBefore.map { $0 <= now || $0 > now + Self.lateness } ?? true
    }
  }
}

/// The demands of all feeds.
///
/// - Parameters:
///   - pushes: those that wait, the oldest first.
///   - fetches: when pushes caused fetches, by feed.
/// - Returns: a demand for each feed with a push.
public func pushDemands(_ pushes: [StoredPush], fetches: [FeedName: [Instant]]) -> [FeedName: PushDemand] {
  Dictionary(grouping: pushes, by: \.feed).mapValues { pushes in
    PushDemand(pushes: pushes, fetches: pushes.first.flatMap { fetches[$0.feed] } ?? [])
  }
}

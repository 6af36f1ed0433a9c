// What the waiting pushes of a feed ask for, and from when on they may have it.

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
  /// That is when the limit of the feed lets it; the second try of a push whose data was late belongs to its first one.
  /// What lies ahead was stored under a clock that was set back since, and does not count.
  ///
  /// - Parameters:
  ///   - limit: the feed's.
  ///   - now: the present moment.
  /// - Returns: a moment, which may be past.
  public func allowedFrom(_ limit: PushLimit, at now: Instant) -> Instant {
    [secondTry(at: now), firstTry(limit, at: now)].compactMap(\.self).min() ?? now
  }

  /// Whether it is the second try of a push whose data was late that `allowedFrom` gives, and not the limit.
  public func isSecondTry(_ limit: PushLimit, at now: Instant) -> Bool {
    guard let second = secondTry(at: now) else { return false }
    return firstTry(limit, at: now).map { second <= $0 } ?? true
  }

  private func secondTry(at now: Instant) -> Instant? {
    pushes.filter { $0.tries > 0 }.map { push in
      push.isReady(at: now) ? min(push.notBefore ?? now, now) : push.notBefore ?? now
    }.min()
  }

  private func firstTry(_ limit: PushLimit, at now: Instant) -> Instant? {
    let first = pushes.filter { $0.tries == 0 }.map { min($0.received, now) }.min()
    return first.map { max($0, free(limit, at: now)) }
  }

  /// How many further fetches pushes may cause.
  public func allowance(_ limit: PushLimit, at now: Instant) -> Int {
    max(0, limit.count - counted(limit, at: now).count)
  }

  /// When the limit lets a further fetch begin, which may be past.
  private func free(_ limit: PushLimit, at now: Instant) -> Instant {
    let counted = counted(limit, at: now)
    guard counted.count >= limit.count else { return Instant(secondsSince1970: .min) }
    // When so many are left behind that one more is allowed.
    return counted[counted.count - limit.count] + limit.interval
  }

  private func counted(_ limit: PushLimit, at now: Instant) -> [Instant] {
    fetches.filter { $0 <= now && now.since($0) < limit.interval }.sorted()
  }

  /// The pushes whose time has come.
  public func ready(at now: Instant) -> [StoredPush] {
    pushes.filter { $0.isReady(at: now) }
  }
}

extension StoredPush {
  /// Whether its time has come; a moment that is too far ahead was stored under a clock that was set back since.
  public func isReady(at now: Instant) -> Bool {
    notBefore.map { $0 <= now || $0 > now + PushDemand.lateness } ?? true
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

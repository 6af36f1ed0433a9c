// Pushes that wait in the store for a fetch: when they may cause one, and what a fetch settles.

/// A push that waits for a run.
public struct StoredPush: Equatable, Sendable {
  /// The store's number.
  ///
  /// A newer push that replaces this one has another.
  public var number: Int64
  public var feed: FeedName
  public var payload: PushPayload
  public var received: Instant
  /// The number of fetches it has caused that found no new data.
  public var tries: Int
  /// The earliest moment for its next fetch; nil means at once.
  public var notBefore: Instant?

  public init(
    number: Int64, feed: FeedName, payload: PushPayload, received: Instant, tries: Int = 0,
    notBefore: Instant? = nil
  ) {
    (self.number, self.feed, self.payload, self.received) = (number, feed, payload, received)
    (self.tries, self.notBefore) = (tries, notBefore)
  }

  /// Whether it may cause a fetch now.
  ///
  /// A moment further ahead than `PushDemand.secondTryDelay` was stored before the clock was set back, and is ignored.
  public func isReady(at now: Instant) -> Bool {
    notBefore.map { $0 <= now || $0 > now + PushDemand.secondTryDelay } ?? true
  }
}

/// A push to be stored.
public struct NewPush: Sendable {
  public var feed: FeedName
  /// The identity of the push within the feed: a newer push with the same one replaces it.
  public var contentID: String?
  /// The payload; nil if there is nothing to fetch, and only the events are stored.
  public var payload: PushPayload?
  /// `push-received`, and the alert if it does not wait for a fetch.
  public var events: [EventRecord]

  /// The most pushes of one feed that wait; more drop the oldest ones.
  public static let mostOfFeed = 100
}

/// The result of storing a push.
public struct PushReceipt: Equatable, Sendable {
  /// Whether it replaced a waiting push.
  public var hasReplaced: Bool
  /// The number of older pushes of the feed that were dropped because too many waited.
  public var dropped: Int

  public init(hasReplaced: Bool = false, dropped: Int = 0) {
    (self.hasReplaced, self.dropped) = (hasReplaced, dropped)
  }
}

// MARK: Before a fetch

/// The waiting pushes of one feed, and the fetches that earlier pushes caused.
public struct PushDemand: Equatable, Sendable {
  /// At least one, the oldest first.
  var pushes: [StoredPush]
  /// When pushes caused fetches of the feed, in any order.
  var fetches: [Instant]

  public init(pushes: [StoredPush], fetches: [Instant] = []) {
    (self.pushes, self.fetches) = (pushes, fetches)
  }

  /// The wait before the second try of a push whose fetch found no new data, because its publisher may be late.
  public static let secondTryDelay = Interval.seconds(60)

  /// The moment, possibly past, from which a push may cause a fetch.
  ///
  /// The feed's limit counts every try. Moments that are still ahead were stored before the clock was set back, and do
  /// not count.
  public func allowedFrom(_ limit: PushLimit, at now: Instant) -> Instant {
    max(wanted(at: now), nextFree(limit, at: now))
  }

  /// Whether a second try sets the moment of `allowedFrom`, and not the limit.
  func isSecondTry(_ limit: PushLimit, at now: Instant) -> Bool {
    pushes.contains { $0.tries > 0 && wanted($0, at: now) <= wanted(at: now) }
      && wanted(at: now) >= nextFree(limit, at: now)
  }

  /// The moment from which one of the pushes asks for a fetch.
  private func wanted(at now: Instant) -> Instant { pushes.map { wanted($0, at: now) }.min() ?? now }

  private func wanted(_ push: StoredPush, at now: Instant) -> Instant {
    if push.tries == 0 { return min(push.received, now) }
    return push.isReady(at: now) ? min(push.notBefore ?? now, now) : push.notBefore ?? now
  }

  /// When a file that was missing at a moment is requested once more: a minute later, or when the limit allows it.
  public func secondTry(_ limit: PushLimit, after moment: Instant) -> Instant {
    max(moment + Self.secondTryDelay, nextFree(limit, at: moment))
  }

  /// The number of further fetches that pushes may cause now.
  func allowance(_ limit: PushLimit, at now: Instant) -> Int {
    max(0, limit.count - counted(limit, at: now).count)
  }

  /// The moment, possibly past, from which the limit allows another fetch.
  private func nextFree(_ limit: PushLimit, at now: Instant) -> Instant {
    let counted = counted(limit, at: now)
    guard counted.count >= limit.count else { return Instant(secondsSince1970: .min) }
    return counted[counted.count - limit.count] + limit.interval
  }

  private func counted(_ limit: PushLimit, at now: Instant) -> [Instant] {
    fetches.filter { $0 <= now && now.since($0) < limit.interval }.sorted()
  }

  /// The pushes that may cause a fetch now.
  public func ready(at now: Instant) -> [StoredPush] {
    pushes.filter { $0.isReady(at: now) }
  }
}

/// The demand of each feed with a push.
///
/// - Parameters:
///   - pushes: all waiting pushes, the oldest first.
///   - fetches: when pushes caused fetches, by feed.
public func pushDemands(_ pushes: [StoredPush], fetches: [FeedName: [Instant]]) -> [FeedName: PushDemand] {
  Dictionary(grouping: pushes, by: \.feed).mapValues { pushes in
    PushDemand(pushes: pushes, fetches: pushes.first.flatMap { fetches[$0.feed] } ?? [])
  }
}

// MARK: After a fetch

/// The changes that a fetch makes to the pushes of its feed, stored together with its other results.
public struct PushSettlement: Equatable, Sendable {
  /// The numbers of the pushes that are finished.
  public var settled: [Int64] = []
  /// The pushes to try once more, by number, with the moment.
  public var late: [Int64: Instant] = [:]
  /// When a push caused the fetch, which counts against the feed's limit; nil if none did.
  public var causedAt: Instant?
  public var isEmpty: Bool { self == PushSettlement() }
}

/// The result of a fetch for the pushes of its feed.
public struct PushVerdict: Equatable, Sendable {
  public var settlement = PushSettlement()
  /// The pushes whose alert is shown now, the oldest first.
  public var shown: [StoredPush] = []
}

/// Decides which pushes a fetch settles.
///
/// New data settles all pushes. A push without new data is tried once more after `PushDemand.secondTryDelay`; after the
/// second try it is settled and shown either way. A fetch that says nothing about the feed, because the machine was
/// offline, leaves all pushes waiting.
///
/// - Parameters:
///   - pushes: the feed's pushes when the fetch was planned.
///   - result: the result of the fetch.
///   - isCounted: whether the fetch says something about the feed.
///   - isCaused: whether a push made the feed due, so that the fetch counts against the limit, second tries too.
///   - now: the end of the fetch.
public func pushVerdict(
  _ pushes: [StoredPush], _ result: FetchResult, isCounted: Bool, isCaused: Bool, at now: Instant
) -> PushVerdict {
  var verdict = PushVerdict()
  guard isCounted, !pushes.isEmpty else { return verdict }
  for push in pushes {
    if result != .newData, push.tries == 0 {
      verdict.settlement.late[push.number] = now + PushDemand.secondTryDelay
    } else {
      verdict.settlement.settled.append(push.number)
      verdict.shown.append(push)
    }
  }
  if isCaused { verdict.settlement.causedAt = now }
  return verdict
}

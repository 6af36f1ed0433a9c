// The due and the skipped feeds of a round, and the most that it takes of the due ones.

/// A feed that is not fetched in this run; only its name is kept, because there may be thousands.
public struct SkippedFeed: Equatable, Sendable {
  public var name: FeedName
  public var decision: DueDecision

  /// Whether a pause is the reason.
  var isPaused: Bool {
    switch decision.reason {
    case .paused, .postponed(.pause, until: _): true
    default: false
    }
  }
}

/// The feeds of a round, among all feeds that were read so far.
public struct PlannedFeeds: Sendable {
  /// The feeds to fetch; after `sort`, first those never fetched or last fetched under a clock that was set back since, then
  /// the most overdue, then feeds that crashed two runs.
  public private(set) var due: [QueuedFeed] = []
  /// The feeds among them that a push makes due.
  public private(set) var byPush: Set<FeedName> = []
  /// The pushes that announce a file of their own, with their feeds.
  public private(set) var files: [(push: StoredPush, feed: FeedSpec)] = []
  /// The feeds that the person named and that are not fetched.
  public private(set) var skippedNamed: [SkippedFeed] = []
  /// How many feeds are not fetched because the person paused them.
  public private(set) var paused = 0
  /// The earliest moment after now at which a skipped feed becomes due.
  public private(set) var nextDue: Instant?

  public init() {}

  /// Plans further feeds.
  ///
  /// - Parameters:
  ///   - feeds: in the order of the configuration, after those of earlier calls.
  ///   - states: their states, as `stateUnderConfiguration` returns them.
  ///   - context: the run, with the habits of these feeds.
  ///   - mayStart: whether the round may fetch a due feed, which it says nothing about if not.
  /// - Returns: the skipped feeds, in the same order.
  public mutating func add(
    _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext,
    where mayStart: (_ feed: QueuedFeed, _ isByPush: Bool) -> Bool = { _, _ in true }
  ) -> [SkippedFeed] {
    let unknown = FeedState()
    var skipped: [SkippedFeed] = []
    for feed in feeds {
      let state = states[feed.name] ?? unknown
      let decision = dueDecision(feed, state, context)
      if decision.isDue {
        let queued = QueuedFeed(feed, state, decision)
        guard mayStart(queued, decision.isByPush) else { continue }
        due.append(queued)
        if decision.isByPush { byPush.insert(feed.name) }
      } else {
        skipped.append(SkippedFeed(name: feed.name, decision: decision))
      }
    }
    files += filePushes(feeds, states, context)
    for feed in skipped {
      if feed.isPaused { paused += 1 }
      if context.named.contains(feed.name) { skippedNamed.append(feed) }
      if let moment = feed.decision.dueAt, moment > context.now { nextDue = min(nextDue ?? moment, moment) }
    }
    return skipped
  }

  /// Sorts the due feeds of all parts, and leaves out those beyond a limit, except feeds that pushes ask for.
  public mutating func sort(keeping limit: RoundLimit? = nil) {
    if !zip(due, due.dropFirst()).allSatisfy({ $0.rank <= $1.rank }) {
      // The standard library does not promise a stable sort.
      let order = due.indices.sorted { (due[$0].rank, $0) < (due[$1].rank, $1) }
      due = order.map { due[$0] }
    }
    guard let limit else { return }
    var hosts: Set<String> = []
    var kept: [QueuedFeed] = []
    for feed in due {
      let hasRoom = kept.count < limit.feeds && (hosts.contains(feed.host) || hosts.count < limit.hosts)
      guard hasRoom || byPush.contains(feed.name) else { continue }
      hosts.insert(feed.host)
      kept.append(feed)
    }
    due = kept
  }
}

/// The most due feeds that one round takes: the feeds of a few hosts, so that others have the rest.
public struct RoundLimit: Equatable, Sendable {
  /// The most hosts.
  public var hosts: Int
  /// The most feeds.
  public var feeds: Int
}

extension Settings {
  /// The most that one round takes of the due feeds; nil takes all, where no other machine could take the rest.
  ///
  /// While the first of its hosts wait for their delays, the next ones have something to do.
  public var roundLimit: RoundLimit? {
    guard server != nil else { return nil }
    return RoundLimit(hosts: 8 * network.connections, feeds: 2000)
  }
}

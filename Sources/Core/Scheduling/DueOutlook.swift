// The work that is due and the work that comes next: for `run --watch`, and for the end of a run.

/// A reason to start a run.
public enum WatchDemand: Hashable, Sendable {
  /// A feed is due by its rules.
  ///
  /// `since` is the moment at which the last rule allowed it, so that a feed that is due again is a new demand.
  case feed(FeedName, since: Instant?)
  /// Pushes of a feed are due, up to the one with this number.
  case push(FeedName, Int64)
  /// A delivery of the hook with this name is due; one that has to rest moves no other hook's.
  case deliveries(String)
  /// Transfers may continue.
  case transfers
  /// A machine has died that downloaded or delivered.
  case abandoned
}

/// The work that is due, and what comes next.
public struct DueOutlook: Sendable {
  /// A feed that is due at a moment.
  public struct NextFeed: Equatable, Sendable {
    public var feed: FeedName
    public var at: Instant

    public init(_ feed: FeedName, at moment: Instant) { (self.feed, at) = (feed, moment) }
  }

  /// The present demands.
  public var due: Set<WatchDemand>
  /// The first feed of the configuration that is due; nil for none.
  public private(set) var firstDue: FeedName?
  /// The feed that becomes due next if nothing changes; nil for none.
  public private(set) var next: NextFeed?
  /// The first feed of the configuration that waits for a condition, or whose file does, and the reason; nil if none does.
  public var waiting: (feed: FeedName, reason: String)?
  /// The feeds that wait for a condition without a stored moment from which on they do.
  public private(set) var beginningToWait: [FeedName] = []
  /// When the next delivery or transfer becomes due; nil for never.
  public var later: Instant?

  public init(due: Set<WatchDemand> = [], next: NextFeed? = nil, later: Instant? = nil) {
    (self.due, self.next, self.later) = (due, next, later)
  }

  /// Adds the work that a dead machine has left, if downloads or deliveries are due here.
  ///
  /// Else, as during a pause, a run could not take it over, and would be started without end.
  public mutating func addAbandoned() {
    let canTakeOver = due.contains { demand in
      switch demand {
      case .deliveries, .transfers: true
      case .feed, .push, .abandoned: false
      }
    }
    if canTakeOver { due.insert(.abandoned) }
  }

  /// Adds the feeds that are due before `next`.
  ///
  /// A feed that a run would wait for is not due yet, because a run can start at the very moment. Where runs come punctually, a
  /// feed that may wait starts none before the end of its slack; until then it joins a run that others start.
  ///
  /// - Parameters:
  ///   - feeds: in the order of the configuration.
  ///   - states: their states, as `stateUnderConfiguration` returns them.
  ///   - context: a run that names no feed.
  public mutating func add(
    _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext
  ) {
    let unknown = FeedState()
    for feed in feeds {
      let state = states[feed.name] ?? unknown
      let decision = dueDecision(feed, state, context)
      if decision.beginsToWait(state, at: context.now) { beginningToWait.append(feed.name) }
      // Usually no push waits; then this saves looking up every feed.
      let push = context.pushes.isEmpty ? nil : context.pushes[feed.name]?.pushes.map(\.number).max()
      if let push, decision.isByPush {
        add(decision, of: feed.name, as: .push(feed.name, push))
      } else {
        let slack = context.isPunctual && decision.mayWait ? intervalRule(feed, state).slack : .zero
        add(
          decision, of: feed.name, after: slack, at: context.now,
          as: .feed(feed.name, since: decision.reachedAt))
      }
      // A push that announces a file of its own does not make the feed due.
      if let push, feed.push.url != nil {
        add(pushDecision(feed, state, context), of: feed.name, as: .push(feed.name, push))
      }
    }
  }

  private mutating func add(
    _ decision: DueDecision, of feed: FeedName, after slack: Interval = .zero, at now: Instant? = nil,
    as demand: @autoclosure () -> WatchDemand
  ) {
    let moment = (decision.waitUntil ?? decision.dueAt).map { $0 + slack }
    let isWaiting = moment.flatMap { moment in now.map { $0 < moment } } ?? false
    if decision.isDue, decision.waitUntil == nil, !isWaiting {
      due.insert(demand())
      firstDue = firstDue ?? feed
      return
    }
    if let reason = decision.waitReason { waiting = waiting ?? (feed, reason) }
    if let moment, next.map({ moment < $0.at }) ?? true {
      next = NextFeed(feed, at: moment)
    }
  }

  /// The moment until which runs find nothing due, as long as configuration and states do not change; nil if something is
  /// due now, or waits for a condition, which may hold at any time.
  ///
  /// It allows for the time that a run may wait for a server (`DueDecision.longestWait`), and is at most a day ahead.
  public func quietTime(from now: Instant) -> Instant? {
    let end = min(now + .days(1), next.map { $0.at - DueDecision.longestWait } ?? now + .days(1))
    return due.isEmpty && waiting == nil && end > now ? end : nil
  }
}

extension DueDecision {
  /// Whether it has to be stored that the feed waits for a condition from now on.
  ///
  /// A stored moment that is still ahead is from before the clock was set back.
  public func beginsToWait(_ state: FeedState, at now: Instant) -> Bool {
    waitReason != nil && state.waitsSince.map { $0 > now } ?? true
  }

  /// When the last rule allowed the feed; nil if no rule had postponed it.
  fileprivate var reachedAt: Instant? {
    if case .reached(_, let moment) = reason { moment } else { nil }
  }

  /// Whether the feed may wait for a run that starts for another one: only its interval, or a learned time, has held it back.
  fileprivate var mayWait: Bool {
    switch reason {
    case .reached(let rule, _), .postponed(let rule, _): [.minimumInterval, .habits, .rhythm].contains(rule)
    default: false
    }
  }
}

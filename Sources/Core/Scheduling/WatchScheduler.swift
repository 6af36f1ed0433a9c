// The daemon's decisions: what is due now, what to start next, and how long to sleep. No effects.

/// The next actions of the daemon.
public struct WatchStep: Hashable, Sendable {
  /// The cause of the cycle to start; nil for none.
  public var cycle: RunCause?
  /// Whether to start transfers.
  public var transfers = false
  /// When to decide again at the latest; nil for never.
  public var wake: Instant?
}

/// The daemon's memory: what runs now, and what its last cycles left undone.
///
/// A cycle starts as soon as something is due. Demands that a cycle could not serve, because the machine is offline, the
/// budget is used up or a hook is busy, would be due again at once, so they rest. New demands do not wait for that rest.
public struct WatchScheduler: Sendable {
  /// Whether a cycle is fetching, or waiting for the run lock.
  public private(set) var isFetching = false
  /// Whether transfers are running, or waiting for another process.
  public private(set) var isTransferring = false
  /// The demands for which the last cycle started.
  private var begunFor: Set<WatchDemand> = []
  /// The demands that it could not serve.
  private var left: Set<WatchDemand> = []
  /// How many cycles in a row left demands.
  private var fruitless: Int64 = 0
  /// The moment before which no cycle starts for the demands that were left.
  private var rest: Instant?
  /// The moment before which no cycle starts for feeds that are due by themselves.
  private var pause: Instant?
  /// The moment before which nothing starts, after an error.
  private var setback: Instant?
  /// The moment before which transfers do not start again.
  private var transferRest: Instant?
  private var hasJustFetched = false
  private var hasJustEnded = false
  private var hasJustTransferred = false
  /// Whether a cycle may have queued transfers since they started last.
  private var mayHaveQueued = false
  /// Whether a push or a command asked for something during a cycle.
  private var isUrgent = false

  /// A scheduler for which nothing has happened yet.
  public init() {}

  /// The time between two cycles for feeds due by themselves, so that feeds due seconds apart share a cycle.
  static let pace = Interval.seconds(10)
  /// The first rest of demands that were left; each further rest in a row is that much longer.
  static let shortRest = Interval.minutes(1)
  /// The longest rest, as long as the usual interval of timers.
  static let longRest = Interval.minutes(5)

  /// Whether anything could start now, so that computing an outlook is worth it.
  public func mayBegin(at now: Instant) -> Bool {
    !isFetching && setback.map { $0 <= now } ?? true
  }

  /// Decides what to do next, and records it as started.
  ///
  /// - Parameters:
  ///   - outlook: the work, now and next.
  ///   - isUrgent: whether something was asked for just now.
  ///   - now: the present moment.
  /// - Returns: what to start, and when to decide again.
  public mutating func step(_ outlook: WatchOutlook, isUrgent: Bool, at now: Instant) -> WatchStep {
    self.isUrgent = self.isUrgent || isUrgent
    var step = WatchStep()
    if let setback, now < setback {
      step.wake = setback
      return step
    }
    setback = nil
    if !isFetching {
      stepCycle(&step, outlook, at: now)
      stepTransfers(&step, outlook, at: now)
      self.isUrgent = false
    }
    return step
  }

  private mutating func stepCycle(_ step: inout WatchStep, _ outlook: WatchOutlook, at now: Instant) {
    if hasJustFetched || hasJustEnded {
      // Demands that came up during the cycle were not left by it.
      left = outlook.due.intersection(begunFor)
      rest = now + .seconds(min(Self.shortRest.seconds * (fruitless + 1), Self.longRest.seconds))
      // After a push there is no pause, so that it delays no other feed.
      if hasJustFetched, begunFor.contains(where: \.isFeed) { pause = now + Self.pace }
      if hasJustEnded { fruitless = left.isEmpty ? 0 : fruitless + 1 }
      (hasJustFetched, hasJustEnded) = (false, false)
    }
    // A feed due during the pause is fetched at its end; deliveries do not wait for it.
    step.wake = outlook.next.map { max($0, pause ?? $0) }
    step.sleep(until: outlook.deliveries)
    guard !outlook.due.isEmpty else { return }
    let news = outlook.due.subtracting(left)
    let hasNews = !news.isEmpty
    let isRested = rest.map { $0 <= now } ?? true
    let isPaused = pause.map { now < $0 } ?? false && !news.contains(where: \.isDelivery)
    guard isRested && !isPaused || hasNews && (isUrgent || !isPaused) else {
      step.sleep(until: hasNews ? pause : [rest, pause].compactMap(\.self).max())
      return
    }
    isFetching = true
    begunFor = outlook.due
    let isByPush = outlook.due.contains { if case .push = $0 { true } else { false } }
    step.cycle = isByPush ? .push : .watch
  }

  private mutating func stepTransfers(_ step: inout WatchStep, _ outlook: WatchOutlook, at now: Instant) {
    guard !isTransferring else { return }
    if hasJustTransferred {
      hasJustTransferred = false
      // The phase left transfers that may continue: the disk is full, for example.
      transferRest = outlook.transfers.map { $0 <= now } ?? false ? now + Self.longRest : nil
    }
    guard let moment = outlook.transfers else { return }
    guard moment <= now else { return step.sleep(until: moment) }
    if let transferRest, now < transferRest, !isUrgent, !mayHaveQueued {
      return step.sleep(until: transferRest)
    }
    isTransferring = true
    mayHaveQueued = false
    step.transfers = true
  }

  /// Records that a cycle has released the run lock; it may still deliver to hooks.
  public mutating func endFetching() {
    isFetching = false
    hasJustFetched = true
    mayHaveQueued = true
  }

  /// Records that a cycle has ended.
  public mutating func endCycle() {
    hasJustEnded = true
  }

  /// Records that transfers have ended.
  public mutating func endTransfers() {
    isTransferring = false
    hasJustTransferred = true
  }

  /// Records an error that no feed caused: a full disk, a locked database.
  public mutating func fail(at now: Instant) {
    setback = now + Self.shortRest
  }

  /// Ends all rests, because the clock was set, the machine woke up, or the configuration or the state directory is another.
  public mutating func startOver() {
    left = []
    fruitless = 0
    rest = nil
    pause = nil
    setback = nil
    transferRest = nil
    (hasJustFetched, hasJustEnded, hasJustTransferred) = (false, false, false)
  }
}

extension WatchDemand {
  fileprivate var isFeed: Bool {
    if case .feed = self { true } else { false }
  }

  fileprivate var isDelivery: Bool {
    if case .deliveries = self { true } else { false }
  }
}

extension WatchStep {
  fileprivate mutating func sleep(until moment: Instant?) {
    guard let moment else { return }
    wake = wake.map { min($0, moment) } ?? moment
  }
}

/// A reason to start a cycle.
public enum WatchDemand: Hashable, Sendable {
  /// A feed is due by its rules.
  ///
  /// `since` is the moment at which the last rule allowed it, so that a feed that is due again is a new demand.
  case feed(FeedName, since: Instant?)
  /// Pushes of a feed are due, up to the one with this number.
  case push(FeedName, Int64)
  /// A delivery of the hook with this name is due; one that has to rest moves no other hook's.
  case deliveries(String)
}

/// The work of the daemon, now and next.
public struct WatchOutlook: Hashable, Sendable {
  /// The present demands.
  public var due: Set<WatchDemand>
  /// When the next feed becomes due if nothing changes; nil for never.
  public var next: Instant?
  /// When the next delivery becomes due; nil for never.
  public var deliveries: Instant?
  /// When transfers may continue, now or later; nil for never.
  public var transfers: Instant?

  public init(
    due: Set<WatchDemand> = [], next: Instant? = nil, deliveries: Instant? = nil, transfers: Instant? = nil
  ) {
    self.due = due
    self.next = next
    self.deliveries = deliveries
    self.transfers = transfers
  }
}

/// The feeds that are due, and when the next of the others is.
///
/// A feed that a run would wait for is not due yet, because the daemon can start at the very moment.
///
/// - Parameters:
///   - feeds: all configured feeds, except those that are due at `next` or later.
///   - states: their states, as `stateUnderConfiguration` returns them.
///   - next: the earliest moment of other feeds.
///   - context: a run that names no feed.
/// - Returns: an outlook about feeds alone.
public func watchOutlook(
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], next: Instant? = nil, _ context: PlanningContext
) -> WatchOutlook {
  let unknown = FeedState()
  var outlook = WatchOutlook(next: next)
  for feed in feeds {
    let state = states[feed.name] ?? unknown
    let decision = dueDecision(feed, state, context)
    // Usually no push waits; then this saves looking up every feed.
    let push = context.pushes.isEmpty ? nil : context.pushes[feed.name]?.pushes.map(\.number).max()
    if let push, decision.isByPush {
      outlook.take(decision, as: .push(feed.name, push))
    } else {
      outlook.take(decision, as: .feed(feed.name, since: decision.reachedAt))
    }
    // A push that announces a file of its own does not make the feed due.
    if let push, feed.push.url != nil {
      outlook.take(pushDecision(feed, state, context), as: .push(feed.name, push))
    }
  }
  return outlook
}

extension WatchOutlook {
  fileprivate mutating func take(_ decision: DueDecision, as demand: @autoclosure () -> WatchDemand) {
    if let moment = decision.waitUntil {
      note(moment)
    } else if decision.isDue {
      due.insert(demand())
    } else {
      note(decision.dueAt)
    }
  }

  private mutating func note(_ moment: Instant?) {
    guard let moment else { return }
    next = next.map { min($0, moment) } ?? moment
  }
}

extension DueDecision {
  /// When the last rule allowed the feed; nil if no rule had postponed it.
  fileprivate var reachedAt: Instant? {
    if case .reached(_, let moment) = reason { moment } else { nil }
  }
}

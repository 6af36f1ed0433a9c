// The daemon's decisions: what is due now, what to start next, and how long to sleep. No effects.

/// What a run that stays does next.
public struct WatchStep: Hashable, Sendable {
  /// The cause of the cycle that it begins; nil if it begins none.
  public var cycle: RunCause?
  /// Whether it begins to work off transfers.
  public var transfers = false
  /// When it looks again, if nothing wakes it before; nil is never.
  public var wake: Instant?
}

/// The books of a run that stays.
///
/// A cycle begins as soon as something is due. What a cycle left as it was, because the machine is offline, the budget was
/// over or a hook is busy, would be due again at once, and rests for a while. Whatever is new does not wait for that.
public struct WatchBooks: Sendable {
  /// Whether a cycle fetches, or waits until it may.
  public private(set) var isFetching = false
  /// Whether transfers are worked off, or that waits for another process.
  public private(set) var isTransferring = false
  /// What the last cycle was begun for.
  private var begunFor: Set<WatchDemand> = []
  /// What it left of that.
  private var left: Set<WatchDemand> = []
  /// How many cycles in a row left something.
  private var fruitless: Int64 = 0
  /// Before this no cycle begins for what was left.
  private var rest: Instant?
  /// Before this no cycle begins for feeds that nobody asked for just now.
  private var pause: Instant?
  /// Before this nothing is begun, after something went wrong.
  private var setback: Instant?
  /// Before this transfers are not worked off again.
  private var transferRest: Instant?
  private var hasJustFetched = false
  private var hasJustEnded = false
  private var hasJustTransferred = false
  /// Whether a cycle may have queued transfers since they were begun last.
  private var mayHaveQueued = false
  /// Whether somebody asked for something while a cycle was under way.
  private var isUrgent = false

  /// Books in which nothing has happened yet.
  public init() {}

  /// Between two cycles for feeds that nobody asked for: many, each due at another second, are to share some.
  static let pace = Interval.seconds(10)
  /// How long rests what a cycle left, for the first time in a row; each time more it is that much longer.
  static let shortRest = Interval.minutes(1)
  /// How long that rests at most, as long as the timers that are usual.
  static let longRest = Interval.minutes(5)

  /// Whether anything could begin now, so that it is worth a look what there is to do.
  public func mayBegin(at now: Instant) -> Bool {
    !isFetching && setback.map { $0 <= now } ?? true
  }

  /// Decides what is done next; what it says is begun is taken to be.
  ///
  /// - Parameters:
  ///   - outlook: what there is to do.
  ///   - isUrgent: whether somebody asked for something just now.
  ///   - now: the present moment.
  /// - Returns: what is begun, and for how long nothing else is.
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
      // What came up while it was under way is not something that it left.
      left = outlook.due.intersection(begunFor)
      rest = now + .seconds(min(Self.shortRest.seconds * (fruitless + 1), Self.longRest.seconds))
      // A push that was taken makes no other feed late.
      if hasJustFetched, begunFor.contains(where: \.isFeed) { pause = now + Self.pace }
      if hasJustEnded { fruitless = left.isEmpty ? 0 : fruitless + 1 }
      (hasJustFetched, hasJustEnded) = (false, false)
    }
    // A feed that is due before the pause is over is fetched then; a delivery has its own moment.
    step.wake = outlook.next.map { max($0, pause ?? $0) }
    step.sleep(until: outlook.deliveries)
    guard !outlook.due.isEmpty else { return }
    let news = outlook.due.subtracting(left)
    let hasNews = !news.isEmpty
    let isRested = rest.map { $0 <= now } ?? true
    let isPaused = pause.map { now < $0 } ?? false && !news.contains(.deliveries)
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
      // What the phase left though it may go on: there is no room for it, for example.
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

  /// Takes note that a cycle has given the run lock back; hooks may still be told.
  public mutating func endFetching() {
    isFetching = false
    hasJustFetched = true
    mayHaveQueued = true
  }

  /// Takes note that a cycle is over.
  public mutating func endCycle() {
    hasJustEnded = true
  }

  /// Takes note that no transfers are worked off any more.
  public mutating func endTransfers() {
    isTransferring = false
    hasJustTransferred = true
  }

  /// Takes note that something went wrong that has nothing to do with a feed: a full disk, a database that is locked.
  public mutating func fail(at now: Instant) {
    setback = now + Self.shortRest
  }

  /// Takes note that the clock was set, the machine woke or the configuration changed: no rest counts any more.
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
}

extension WatchStep {
  fileprivate mutating func sleep(until moment: Instant?) {
    guard let moment else { return }
    wake = wake.map { min($0, moment) } ?? moment
  }
}

/// Something that a cycle of a run that stays is begun for.
public enum WatchDemand: Hashable, Sendable {
  /// A feed is due by its rules, since a moment; nil if none ever held it. Fetched and due again, it is another one.
  case feed(FeedName, since: Instant?)
  /// Pushes of a feed may be taken, up to the one with this number.
  case push(FeedName, Int64)
  /// The time of a delivery has come.
  case deliveries
}

/// What a run that stays finds when it looks around.
public struct WatchOutlook: Hashable, Sendable {
  /// What there is to do now.
  public var due: Set<WatchDemand>
  /// When another feed is due, if nothing changes; nil if none ever is.
  public var next: Instant?
  /// When the time of another delivery comes; nil if it never does.
  public var deliveries: Instant?
  /// When transfers may go on, which is now or later; nil if none ever does, or none is to.
  public var transfers: Instant?

  /// An outlook; on nothing, unless told otherwise.
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
/// A feed that a run would wait for is not due yet: whoever stays can be there at the very moment.
///
/// - Parameters:
///   - feeds: all configured feeds.
///   - states: what is remembered of them, as `stateUnderConfiguration` returns it.
///   - context: a run that names no feed.
/// - Returns: an outlook on feeds alone.
public func watchOutlook(
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext
) -> WatchOutlook {
  let unknown = FeedState()
  var outlook = WatchOutlook()
  for feed in feeds {
    let state = states[feed.name] ?? unknown
    let decision = dueDecision(feed, state, context)
    // None waits, mostly: then the feed's name is not even looked up.
    let push = context.pushes.isEmpty ? nil : context.pushes[feed.name]?.pushes.map(\.number).max()
    if let push, decision.isByPush {
      outlook.take(decision, as: .push(feed.name, push))
    } else {
      outlook.take(decision, as: .feed(feed.name, since: decision.reachedAt))
    }
    // A push that brings a file of its own does not make the feed due.
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
  /// When the last rule that held the feed let go; nil if none ever held it.
  fileprivate var reachedAt: Instant? {
    if case .reached(_, let moment) = reason { moment } else { nil }
  }
}

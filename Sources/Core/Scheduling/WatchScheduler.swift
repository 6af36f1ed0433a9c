// The daemon's decisions: what is due now, what to start next, and how long to sleep. No effects.

/// The next actions of the daemon.
public struct WatchStep: Equatable, Sendable {
  /// Whether to start a run.
  public var startsRun = false
  /// When to decide again at the latest; nil for never.
  public var wake: Instant?
}

/// The daemon's memory: whether a run fetches now, and what the last runs left undone.
///
/// A run starts as soon as something is due. Demands that a run could not serve, because the machine is offline, the
/// budget is used up or a hook is busy, would be due again at once, so they rest. New demands do not wait for that rest.
public struct WatchScheduler: Sendable {
  /// Whether a run is fetching, or waiting for the run lock.
  public private(set) var isFetching = false
  /// The demands for which the last run started.
  private var begunFor: Set<WatchDemand> = []
  /// The demands that it could not serve.
  private var left: Set<WatchDemand> = []
  /// How many runs in succession left demands.
  private var fruitless: Int64 = 0
  /// The moment before which no run starts for the demands that were left.
  private var rest: Instant?
  /// The moment before which no run starts for feeds that are due by themselves.
  private var pause: Instant?
  /// The moment before which nothing starts, after an error.
  private var setback: Instant?
  /// The first of the errors that have followed one another.
  private var failing: Instant?
  private var hasJustFetched = false
  private var hasJustEnded = false
  /// Whether a push or a command asked for something during a run.
  private var isUrgent = false

  /// A scheduler for which nothing has happened yet.
  public init() {}

  /// The time between two runs for feeds due by themselves, so that feeds due seconds apart share a run.
  static let pace = Interval.seconds(10)
  /// The first rest of demands that were left; each further rest in succession is that much longer.
  static let shortRest = Interval.minutes(1)
  /// How long to try each second.
  static let patience = Interval.seconds(30)
  /// The longest rest, as long as the usual interval of timers.
  static let longRest = Interval.minutes(5)

  /// Whether anything could start now, so that computing an outlook is worth it.
  public func mayStart(at now: Instant) -> Bool {
    !isFetching && setback.map { $0 <= now } ?? true
  }

  /// Decides what to do next, and records it as started.
  ///
  /// - Parameters:
  ///   - outlook: the work, now and next.
  ///   - isUrgent: whether something was asked for just now.
  ///   - now: the present moment.
  /// - Returns: whether a run starts, and when to decide again.
  public mutating func step(_ outlook: DueOutlook, isUrgent: Bool, at now: Instant) -> WatchStep {
    self.isUrgent = self.isUrgent || isUrgent
    if let setback, now < setback { return WatchStep(wake: setback) }
    setback = nil
    guard !isFetching else { return WatchStep() }
    defer { self.isUrgent = false }
    if hasJustFetched || hasJustEnded {
      // Demands that came up during the run were not left by it.
      left = outlook.due.intersection(begunFor)
      rest = now + .seconds(min(Self.shortRest.seconds * (fruitless + 1), Self.longRest.seconds))
      // After a push there is no pause, so that it delays no other feed.
      if hasJustFetched, begunFor.contains(where: \.isFeed) { pause = now + Self.pace }
      if hasJustEnded { fruitless = left.isEmpty ? 0 : fruitless + 1 }
      hasJustFetched = false
      hasJustEnded = false
    }
    // Which of them is new is not known, so a command tries them all.
    if self.isUrgent { left.remove(.transfers) }
    // A feed due during the pause is fetched at its end; deliveries and transfers do not wait for it.
    var wake = [outlook.next.map { max($0.at, pause ?? $0.at) }, outlook.later]
    let news = outlook.due.subtracting(left)
    let isRested = rest.map { $0 <= now } ?? true
    let isPaused = pause.map { now < $0 } ?? false && news.allSatisfy(\.isFeedOrPush)
    guard !outlook.due.isEmpty, isRested && !isPaused || !news.isEmpty && (self.isUrgent || !isPaused)
    else {
      if !outlook.due.isEmpty { wake.append(news.isEmpty ? [rest, pause].compactMap(\.self).max() : pause) }
      return WatchStep(wake: wake.compactMap(\.self).min())
    }
    isFetching = true
    begunFor = outlook.due
    return WatchStep(startsRun: true, wake: wake.compactMap(\.self).min())
  }

  /// Records that a run has ended its fetch; it may still download, and deliver to hooks.
  public mutating func endFetching() {
    isFetching = false
    hasJustFetched = true
  }

  /// Records that a run has ended.
  public mutating func endRun() {
    hasJustEnded = true
  }

  /// Records an error that no feed caused: a full disk, a locked database.
  ///
  /// The work of a run rests no longer than that: the next run starts when work may be looked for again.
  ///
  /// - Parameter mayPass: whether a server may be ready in seconds, so that it is tried again each second.
  /// - Returns: whether the error is worth a message.
  @discardableResult
  public mutating func fail(at now: Instant, mayPass: Bool = false) -> Bool {
    failing = failing ?? now
    let isShort = mayPass && failing.map { now < $0 + Self.patience } ?? false
    setback = now + (isShort ? .seconds(1) : mayPass ? Self.pace : Self.shortRest)
    begunFor = []
    return !isShort
  }

  /// Records that work could be looked for.
  public mutating func succeed() {
    failing = nil
  }

  /// Ends all rests, because the clock was set, the machine woke up, or the configuration or the state directory is another.
  public mutating func startOver() {
    let wasFetching = isFetching
    self = WatchScheduler()
    isFetching = wasFetching
  }
}

extension WatchDemand {
  fileprivate var isFeed: Bool {
    if case .feed = self { true } else { false }
  }

  fileprivate var isFeedOrPush: Bool {
    switch self {
    case .feed, .push: true
    case .deliveries, .transfers, .abandoned: false
    }
  }
}

// Deliveries: one event for one hook, tried until it succeeds, is dead or grows too old.

public enum DeliveryStatus: String, Sendable {
  /// Waiting for its first or next attempt.
  case pending
  case running
  /// The hook has taken the event: its program exited with 0, its server accepted it, or its popup is shown.
  case delivered
  /// The retries are used up.
  case dead
  /// It grew older than the hook's `expires`.
  case expired
  /// There was nothing left to say, or another message says it.
  case dropped
}

/// One event for one hook.
public struct Delivery: Equatable, Sendable {
  /// The store's number; it grows in the order of the events.
  public var number: Int64
  public var hook: String
  public var event: Event
  /// The number of attempts, including the current one.
  public var attempts: Int
  /// When the event was recorded.
  public var created: Instant
  public var status: DeliveryStatus
  public var notBefore: Instant
  /// Why the last attempt failed.
  public var lastError: String?
  /// The moment a message is or was postponed to by its feed's hours; nil if it never was.
  public var postponedUntil: Instant?
  /// The latest moment until which a message waits for files; nil if it does not wait.
  public var readyBy: Instant?
  /// When a delayed message is due (`notify.delay`); nil means at once.
  public var triggerAt: Instant?
  /// Whether a message that others may join still waits for files.
  public var awaitsFiles = false

  public init(
    number: Int64, hook: String, event: Event, attempts: Int, created: Instant, status: DeliveryStatus,
    notBefore: Instant, lastError: String?
  ) {
    (self.number, self.hook, self.event, self.attempts) = (number, hook, event, attempts)
    (self.created, self.status, self.notBefore, self.lastError) = (created, status, notBefore, lastError)
  }
}

extension Delivery {
  /// How far ahead each moment of a delivery can be; one that is further was written before the clock was set back, and counts
  /// as past.
  public enum Longest {
    /// The time between two attempts.
    public static let retry = Interval.hours(6)
    /// The time that hours postpone a message: a week, and another one if a change of clocks skips their only window.
    public static let postponement = Interval.days(15)
    /// The time that a message is delayed or collected for a digest, with a day for clocks that are corrected.
    public static let delay = HookSpec.longestCollection + .days(1)
    /// The time that a message waits for files.
    public static let files = NotificationMoment.longestWait
  }

  /// The id of the origin of its event.
  var origin: String { String(event.id.prefix { $0 != "/" }) }

  /// Whether the delay of a message has ended, or the clock was set back since it began.
  ///
  /// The moment of a digest is set again by each run, and is then one before the beginning.
  public func hasTriggered(at now: Instant) -> Bool {
    guard let triggerAt, triggerAt > now, triggerAt <= now + Longest.delay else { return true }
    return created > now + PlanningContext.clockCorrection && triggerAt >= created
  }
}

/// How a hook ended.
public enum HookEnd: Equatable, Sendable {
  /// It took the event, and printed this line first.
  case delivered(printed: String)
  /// Why it has failed, in words; it may have asked for an attempt that does not count, or to wait.
  case failed(String, isTemporary: Bool = false, retryAfter: Interval? = nil)
  /// The run was cancelled, and its process group was killed.
  case suspended

  /// The end of a program; 75 is `EX_TEMPFAIL` (sysexits.h(3)).
  ///
  /// - Parameters:
  ///   - printed: the first line of its output.
  ///   - errors: the end of its error output.
  public static func exited(_ status: Int32, printed: String, errors: String) -> HookEnd {
    if status == 0 { return .delivered(printed: printed) }
    let said = lastLines(of: errors, limit: 240)
    return .failed("exit status \(status)" + (said.isEmpty ? "" : ": \(said)"), isTemporary: status == 75)
  }
}

/// Decides how an attempt at a delivery ends.
///
/// A temporary failure is retried in five minutes and does not count. Any other is retried after 1, 3, 9, 27 … minutes, at most
/// `Longest.retry`, or when the server of a webhook asks for it if that is later, within the same time; when the hook's retries are
/// used up the delivery is dead. Best-effort events are tried once and then dropped.
public func deliveryEnd(_ end: HookEnd, _ delivery: Delivery, _ hook: HookSpec, at now: Instant)
  -> DeliveryEnd
{
  let isBestEffort = delivery.event.kind.isBestEffort
  switch end {
  case .delivered: return DeliveryEnd(.delivered, notBefore: now)
  case .suspended: return DeliveryEnd(isBestEffort ? .dropped : .pending, notBefore: now, isCounted: false)
  // A best-effort event is not worth a report: the status bar that wants it may not be running.
  case .failed(let error, _, _) where isBestEffort: return DeliveryEnd(.dropped, notBefore: now, error: error)
  case .failed(let error, isTemporary: true, _):
    return DeliveryEnd(.pending, notBefore: now + .minutes(5), error: error, isCounted: false)
  case .failed(let error, _, let asked):
    guard delivery.attempts <= hook.retries else { return DeliveryEnd(.dead, notBefore: now, error: error) }
    var wait = Interval.minutes(1)
    for _ in 1..<max(1, delivery.attempts) { wait = min(.seconds(wait.seconds * 3), Delivery.Longest.retry) }
    if let asked { wait = max(wait, min(asked + wholeSecond, Delivery.Longest.retry)) }
    return DeliveryEnd(.pending, notBefore: now + wait, error: error)
  }
}

/// The waiting messages of one feed that are postponed to the same moment, or not postponed.
public struct WaitingMessages: Equatable, Sendable {
  public var feed: FeedName
  /// The moment they are or were postponed to; nil if they never were.
  public var postponedUntil: Instant?

  public init(feed: FeedName, postponedUntil: Instant?) {
    (self.feed, self.postponedUntil) = (feed, postponedUntil)
  }
}

/// The reason why a delivery is still pending, in the order in which reasons are shown.
public enum DeliveryWait: Comparable, Sendable {
  /// Its hook, which the configuration does not have.
  case hook
  /// The next attempt after a failed one, which may be made from this moment on.
  case attempt(Instant, error: String)
  /// A session bus, which the hook needs; the delivery expires at this age.
  case session(Interval)
  /// The next run.
  case run
  /// The files of its items, at the longest until this moment.
  case files(Instant)
  /// The end of the feed's `delay` or the beginning of its hours, or the moment of a digest.
  case moment(Instant)

  /// A number of the reason, whatever its moment.
  public var kind: Int {
    switch self {
    case .hook: 0
    case .attempt: 1
    case .session: 2
    case .run: 3
    case .files: 4
    case .moment: 5
    }
  }
}

/// Finds the reason why a delivery is still pending.
///
/// - Parameters:
///   - hook: its hook; nil if the configuration has none of this name.
///   - hasSession: whether there is a session bus.
public func deliveryWait(
  _ delivery: Delivery, _ hook: HookSpec?, hasSession: Bool, at now: Instant
) -> DeliveryWait {
  guard let hook else { return .hook }
  if let moment = [delivery.postponedUntil, delivery.triggerAt].compactMap({ $0 }).max(), moment > now {
    return .moment(moment)
  }
  if hook.isPopup, !hasSession { return .session(hook.expires) }
  if let error = delivery.lastError { return .attempt(delivery.notBefore, error: error) }
  if let moment = delivery.readyBy, moment > now { return .files(moment) }
  return .run
}

/// The line that a hook printed for the identifier of a notification.
public struct PrintedIdentifier: Sendable {
  public var identifier: String
  /// The login session in which the hook ran.
  public var session: String
  /// The line; nil if the hook printed no usable one, which removes the stored line.
  public var text: String?

  public init(identifier: String, session: String, text: String?) {
    (self.identifier, self.session, self.text) = (identifier, session, text)
  }
}

/// The result of one attempt at a delivery.
public struct DeliveryEnd: Sendable {
  /// The new status; `pending` to try again.
  public var status: DeliveryStatus
  /// The earliest moment of the next attempt; nil means at once.
  public var notBefore: Instant?
  /// The error of a failed attempt.
  public var error: String?
  /// Whether the attempt uses up one of the retries.
  public var isCounted = true
  public var printed: PrintedIdentifier?

  public init(
    _ status: DeliveryStatus, notBefore: Instant? = nil, error: String? = nil, isCounted: Bool = true
  ) {
    (self.status, self.notBefore, self.error, self.isCounted) = (status, notBefore, error, isCounted)
  }
}

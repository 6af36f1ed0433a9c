// One event on its way to one hook.

/// How far a delivery is.
public enum DeliveryStatus: String, Hashable, Sendable {
  /// Waiting for its (next) attempt.
  case pending
  /// An attempt is under way.
  case running
  /// The hook exited with 0.
  case delivered
  /// The retries are used up.
  case dead
  /// It grew older than the hook's `expires`.
  case expired
  /// There was nothing left to say, or another message said it.
  case dropped
}

/// One event on its way to one hook.
public struct Delivery: Hashable, Sendable {
  /// The store's number for it; ascending in the order of the events.
  public var number: Int64
  /// The hook's name.
  public var hook: String
  /// The event.
  public var event: Event
  /// Attempts made, the one under way included.
  public var attempts: Int
  /// When the event was recorded.
  public var created: Instant
  /// How far it is.
  public var status: DeliveryStatus
  /// Not to be tried before this moment.
  public var notBefore: Instant
  /// What the last failed attempt said.
  public var lastError: String?
  /// Until when a message is or was held back by its feed's hours; nil if it never was.
  public var heldUntil: Instant?
  /// Until when a message waits at most for the files of its items; nil if it does not wait, or not any more.
  public var readyBy: Instant?
  /// When a delayed message is due (`notify.delay`); nil is at once.
  public var triggerAt: Instant?

  /// A delivery.
  public init(
    number: Int64, hook: String, event: Event, attempts: Int, created: Instant, status: DeliveryStatus,
    notBefore: Instant, lastError: String?
  ) {
    self.number = number
    self.hook = hook
    self.event = event
    self.attempts = attempts
    self.created = created
    self.status = status
    self.notBefore = notBefore
    self.lastError = lastError
  }
}

/// An event together with the hooks it goes to, as it is recorded.
public struct EventRecord: Hashable, Sendable {
  /// The event.
  public var event: Event
  /// The names of the hooks.
  public var hooks: [String]
  /// The items a notification speaks of, as indices into the new items of the same commit.
  public var newItems: [Int]
  /// The items a notification speaks of that the store knew before, by number.
  public var knownItems: [Int64]
  /// Until when a message is held back; nil is not at all.
  public var heldUntil: Instant?
  /// Until when a message waits for the assets of its items at most; nil does not wait.
  public var readyBy: Instant?
  /// When a delayed message is due (`notify.delay`); nil is at once.
  public var triggerAt: Instant?

  /// An event for hooks.
  public init(event: Event, hooks: [String], newItems: [Int] = [], knownItems: [Int64] = []) {
    self.event = event
    self.hooks = hooks
    self.newItems = newItems
    self.knownItems = knownItems
  }
}

// What telling the person takes: the badge file, deliveries, hooks.

public import Core

/// What telling the person takes: the badge file, deliveries and hooks.
public struct TellingEffects: Sendable {
  /// Brings the badge file up to date with the store, both under the file's lock, so that no older number is written
  /// over a newer one.
  public var updateBadge: @Sendable () async throws -> BadgeChange
  /// Which feeds have messages that wait, apart by how long they are held back.
  public var waitingByFeed: @Sendable () async throws -> [WaitingMessages]
  /// Holds messages back until a moment, which may be now.
  public var hold: @Sendable (WaitingMessages, _ until: Instant, _ now: Instant) async throws -> Void
  /// The hooks that have a delivery to try now.
  public var hooksWithWork: @Sendable (Instant) async throws -> Set<String>
  /// The next moment at which the time of a delivery comes; nil where there is none.
  public var nextMoment: @Sendable (_ after: Instant) async throws -> Instant?
  /// Takes the lock of a hook, so that its deliveries run one at a time; nil if another process has it.
  public var lock: @Sendable (_ hook: String) async throws -> HeldLock?
  /// Claims the next delivery of a hook that is not among these.
  public var next: @Sendable (_ hook: String, Instant, _ kept: Set<Int64>) async throws -> Delivery?
  /// Messages of a hook that were never attempted, in order.
  public var waitingMessages: @Sendable (_ hook: String, Instant) async throws -> [Delivery]
  /// The items of a message that are still unseen, newest first.
  public var unseenItems: @Sendable (_ delivery: Int64) async throws -> [StoredItem]
  /// How many of the files of a message's items are there, and of how many.
  public var files: @Sendable (_ delivery: Int64) async throws -> (placed: Int, all: Int)
  /// Keeps the text of a message as it is first delivered.
  public var freeze: @Sendable (_ delivery: Int64, [EventField]) async throws -> Void
  /// Puts one message in the place of others, with the items of all of them; false if nothing was left to join.
  public var join: @Sendable (_ hook: String, _ deliveries: [Int64], Event, _ run: Int64) async throws -> Bool
  /// Records what became of a delivery, and what the hook printed for the message's identifier.
  public var finish:
    @Sendable (_ delivery: Int64, DeliveryVerdict, PrintedMessage?, Instant) async throws -> Void
  /// Drops deliveries recorded before a moment; says how many.
  public var expire: @Sendable (_ hook: String, _ before: Instant, _ now: Instant) async throws -> Int
  /// What a hook printed for an identifier in this login session; empty if nothing.
  public var printed: @Sendable (_ hook: String, _ identifier: String) async throws -> String
  /// The messages with an identifier that were recorded after one and that its hook was told.
  public var newerTold: @Sendable (_ delivery: Int64, _ identifier: String) async throws -> [Delivery]
  /// Runs a command; a cancelled task ends its process group and gives `.suspended`.
  public var runHook: @Sendable (HookCall) async -> HookEnd
  /// Whether the user has a session bus.
  public var hasSessionBus: @Sendable () -> Bool

  /// Telling through a store, a file and processes.
  public init(
    updateBadge: @escaping @Sendable () async throws -> BadgeChange,
    waitingByFeed: @escaping @Sendable () async throws -> [WaitingMessages],
    hold: @escaping @Sendable (WaitingMessages, _ until: Instant, _ now: Instant) async throws -> Void,
    hooksWithWork: @escaping @Sendable (Instant) async throws -> Set<String>,
    nextMoment: @escaping @Sendable (_ after: Instant) async throws -> Instant?,
    lock: @escaping @Sendable (_ hook: String) async throws -> HeldLock?,
    next: @escaping @Sendable (_ hook: String, Instant, _ kept: Set<Int64>) async throws -> Delivery?,
    waitingMessages: @escaping @Sendable (_ hook: String, Instant) async throws -> [Delivery],
    unseenItems: @escaping @Sendable (_ delivery: Int64) async throws -> [StoredItem],
    files: @escaping @Sendable (_ delivery: Int64) async throws -> (placed: Int, all: Int),
    freeze: @escaping @Sendable (_ delivery: Int64, [EventField]) async throws -> Void,
    join:
      @escaping @Sendable (_ hook: String, _ deliveries: [Int64], Event, _ run: Int64) async throws -> Bool,
    finish:
      @escaping @Sendable (_ delivery: Int64, DeliveryVerdict, PrintedMessage?, Instant) async throws -> Void,
    expire: @escaping @Sendable (_ hook: String, _ before: Instant, _ now: Instant) async throws -> Int,
    printed: @escaping @Sendable (_ hook: String, _ identifier: String) async throws -> String,
    newerTold: @escaping @Sendable (_ delivery: Int64, _ identifier: String) async throws -> [Delivery],
    runHook: @escaping @Sendable (HookCall) async -> HookEnd, hasSessionBus: @escaping @Sendable () -> Bool
  ) {
    self.updateBadge = updateBadge
    self.waitingByFeed = waitingByFeed
    self.hold = hold
    self.hooksWithWork = hooksWithWork
    self.nextMoment = nextMoment
    self.lock = lock
    self.next = next
    self.waitingMessages = waitingMessages
    self.unseenItems = unseenItems
    self.files = files
    self.freeze = freeze
    self.join = join
    self.finish = finish
    self.expire = expire
    self.printed = printed
    self.newerTold = newerTold
    self.runHook = runHook
    self.hasSessionBus = hasSessionBus
  }
}

/// A lock, held until it is released or the process ends.
public struct HeldLock: Sendable {
  /// Gives it back.
  public var release: @Sendable () -> Void

  /// A lock that is given back so.
  public init(release: @escaping @Sendable () -> Void) {
    self.release = release
  }
}

/// The badge, and whether its file said another number before.
public struct BadgeChange: Hashable, Sendable {
  /// The number.
  public var badge: Int
  /// Whether the file changed.
  public var hasChanged: Bool

  /// A badge.
  public init(badge: Int, hasChanged: Bool) {
    self.badge = badge
    self.hasChanged = hasChanged
  }
}

/// What a hook printed for a message's identifier: the number by which it can be replaced.
public struct PrintedMessage: Hashable, Sendable {
  /// The identifier.
  public var identifier: String
  /// The number, as printed; nil where it printed none, and the message cannot be replaced.
  public var number: String?

  /// A number for an identifier.
  public init(identifier: String, number: String?) {
    self.identifier = identifier
    self.number = number
  }
}

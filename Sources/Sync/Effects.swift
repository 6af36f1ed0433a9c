// Everything a run does to the world. The program gives the live ones, tests give their own.

public import Core

/// Everything a run does to the world, as closures over values.
///
/// Closures that throw do so only for the state store and the badge file; such an error ends the run, with all that was
/// committed kept. What can go wrong with one feed or one hook is a value.
public struct Effects: Sendable {
  /// The clock and the machine.
  public var machine: MachineEffects
  /// The state store.
  public var store: StoreEffects
  /// The network.
  public var network: NetworkEffects
  /// Feeds that are files.
  public var files: FileEffects
  /// Hooks and the badge file.
  public var telling: TellingEffects
  /// Transfers.
  public var transfers: TransferEffects
  /// Says what happened, for progress and logs; never waits.
  public var report: @Sendable (RunEvent) -> Void

  /// All effects of a run.
  public init(
    machine: MachineEffects, store: StoreEffects, network: NetworkEffects, files: FileEffects,
    telling: TellingEffects, transfers: TransferEffects,
    report: @escaping @Sendable (RunEvent) -> Void
  ) {
    self.machine = machine
    self.store = store
    self.network = network
    self.files = files
    self.telling = telling
    self.transfers = transfers
    self.report = report
  }
}

/// The clock and the machine.
public struct MachineEffects: Sendable {
  /// The time of day.
  public var now: @Sendable () -> Instant
  /// The time of day to the millisecond, for the log of requests.
  public var timestamp: @Sendable () -> Timestamp
  /// Milliseconds that only ever grow.
  public var milliseconds: @Sendable () -> Int64
  /// Returns when the milliseconds have reached this number, or the task is cancelled.
  public var sleep: @Sendable (_ until: Int64) async -> Void
  /// Does long work on a thread of its own, and returns when it is done.
  public var aside: @Sendable (_ work: @escaping @Sendable () -> Void) async -> Void = { work in work() }
  /// The zone in which cron fields are read.
  public var zone: Zone
  /// This machine's identity, for jitter.
  public var identity: String
  /// Whether an interface could reach anything but this machine.
  public var hasUsableRoute: @Sendable () -> Bool

  /// The clock and the machine.
  public init(
    now: @escaping @Sendable () -> Instant, timestamp: @escaping @Sendable () -> Timestamp,
    milliseconds: @escaping @Sendable () -> Int64,
    sleep: @escaping @Sendable (_ until: Int64) async -> Void, zone: Zone, identity: String,
    hasUsableRoute: @escaping @Sendable () -> Bool
  ) {
    self.now = now
    self.timestamp = timestamp
    self.milliseconds = milliseconds
    self.sleep = sleep
    self.zone = zone
    self.identity = identity
    self.hasUsableRoute = hasUsableRoute
  }
}

/// The network.
public struct NetworkEffects: Sendable {
  /// Resolves a feed's secrets; a failure is that feed's own.
  public var access: @Sendable (FeedSpec) async -> Result<FeedAccess, FetchFailure>
  /// Sends one request; a cancelled task gives `.suspended`.
  public var fetch: @Sendable (Request) async -> Result<Response, FetchFailure>
  /// The program's own `User-Agent`.
  public var userAgent: String

  /// The network.
  public init(
    access: @escaping @Sendable (FeedSpec) async -> Result<FeedAccess, FetchFailure>,
    fetch: @escaping @Sendable (Request) async -> Result<Response, FetchFailure>, userAgent: String
  ) {
    self.access = access
    self.fetch = fetch
    self.userAgent = userAgent
  }
}

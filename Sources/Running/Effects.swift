// The effects of a run on the world. The program supplies the real ones, and tests supply their own.

package import Core
package import Machine
package import Store
import Synchronization

/// The effects of a run on the world.
///
/// Only the store, the locks and the badge file throw; such an error ends the run, and everything committed before is kept. Failures
/// of one feed, one file or one hook are values.
package struct Effects: Sendable {
  package var machine: MachineEffects
  package var store: Store
  package var network: NetworkEffects
  package var hooks: HookEffects
  /// The documents directory with a path.
  package var documents: @Sendable (_ directory: String) -> any Documents
  /// Takes a lock of the state directory without waiting, or returns nil if another process has it.
  package var tryLock: @Sendable (LockName) async throws -> HeldLock?
  /// Reports progress; never waits.
  package var report: @Sendable (RunEvent) -> Void
  /// The other runs that may work on the same state.
  package var coordination: Coordination

  package init(
    machine: MachineEffects, store: Store, network: NetworkEffects, hooks: HookEffects,
    documents: @escaping @Sendable (String) -> any Documents,
    tryLock: @escaping @Sendable (LockName) async throws -> HeldLock?,
    report: @escaping @Sendable (RunEvent) -> Void, coordination: Coordination
  ) {
    (self.machine, self.store, self.network, self.hooks) = (machine, store, network, hooks)
    (self.documents, self.tryLock) = (documents, tryLock)
    (self.report, self.coordination) = (report, coordination)
  }
}

/// The clock and the machine.
package struct MachineEffects: Sendable {
  /// The time of day.
  package var now: @Sendable () -> Instant
  /// The time of day to the millisecond, for the log of requests.
  package var timestamp: @Sendable () -> Timestamp
  /// Milliseconds on a clock that is never set back.
  package var milliseconds: @Sendable () -> Int64
  /// Returns when `milliseconds` has reached this number, or the task is cancelled.
  package var sleep: @Sendable (_ until: Int64) async -> Void
  /// Does work on a thread of its own, and returns whether it has ended.
  ///
  /// The work is left there if it goes on although the moment, in milliseconds, has passed or the task was cancelled.
  package var aside: @Sendable (_ until: Int64, _ work: @escaping @Sendable () -> Void) async -> Bool = {
    _, work in
    work()
    return true
  }
  /// The zone in which cron expressions and hours are read.
  package var zone: Zone
  /// Identifies this machine, so that its jitter differs from the jitter of others.
  package var identity: String
  /// The number of this process, recorded with each run.
  package var process: Int32 = 0
  /// The state of the machine that conditions are about, with the last answer of their command.
  package var surroundings: @Sendable (Conditions) -> Surroundings = { _ in Surroundings() }
  /// Runs commands of conditions, unless that was done a moment ago, within the time that is left; a cancelled task ends them.
  package var ask: @Sendable (_ commands: Set<[String]>, _ left: Interval?) async -> Void = { _, _ in }
  /// Whether an interface could reach anything but this machine.
  package var hasUsableRoute: @Sendable () -> Bool

  package init(
    now: @escaping @Sendable () -> Instant, timestamp: @escaping @Sendable () -> Timestamp,
    milliseconds: @escaping @Sendable () -> Int64, sleep: @escaping @Sendable (Int64) async -> Void,
    zone: Zone, identity: String, hasUsableRoute: @escaping @Sendable () -> Bool
  ) {
    (self.now, self.timestamp, self.milliseconds) = (now, timestamp, milliseconds)
    (self.sleep, self.zone, self.identity) = (sleep, zone, identity)
    self.hasUsableRoute = hasUsableRoute
  }

  /// The moment after an interval from now, in `milliseconds`.
  func moment(after interval: Interval) -> Int64 { milliseconds() + interval.seconds * 1000 }
}

/// Requests for feeds, and feeds that are files or the output of commands.
package struct NetworkEffects: Sendable {
  /// Resolves a feed's secrets; a failure counts against that feed alone.
  package var access: @Sendable (FeedSpec) async -> Result<FeedAccess, FetchFailure>
  /// Sends one request; a cancelled task gets `.suspended`.
  package var fetch: @Sendable (Request) async -> Result<Response, FetchFailure>
  /// Sends one request, and passes the body of a 2xx response to a receiver, which is no longer called when this
  /// returns; a cancelled task gets `.suspended`.
  package var download:
    @Sendable (Request, any BodyReceiver & Sendable) async -> Result<Response, FetchFailure>
  /// Reads the file of a feed unless its tag is still `unlessTagged`; a cancelled task gets `.suspended`.
  package var readFile:
    @Sendable (_ path: String, _ limit: ByteCount, _ unlessTagged: String?) async -> Result<
      FeedFileContent, FetchFailure
    >
  /// Runs the command of a feed with bytes on its standard input, and returns what it prints; a cancelled task ends its
  /// process group and gets `.suspended`.
  package var run: @Sendable (_ feed: FeedSpec, _ input: [UInt8]) async -> Result<[UInt8], FetchFailure>
  /// The program's own `User-Agent`.
  package var userAgent: String

  package init(
    access: @escaping @Sendable (FeedSpec) async -> Result<FeedAccess, FetchFailure>,
    fetch: @escaping @Sendable (Request) async -> Result<Response, FetchFailure>,
    download:
      @escaping @Sendable (Request, any BodyReceiver & Sendable) async -> Result<
        Response, FetchFailure
      >,
    readFile: @escaping @Sendable (String, ByteCount, String?) async -> Result<FeedFileContent, FetchFailure>,
    run: @escaping @Sendable (FeedSpec, [UInt8]) async -> Result<[UInt8], FetchFailure>, userAgent: String
  ) {
    (self.access, self.fetch, self.download) = (access, fetch, download)
    (self.readFile, self.run, self.userAgent) = (readFile, run, userAgent)
  }
}

/// Hooks, the badge file, and the files that are written from items.
package struct HookEffects: Sendable {
  /// Writes the badge file; the number is read under the file's lock, so that an older one never replaces a newer one.
  package var updateBadge:
    @Sendable (_ number: @escaping @Sendable () async throws -> Int) async throws -> BadgeChange
  /// Updates the files of `outputs`.
  ///
  /// A file that cannot be written is reported, and the run continues.
  package var writeOutputs: @Sendable () async -> Void = {}
  /// Calls a hook; a cancelled task ends its process group and gets `.suspended`.
  package var run: @Sendable (HookCall) async -> HookEnd
  /// The login of the user's session bus, or nil if there is no bus.
  package var session: String?
  /// Whether a file is there; the person may have removed a downloaded one.
  package var hasFile: @Sendable (_ path: String) -> Bool = { _ in true }
  /// Whether time passes; a frozen clock (`BGFETCH_NOW`) never reaches a later moment.
  package var timePasses = true

  package init(
    updateBadge: @escaping @Sendable (@escaping @Sendable () async throws -> Int) async throws -> BadgeChange,
    run: @escaping @Sendable (HookCall) async -> HookEnd, session: String?
  ) {
    (self.updateBadge, self.run, self.session) = (updateBadge, run, session)
  }
}

/// The badge, and whether its file had another number before.
package struct BadgeChange: Equatable, Sendable {
  package var badge: Int
  package var hasChanged: Bool

  package init(badge: Int, hasChanged: Bool) { (self.badge, self.hasChanged) = (badge, hasChanged) }
}

/// How work under a lock ended.
enum LockedWork {
  /// It ended; others may have left more to do meanwhile.
  case ended
  /// The rest waits for something else, so that looking for more would be useless.
  case waits
}

/// A lock of the state directory.
package enum LockName: Sendable {
  /// Held while a run fetches, or while it plans if it has neighbours.
  case run
  /// Held by the one run of this machine that fetches what is due, if it has neighbours.
  case fetching
  /// Held while this machine transfers.
  case transfers
  /// Held while a run chooses transfers, if it has neighbours.
  case queue
  /// Held while a process of this machine delivers to a hook.
  case hook(String)
}

extension Effects {
  /// How far the clock is believed now.
  package func clockTrust() async throws -> ClockTrust {
    try await store.clockTrust(at: machine.now())
  }

  /// How often one process works under a lock before it leaves the rest to a later run.
  private static let mostRepetitions = 10

  /// Works under a lock, unless another process holds it, until nothing is left to do.
  ///
  /// A process that finds the lock taken leaves its work to the owner, which looks for more after releasing the lock.
  ///
  /// - Parameters:
  ///   - work: works under the lock.
  ///   - hasMore: whether there is more to do.
  func underLock(
    _ name: LockName, _ work: () async throws -> LockedWork, repeatWhile hasMore: () async throws -> Bool
  ) async throws {
    for _ in 1...Self.mostRepetitions {
      guard let lock = try await tryLock(name) else { return }
      defer { lock.release() }
      guard try await work() == .ended else { return }
      lock.release()
      guard try await hasMore() else { return }
    }
  }
}

// `run --watch`: a run that does not end and schedules itself. It waits for events; WatchWork.swift handles them.

import Core
import Machine

extension Invocation {
  /// Fetches feeds as they become due, until a signal ends it.
  func watch(_ order: RunOrder) async throws -> ExitStatus {
    guard !isInHook else { throw ProgramFailure.runInHook }
    var watch = try await Watch(self, order)
    return try await watch.run()
  }

  /// Takes the lock that allows one `run --watch` for each state directory.
  func watchLock(_ settings: Settings) throws -> FileLock {
    let path = settings.state + "/watch.lock"
    switch try FileLock.tryAcquire(path, clock: clock) {
    case .acquired(let lock): return lock
    case .held(let holder): throw ProgramFailure.watched(holder, path: path)
    }
  }

  /// Creates or migrates the store; a migration waits for a run to end.
  func migrateStore(_ settings: Settings) async throws {
    do {
      await (try openStore(settings, for: .writing)).close()
    } catch StoreFailure.needsMigration {
      let lock = try await acquire(settings.runLock, waits: true)
      await (try openStore(settings, for: .migrating)).close()
      lock.release()
    }
  }
}

/// The state of a `run --watch`.
///
/// Each cycle holds the run lock only while it fetches, so that other runs are possible in between. Hooks of one cycle may
/// still run while the next cycle fetches.
struct Watch {
  let invocation: Invocation
  /// The options of each cycle.
  let order: RunOrder
  /// The note with which runs record when feeds are due (`RunOptions.dueNote`).
  var dueNote: UInt64?
  var settings: Settings
  /// Allows one `run --watch` for the state directory.
  var lock: FileLock
  /// Whether the state directory has vanished and is not locked again yet.
  var hasLostDirectory = false
  let wakeUps: WakeUps
  /// Decides when cycles and transfers start.
  var scheduler = WatchScheduler()
  /// The cycles that have not ended, by number.
  var cycles: [Int: Task<Void, Never>] = [:]
  var lastCycle = 0
  /// The cycle that fetches, or waits for the run lock.
  var fetching: Int?
  /// The task that downloads, or waits for the transfer lock.
  var transfers: Task<Void, Never>?
  /// The last error, which is reported once.
  var lastError: [String] = []
  /// Whether the last look for work failed.
  var lastLookFailed = false
  /// Whether to report when something is due next.
  var reportsNext = true
  let events: AsyncStream<Event>.Continuation
  private let stream: AsyncStream<Event>

  enum Event: Sendable {
    /// Something woke it; `wakeUps` says what.
    case woke
    case signal(StopSignal)
    /// It is time for the service manager's watchdog message, sd_notify(3).
    case pulse
    /// A cycle has released the run lock.
    case fetched(Int)
    /// A cycle has ended.
    case ended(Int, Result<RunReport, any Error>)
    /// The transfer phase has ended.
    case transferred(Result<RunReport, any Error>)
  }

  /// Locks and opens everything once, so that permanent errors appear at the start.
  init(_ invocation: Invocation, _ order: RunOrder) async throws {
    self.invocation = invocation
    self.order = order
    var loaded = try invocation.configuration()
    try invocation.lowerConnections(&loaded.settings)
    settings = loaded.settings
    dueNote = SourceVersions.dueNote(loaded, isPunctual: true, invocation)
    _ = try invocation.zone(settings)
    try invocation.makeStateDirectory(settings)
    lock = try invocation.watchLock(settings)
    try await invocation.migrateStore(settings)
    wakeUps = try WakeUps(file: settings.wakeFile)
    (stream, events) = AsyncStream<Event>.makeStream()
  }

  /// Runs until a signal or a permanent error ends it.
  mutating func run() async throws -> ExitStatus {
    let listeners = try listen()
    defer { for listener in listeners { listener.cancel() } }
    let outcome: Result<StopSignal, any Error>
    do {
      invocation.manager.notify(.ready)
      outcome = .success(try await handleEvents())
    } catch {
      outcome = .failure(error)
    }
    invocation.manager.notify(.stopping)
    await suspend()
    return .stopped(try outcome.get())
  }

  /// Collects events from signals, wake-ups and the watchdog.
  private func listen() throws -> [Task<Void, Never>] {
    let (events, wakes, pulse) = (events, wakeUps.news, invocation.manager.pulse)
    let stops = try Signals.stops()
    return [
      Task(executorPreference: ProgramTasks.executor) {
        for await signal in stops { events.yield(.signal(signal)) }
      },
      Task(executorPreference: ProgramTasks.executor) { for await _ in wakes { events.yield(.woke) } },
      Task(executorPreference: ProgramTasks.executor) {
        guard let pulse else { return }
        while !Task.isCancelled {
          // Answered by `handleEvents`, so that it proves that the loop itself is alive.
          events.yield(.pulse)
          try? await WallClock.sleep(for: pulse)
        }
      },
    ]
  }

  /// Handles events until a signal ends it.
  private mutating func handleEvents() async throws -> StopSignal {
    try await decide(isUrgent: true)
    for await event in stream {
      switch event {
      case .signal(.hangUp) where !hasLostTerminal: try await readConfiguration()
      case .signal(let signal): return signal
      case .pulse: invocation.manager.notify(.alive)
      case .woke: try await wake(by: wakeUps.take())
      case .fetched(let number):
        endFetching(number)
        try await decide(isUrgent: false)
      case .ended(let number, let outcome):
        cycles[number] = nil
        endFetching(number)
        scheduler.endCycle()
        try take(outcome)
        try await decide(isUrgent: false)
      case .transferred(let outcome):
        endTransfers()
        try take(outcome)
        try await decide(isUrgent: false)
      }
    }
    // Unreachable: the stream is not finished here.
    return .terminate
  }

  /// Cancels everything that is under way, and waits for it.
  private mutating func suspend() async {
    for task in cycles.values { task.cancel() }
    transfers?.cancel()
    for task in cycles.values { await task.value }
    await transfers?.value
    events.finish()
    for await event in stream {
      switch event {
      case .ended(_, .success(let report)), .transferred(.success(let report)): conclude(report)
      case .ended(_, .failure(let error)), .transferred(.failure(let error)): say(error)
      case .woke, .signal, .pulse, .fetched: break
      }
    }
    wakeUps.end()
    invocation.console.progress.end()
  }
}

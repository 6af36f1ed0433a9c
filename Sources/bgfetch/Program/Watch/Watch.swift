// `run --watch`: a run that stays. It hears signals, wake-ups and what its cycles come to; what it does about them is in
// WatchWork.swift, and what is begun when is WatchBooks' business.

import Core
import Host
import Sync

/// A run that stays.
///
/// The run lock is held by each cycle while it fetches, so that other runs go on beside it. Hooks of a cycle may still be
/// told while the next one fetches, as those of two runs may.
struct Watch {
  /// The invocation that stays.
  let invocation: Invocation
  /// What each cycle is asked to do.
  let order: RunOrder
  /// The configuration that was read last.
  var settings: Settings
  /// Keeps a second one away from the state directory.
  var lock: FileLock
  /// Whether the state directory was gone, and none was taken hold of since.
  var hasLostDirectory = false
  /// What wakes it.
  let wakeUps: WakeUps
  /// What is under way, and what rests.
  var books = WatchBooks()
  /// The cycles that are not over, by their numbers.
  var cycles: [Int: Task<Void, Never>] = [:]
  /// How many cycles there were.
  var lastCycle = 0
  /// The cycle that fetches, or waits until it may.
  var fetching: Int?
  /// What works off transfers, or waits until it may.
  var transfers: Task<Void, Never>?
  /// What went wrong last, to be said once.
  var lastError: [String] = []
  /// Whether the last look went wrong.
  var hasLookedInVain = false
  /// Whether it is to be said when something is due again.
  var saysNext = true
  /// Where everything is told that there is to hear.
  let tell: AsyncStream<News>.Continuation
  private let news: AsyncStream<News>

  /// What there is to hear.
  enum News: Sendable {
    /// There are reasons to be awake.
    case woke
    /// A signal came.
    case signal(StopSignal)
    /// The service manager wants to hear that all is well.
    case pulse
    /// A cycle has given the run lock back.
    case fetched(Int)
    /// A cycle is over.
    case ended(Int, Result<RunReport, any Error>)
    /// Transfers are not worked off any more.
    case transferred(Result<RunReport, any Error>)
  }

  /// Gets everything ready; what fails now would fail later.
  init(_ invocation: Invocation, _ order: RunOrder) async throws {
    self.invocation = invocation
    self.order = order
    settings = try invocation.configuration().settings
    _ = try invocation.zone(settings)
    try invocation.makeStateDirectory(settings)
    lock = try invocation.watchLock(settings)
    try await invocation.bringUpToDate(settings)
    wakeUps = try WakeUps(file: settings.wakeFile)
    (news, tell) = AsyncStream<News>.makeStream()
  }

  /// Stays until a signal ends it, or something that no later try would mend.
  mutating func stay() async throws -> ExitStatus {
    let listeners = try listen()
    defer { for listener in listeners { listener.cancel() } }
    let outcome: Result<StopSignal, any Error>
    do {
      invocation.manager.tell(.ready)
      outcome = .success(try await hear())
    } catch {
      outcome = .failure(error)
    }
    invocation.manager.tell(.stopping)
    await suspend()
    return .stopped(try outcome.get())
  }

  /// Gathers what there is to hear.
  private func listen() throws -> [Task<Void, Never>] {
    let (tell, wakes, pulse) = (tell, wakeUps.news, invocation.manager.pulse)
    let stops = try Signals.stops()
    return [
      Task { for await signal in stops { tell.yield(.signal(signal)) } },
      Task { for await _ in wakes { tell.yield(.woke) } },
      Task {
        guard let pulse else { return }
        while !Task.isCancelled {
          // It goes through `hear`, so that what is alive is the one that does the work.
          tell.yield(.pulse)
          try? await WallClock.sleep(for: pulse)
        }
      },
    ]
  }

  /// Does what there is to do, until a signal ends it.
  private mutating func hear() async throws -> StopSignal {
    try await look(isUrgent: true)
    for await item in news {
      switch item {
      case .signal(.hangUp) where !hasLostTerminal: try await readConfiguration()
      case .signal(let signal): return signal
      case .pulse: invocation.manager.tell(.alive)
      case .woke: try await wake(by: wakeUps.take())
      case .fetched(let number):
        endFetching(number)
        try await look(isUrgent: false)
      case .ended(let number, let outcome):
        cycles[number] = nil
        endFetching(number)
        books.endCycle()
        try take(outcome)
        try await look(isUrgent: false)
      case .transferred(let outcome):
        endTransfers()
        try take(outcome)
        try await look(isUrgent: false)
      }
    }
    // Never: the stream is not ended while this has it.
    return .terminate
  }

  /// Ends everything that is under way, and waits for it.
  private mutating func suspend() async {
    for task in cycles.values { task.cancel() }
    transfers?.cancel()
    for task in cycles.values { await task.value }
    await transfers?.value
    tell.finish()
    for await item in news {
      switch item {
      case .ended(_, .success(let report)), .transferred(.success(let report)): conclude(report)
      case .ended(_, .failure(let error)), .transferred(.failure(let error)): say(error)
      case .woke, .signal, .pulse, .fetched: break
      }
    }
    wakeUps.end()
    invocation.console.progress.end()
  }
}

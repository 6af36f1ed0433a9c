// The shared context of all attempts of one run, and the calls to a directory that they make together.

import Core
import Machine
import Store
import Synchronization

/// The shared context of all attempts of one run; a class, because many tasks hold it.
final class TransferContext: Sendable {
  let notifier: Notifier
  /// The run's number in the store; nil for downloads alone.
  let run: Int64?
  /// The options of the run.
  let options: RunOptions
  /// When the budget warns, and when it ends.
  let clock: BudgetClock
  /// The states of hosts, for feeds of kind `asset`.
  let hosts: HostLedger
  /// The findings that attempts share.
  let notes: Mutex<DownloadFindings>
  /// How far the clock is believed.
  let trust: ClockTrust
  /// The progress of running transfers.
  let board = ProgressBoard()
  /// Whether anything in the documents directory has a name, in any letter case.
  let isTaken: JoinedCalls<String, Result<Bool, DocumentsProblem>>
  /// Gives a partial file its final name.
  let place: JoinedCalls<Placement, Result<PlaceOutcome, DocumentsProblem>>

  init(_ notifier: Notifier, run: Int64?, _ options: RunOptions, clock: BudgetClock) async throws {
    (self.notifier, self.run, self.options, self.clock) = (notifier, run, options, clock)
    let effects = notifier.effects
    let settings = notifier.settings
    hosts = HostLedger(try await effects.store.hostStates())
    let used = try await effects.store.usedDirectories()
    notes = Mutex(DownloadFindings(wasUsed: used.contains(settings.documents)))
    trust = try await effects.clockTrust()
    let documents = effects.documents(settings.documents)
    isTaken = JoinedCalls { await documents.areTaken($0) }
    place = JoinedCalls { await documents.place($0, leaving: settings.freeSpace) }
  }

  /// The cause of the run.
  var cause: RunCause { options.cause }
  var settings: Settings { notifier.settings }
  var effects: Effects { notifier.effects }
  var store: Store { effects.store }
  var machine: MachineEffects { effects.machine }
  var now: Instant { effects.machine.now() }

  /// The hooks that may get events.
  var hooks: [HookSpec] { notifier.runsHooks ? settings.hooks : [] }

  /// The origin of an event at this moment.
  ///
  /// The run gets the machine's milliseconds added: downloads may last for days, and a transfer that is retried may
  /// fail twice within a second, which is two events. The default cause is the run's.
  func origin(cause: RunCause? = nil) -> EventOrigin {
    var origin = EventOrigin(run: run ?? 0, time: now, cause: cause ?? self.cause)
    origin.run += "-\(machine.milliseconds())"
    return origin
  }

  /// The lock with which one run at a time chooses transfers, so that only one downloads from a host; nil if there are no neighbours, or
  /// the run ends first.
  func queueLock() async throws -> HeldLock? {
    guard let choosing = effects.neighbours.choosing else { return nil }
    while !Task.isCancelled {
      if let lock = try await choosing() { return lock }
      await machine.sleep(machine.milliseconds() + 50)
    }
    return nil
  }

  /// Writes how an attempt ended; false if another process was first.
  func end(_ end: TransferEnd) async throws -> Bool {
    try await store.end(end, run: run, configured: settings.feedNames)
  }

  func report(_ event: RunEvent) { effects.report(event) }

  /// Reports the fetch of a feed of kind `asset`.
  func report(_ fetch: FeedReport) {
    notes.withLock { $0.fetches.append(fetch) }
    effects.report(.fetched(fetch))
  }

  /// A documents directory.
  func documents(_ directory: String) -> any Documents { effects.documents(directory) }

  /// The feed's name and title, read once for each feed: a run may place thousands of its files.
  func label(of feed: FeedSpec) async throws -> FeedLabel {
    if let known = notes.withLock({ $0.labels[feed.name] }) { return known }
    let label = FeedLabel(feed, try await store.feedState(feed.name) ?? FeedState())
    notes.withLock { $0.labels[feed.name] = label }
    return label
  }

  /// Prepares the documents directory; returns its problem, or a shortage if this many more bytes do not fit.
  func prepare(for bytes: Int64) async throws -> DocumentsProblem? {
    let known = notes.withLock { $0 }
    if let problem = known.failedWrite { return problem }
    if let free = known.leastSpace(at: machine.milliseconds()), shortage(of: free, for: bytes) == nil {
      return nil
    }
    if case .failure(let problem) = await documents(settings.documents).prepare(wasUsed: known.wasUsed) {
      return problem
    }
    if !known.wasUsed {
      try await store.recordDirectory(settings.documents, at: now)
      notes.withLock { $0.wasUsed = true }
    }
    return await shortage(for: bytes)
  }

  /// The problem if the directory's file system has no space for this many more bytes above the configured floor.
  func shortage(for bytes: Int64) async -> DocumentsProblem? {
    // A file system that does not report its space is tried.
    guard let free = try? await documents(settings.documents).space().get() else { return nil }
    notes.withLock { $0.record(free, at: machine.milliseconds()) }
    return shortage(of: free, for: bytes)
  }

  private func shortage(of free: ByteCount, for bytes: Int64) -> DocumentsProblem? {
    .shortage(in: settings.spool, free: free, for: bytes, floor: settings.freeSpace)
  }

  /// Reports the problem of the directory once, even if many transfers wait for it; later runs do not repeat it while it
  /// is unchanged.
  func warn(of failure: TransferFailure, _ transfer: Transfer) {
    guard case .documents(let problem) = failure else { return }
    let event: RunEvent
    switch problem {
    case .partialLost, .fileTooLarge, .notDirectory, .nameRefused: return
    case .belowFreeSpace(let path, let free, _) where free >= settings.freeSpace:
      event = .directoryUnusable(path: path, reason: text(of: failure))
    case .belowFreeSpace(let path, let free, let floor):
      event = .lowSpace(LowSpace(directory: path, free: free, least: floor))
    case .gone(let path): event = .directoryGone(GoneDirectory(directory: path))
    default:
      notes.withLock { $0.hasUnusableDirectory = true }
      event = .directoryUnusable(path: settings.documents, reason: text(of: failure))
    }
    let isFirst = notes.withLock { notes in
      defer { notes.hasWarned = true }
      return !notes.hasWarned
    }
    if isFirst, !isSame(failure, as: transfer.reason) { report(event) }
  }
}

/// Findings that attempts share with each other and with the report.
struct DownloadFindings: Sendable {
  /// Whether the documents directory was used before.
  var wasUsed: Bool
  /// The fetches of feeds of kind `asset`.
  var fetches: [FeedReport] = []
  var hasUnusableDirectory = false
  /// Why the directory could not be written; then no other file is requested for it.
  var failedWrite: DocumentsProblem?
  /// The free space of the directory beyond `margin`, and when it was read, in the machine's milliseconds.
  private var space: (free: ByteCount, moment: Int64)?
  /// Whether a problem of the directory was reported.
  var hasWarned = false
  var labels: [FeedName: FeedLabel] = [:]
  /// The names that running transfers have reserved, without case.
  ///
  /// Without them, two transfers whose names differ only in case would not notice each other.
  var names: Set<String> = []

  /// The time in milliseconds for which a directory counts as prepared.
  private static let preparedTime: Int64 = 1000
  /// More bytes than arrive in that time; the length of most files is not known before.
  private static let margin: Int64 = 4 << 30

  init(wasUsed: Bool) { self.wasUsed = wasUsed }

  /// Notes the free space of the prepared directory.
  mutating func record(_ free: ByteCount, at now: Int64) {
    space = (ByteCount(max(0, free.bytes - Self.margin)), now)
  }

  /// The least free space of the directory if it was read a moment ago, whatever has arrived since.
  func leastSpace(at now: Int64) -> ByteCount? {
    space.flatMap { now - $0.moment < Self.preparedTime ? $0.free : nil }
  }
}

/// Collects the calls that tasks make at about the same time, and makes one call for all of them.
///
/// Files are placed in groups. Each group then visits its directory once, and synchronises it once.
final class JoinedCalls<Input: Sendable, Output: Sendable>: Sendable {
  private let waiting = Mutex<[(input: Input, reply: CheckedContinuation<Output, Never>)]>([])
  private let work: @Sendable ([Input]) async -> [Output]

  /// - Parameter work: makes the call, and returns an output for each input.
  init(_ work: @escaping @Sendable ([Input]) async -> [Output]) { self.work = work }

  func callAsFunction(_ input: Input) async -> Output {
    await withCheckedContinuation { reply in
      let isFirst = waiting.withLock { calls in
        calls.append((input, reply))
        return calls.count == 1
      }
      // The new task runs after all tasks that are ready now, which may make calls too.
      if isFirst { Task(executorPreference: ProgramTasks.executor) { await self.callForAll() } }
    }
  }

  private func callForAll() async {
    let calls = waiting.withLock { calls in
      defer { calls = [] }
      return calls
    }
    for (call, output) in zip(calls, await work(calls.map(\.input))) { call.reply.resume(returning: output) }
  }
}

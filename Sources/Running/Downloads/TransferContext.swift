// The shared context of all attempts of one run.

import Core
import Machine
import Store
import Synchronization

/// The shared context of all attempts of one run; a class, because many tasks hold it.
final class TransferContext: Sendable {
  private let downloads: Downloads
  /// The number of the run's last round; nil for downloads alone.
  let round: Int64?
  /// The states of hosts, for feeds of kind `asset`.
  let hosts: HostLedger
  /// The findings that attempts share.
  let notes: Mutex<DownloadFindings>
  /// How far the clock is believed.
  let trust: ClockTrust
  /// The progress of running transfers.
  let board = ProgressBoard()

  init(_ downloads: Downloads, round: Int64?) async throws {
    (self.downloads, self.round) = (downloads, round)
    let effects = downloads.notifier.effects
    let settings = downloads.notifier.settings
    hosts = HostLedger(try await effects.store.hostStates())
    let used = try await effects.store.usedDirectories()
    notes = Mutex(DownloadFindings(wasUsed: used.contains(settings.documents)))
    trust = try await effects.clockTrust()
  }

  var notifier: Notifier { downloads.notifier }
  var options: RunOptions { downloads.options }
  var budget: Budget { downloads.budget }
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
  /// Its id gets the machine's milliseconds added: downloads may last for days, and a transfer that is retried may
  /// fail twice within a second, which is two events. The default cause is the run's.
  func origin(cause: RunCause? = nil) -> EventOrigin {
    var origin = EventOrigin(round: round, time: now, cause: cause ?? self.cause)
    origin.id += "-\(machine.milliseconds())"
    return origin
  }

  /// The lock with which one run at a time chooses transfers, so that only one downloads from a host; nil if there are no neighbours, or
  /// the run ends first.
  func queueLock() async throws -> HeldLock? {
    guard let take = effects.coordination.queueLock else { return nil }
    while !Task.isCancelled {
      if let lock = try await take() { return lock }
      await machine.sleep(machine.milliseconds() + 50)
    }
    return nil
  }

  /// Writes how an attempt ended; false if another process was first.
  func end(_ end: TransferEnd) async throws -> Bool {
    try await store.end(end, round: round, configured: settings.feedNames)
  }

  func report(_ event: RunEvent) { effects.report(event) }

  /// Reports the fetch of a feed of kind `asset`.
  func report(_ fetch: FeedReport) {
    notes.withLock { $0.fetches.append(fetch) }
    effects.report(.fetched(fetch))
  }

  /// A documents directory.
  func documents(_ directory: String) -> any Documents { effects.documents(directory) }

  /// The feed's name and title.
  func label(of feed: FeedSpec) async throws -> FeedLabel {
    FeedLabel(feed, try await store.feedState(feed.name) ?? FeedState())
  }

  /// Prepares the documents directory; returns its problem, or a shortage if this many more bytes do not fit.
  func prepare(for bytes: Int64) async throws -> DocumentsProblem? {
    let known = notes.withLock { $0 }
    if let problem = known.failedWrite { return problem }
    do throws(DocumentsProblem) {
      try await documents(settings.documents).prepare(wasUsed: known.wasUsed)
    } catch {
      return error
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
    guard let free = try? await documents(settings.documents).space() else { return nil }
    return .shortage(in: settings.spool, free: free, for: bytes, floor: settings.freeSpace)
  }

  /// Reports the problem of the directory once, even if many transfers wait for it; later runs do not repeat it while it
  /// is unchanged.
  func warn(of failure: TransferFailure, _ transfer: Transfer) {
    guard case .documents(let problem) = failure else { return }
    let notice: RunNotice
    switch problem {
    case .partialLost, .fileTooLarge, .notDirectory, .nameRefused: return
    case .belowFreeSpace(let path, let free, _) where free >= settings.freeSpace:
      notice = .directoryUnusable(directory: path, reason: text(of: failure))
    case .belowFreeSpace(let path, let free, let floor):
      notice = .lowSpace(directory: path, free: free, least: floor)
    case .gone(let path): notice = .directoryGone(directory: path)
    default:
      notes.withLock { $0.hasUnusableDirectory = true }
      notice = .directoryUnusable(directory: settings.documents, reason: text(of: failure))
    }
    let isFirst = notes.withLock { notes in
      defer { notes.hasWarned = true }
      return !notes.hasWarned
    }
    if isFirst, transfer.reason != text(of: failure) { report(.notice(notice)) }
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
  /// Whether a problem of the directory was reported.
  var hasWarned = false
  /// The names that running transfers have reserved, without case.
  ///
  /// Without them, two transfers whose names differ only in case would not notice each other.
  var names: Set<String> = []
}

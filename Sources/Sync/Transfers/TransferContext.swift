// What all attempts of one transfer phase share.

import Core
import Synchronization

/// What all attempts of one transfer phase share.
struct TransferContext: Sendable {
  /// The configuration.
  let settings: Settings
  /// The world.
  let effects: Effects
  /// How the person is told.
  let notifier: Notifier
  /// The run's number in the store; 0 for a phase without a run.
  let run: Int64?
  /// What woke it.
  let cause: RunCause
  /// What is to be reported beside the totals.
  let findings = PhaseFindings()
  /// How far the transfers under way are.
  let board = ProgressBoard()
  /// The documents directories that were used before.
  let directories: UsedDirectories
  /// The names that files under way are about to get.
  let names = ReservedNames()
  /// What feeds are called.
  private let labels = KnownLabels()
  /// What is known of hosts, for feeds whose body is an asset.
  let hosts: HostLedger

  var store: TransferStoreEffects { effects.transfers.store }
  var documents: DocumentsEffects { effects.transfers.documents }
  var now: Instant { effects.machine.now() }

  /// The hooks that are told.
  var hooks: [HookSpec] { notifier.runsHooks ? settings.hooks : [] }

  /// The origin of an event of now: a transfer phase may last for days.
  ///
  /// Each moment is one of its own: a transfer that is tried again may fail twice within a second, and that is two events.
  ///
  /// - Parameter cause: what brought the event about; nil is what woke the phase.
  /// - Returns: the origin.
  func origin(cause: RunCause? = nil) -> EventOrigin {
    var origin = EventOrigin(run: run ?? 0, time: now, cause: cause ?? self.cause)
    origin.run += "-\(effects.machine.milliseconds())"
    return origin
  }

  /// Says what happened.
  func report(_ event: TransferEvent) { effects.report(.transfer(event)) }

  /// Says what the fetch of a feed came to whose body is an asset.
  func note(_ fetch: FeedReport) {
    findings.add(fetch)
    effects.report(.fetched(fetch))
  }

  /// The directory in which a feed's files are placed.
  func directory(of feed: FeedSpec) -> String { feed.download?.directory ?? settings.documents }

  /// What a feed is called; as it was when the phase asked for the first time.
  func label(of feed: FeedSpec) async throws -> FeedLabel {
    if let known = labels.of(feed.name) { return known }
    let label = FeedLabel(feed, try await effects.store.feedStates(of: [feed.name])[feed.name] ?? FeedState())
    labels.note(label)
    return label
  }

  /// Makes a directory ready, and looks whether there is room in it for so many bytes more.
  func prepare(_ directory: String, for bytes: Int64) async throws -> DocumentsProblem? {
    if let problem = findings.problem(in: directory, at: effects.machine.milliseconds()) { return problem }
    let space: FileSystemSpace?
    switch await documents.prepare(directory, directories.contains(directory)) {
    case .failure(let problem): return problem
    case .success(let found): space = found
    }
    if directories.add(directory) { try await store.noteDirectory(directory, now) }
    return space.flatMap { shortage(of: $0, in: directory, for: bytes) }
  }

  /// What is wrong where so many bytes more would leave a directory's file system less room than the configured floor;
  /// nil where there is room.
  func shortage(in directory: String, for bytes: Int64) async -> DocumentsProblem? {
    let space = try? await documents.space(directory).get()
    return space.flatMap { shortage(of: $0, in: directory, for: bytes) }
  }

  /// What is wrong where so many bytes more would leave less than the configured floor; nil where there is room.
  private func shortage(
    of space: FileSystemSpace, in directory: String, for bytes: Int64
  ) -> DocumentsProblem? {
    .shortage(in: directory, free: space.free, ofAll: space.size, for: bytes, floor: settings.freeSpace)
  }
}

/// The documents directories that were used before.
final class UsedDirectories: Sendable {
  private let paths: Mutex<Set<String>>

  init(_ paths: Set<String>) {
    self.paths = Mutex(paths)
  }

  /// Whether a directory was used.
  func contains(_ path: String) -> Bool { paths.withLock { $0.contains(path) } }

  /// Notes that a directory is used; false if it was before.
  func add(_ path: String) -> Bool { paths.withLock { $0.insert(path).inserted } }
}

/// What feeds are called, as far as it was asked: a phase may place thousands of files of one feed.
private final class KnownLabels: Sendable {
  private let labels = Mutex<[FeedName: FeedLabel]>([:])

  /// What a feed is called; nil if nobody asked before.
  func of(_ feed: FeedName) -> FeedLabel? { labels.withLock { $0[feed] } }

  /// Notes what a feed is called.
  func note(_ label: FeedLabel) { labels.withLock { $0[label.name] = label } }
}

/// The names that files under way are about to get: two of them that differ only in case would not see each other.
final class ReservedNames: Sendable {
  private let names = Mutex<Set<String>>([])

  /// Takes a name, by its path, in any mixture of cases; false if another file has it.
  func take(_ path: String) -> Bool { names.withLock { $0.insert(caseless(path)).inserted } }

  /// Gives it back.
  func release(_ path: String) { _ = names.withLock { $0.remove(caseless(path)) } }
}

/// What attempts found that is to be reported beside the totals.
final class PhaseFindings: Sendable {
  private struct State: Sendable {
    var fetches: [FeedReport] = []
    var isUnusable = false
    /// What was the matter with directories where nothing can be written, and when in the machine's milliseconds.
    var unwritable: [String: (problem: DocumentsProblem, moment: Int64)] = [:]
    var problems: Set<String> = []
  }

  /// So long, in milliseconds, no other file is asked for that would go to a directory where nothing can be written.
  private static let longestRest: Int64 = 60_000

  private let state = Mutex(State())

  /// Adds the fetch that a transfer was.
  func add(_ report: FeedReport) { state.withLock { $0.fetches.append(report) } }

  /// Notes that a documents directory cannot be written.
  func noteUnusableDirectory() { state.withLock { $0.isUnusable = true } }

  /// Notes why nothing that comes can be written to a directory.
  func noteUnwritable(_ directory: String, _ problem: DocumentsProblem, at moment: Int64) {
    state.withLock { $0.unwritable[directory] = (problem, moment) }
  }

  /// Why nothing can be written to a directory, as was found out just now; nil where it can, for all that is known.
  func problem(in directory: String, at now: Int64) -> DocumentsProblem? {
    state.withLock { state in
      guard let (problem, moment) = state.unwritable[directory], now - moment < Self.longestRest else {
        return nil
      }
      return problem
    }
  }

  /// Notes that something is the matter with a documents directory; false if that was noted before.
  func noteProblem(in directory: String) -> Bool {
    state.withLock { $0.problems.insert(directory).inserted }
  }

  /// The fetches that transfers were, as they ended.
  var fetches: [FeedReport] { state.withLock { $0.fetches } }

  /// Whether a documents directory cannot be written.
  var hasUnusableDirectory: Bool { state.withLock { $0.isUnusable } }
}

/// What came of one attempt.
enum TransferEnding: Hashable, Sendable {
  /// The file has its final name.
  case placed(isResumed: Bool)
  /// The server says that the file that is there has not changed, or what came is the same.
  case unchanged
  /// It failed for good.
  case failed
  /// It goes on later; so do others where its server set a limit.
  case left(TransferLeave, TransferRateLimit?)
  /// Somebody else cancelled, suspended or settled it.
  case lost
}

// Quickly ends a timer's run that has nothing to do, before the configuration is read.
//
// A run that leaves nothing to do records in the store until when nothing is due. It also writes a quiet note, a file in the
// user's cache directory that lists the configuration files and their versions. A later run that finds every file
// unchanged queries the store with the note's fingerprint, and ends. Without a note, a run only takes longer.

import Core
import Host
import Sync

extension Invocation {
  /// Whether a timer started this process, and the run would do and print nothing.
  static func isQuiet(_ arguments: [String]) -> Bool {
    guard let call = TimerCall(arguments.dropFirst()), let invocation = try? Invocation(call.options),
      !invocation.isInHook, call.cause != nil || (try? invocation.cause()) != nil
    else { return false }
    return invocation.isQuiet(RunOrder(feeds: [], options: RunOptions(), waits: false))
  }

  /// Whether a run would do and print nothing, by the note of an earlier run.
  func isQuiet(_ order: RunOrder) -> Bool {
    guard order.feeds.isEmpty, !order.options.isForced, order.options.runsHooks, !console.isJSON,
      [.journal, .quiet].contains(RunAudience(console)), let note = QuietNote(of: self)
    else { return false }
    // If the store cannot be read, the run itself reports why.
    return (try? LiveStore.isQuiet(note.fingerprint, in: note.state, at: clock.now())) ?? false
  }

  /// Writes a quiet note if nothing will be due for a while.
  func writeQuietNote(
    _ loaded: LoadedConfiguration, _ store: any CommandStore, dueNote: UInt64?
  ) async throws {
    let settings = loaded.settings
    // Other machines change a shared state, and to ask them takes as long as to begin a run.
    guard settings.server == nil, let note = QuietNote(loaded, invocation: self) else { return }
    let changes = try await store.changes()
    var options = RunOptions()
    options.dueNote = dueNote
    let coming = try await ComingFeeds(settings, store, options, self)
    let now = coming.context.now
    var end: Instant? = now + .days(1)
    try await coming.forEachPart { feeds, states, context in
      end = quietTime(feeds, states, context).map { min($0, end ?? $0) }
      return end != nil
    }
    guard var end else { return }
    if let next = coming.next { end = min(end, next.at - DueDecision.longestWait) }
    if let transfer = try await store.nextTransferMoment(at: now) { end = min(end, transfer) }
    guard end > now else { return }
    try await store.noteQuiet(note.fingerprint, from: now, until: end, changes: changes)
    note.write(self)
  }
}

/// The state directory and the versions of all files that a run depends on, for one configuration.
private struct QuietNote {
  let state: String
  let text: String

  /// The store's key for the note.
  var fingerprint: UInt64 { Fingerprint(of: text).value }

  /// A note about a configuration that was just read; nil if a file may have changed while it was read.
  init?(_ loaded: LoadedConfiguration, invocation: Invocation) {
    let settings = loaded.settings
    guard let sources = SourceNote.lines(of: loaded) else { return nil }
    // The badge, outputs and zone files may have any version, but a later run must find the same one.
    let zones = SystemZone(environment: invocation.environment)
    let others =
      [settings.badge].compactMap(\.self) + settings.outputs.map(\.path)
      + zones.files(named: settings.timezone)
    state = settings.state
    text =
      ([SourceNote.firstLine(invocation), settings.state] + sources
      + others.map { SourceNote.line(of: $0, FileStamp($0)) }).joined(separator: "\n")
  }

  /// The stored note; nil if a file has changed, or another user may have written the note or one of the files.
  init?(of invocation: Invocation) {
    guard let bytes = SourceNote.quiet.content(invocation, limit: ByteCount(1 << 20)) else { return nil }
    text = String(decoding: bytes, as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 2, lines[0] == SourceNote.firstLine(invocation) else { return nil }
    state = String(lines[1])
    guard (try? LiveStore.requireSafety(of: state)) != nil else { return nil }
    guard lines[2...].allSatisfy(SourceNote.holds) else { return nil }
  }

  func write(_ invocation: Invocation) { SourceNote.quiet.write(Array(text.utf8), invocation) }
}

/// The command line of a `bgfetch run` as timers write it, read without ArgumentParser.
///
/// ArgumentParser finds its options by reflection, which takes longer than the rest of a quiet run. It still reads
/// every command line that has other options, or errors.
private struct TimerCall {
  private(set) var options = CommonOptions()
  private(set) var cause: RunCause?

  /// The call; nil if the arguments, without the program's name, have other options.
  init?(_ arguments: ArraySlice<String>) {
    guard arguments.first == "run" else { return nil }
    // Property wrappers of ArgumentParser have no values until they are set.
    (options.config, options.state, options.color) = (nil, nil, .auto)
    (options.json, options.quiet, options.verbose) = (false, false, false)
    var rest = arguments.dropFirst()
    while let word = rest.popFirst() {
      switch word {
      case "-q", "--quiet": options.quiet = true
      case "--no-transfers": break
      case "--config", "--state", "--cause":
        guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("-") else { return nil }
        switch word {
        case "--config": options.config = value
        case "--state": options.state = value
        default:
          guard let named = RunCause(rawValue: value) else { return nil }
          cause = named
        }
      default: return nil
      }
    }
  }
}

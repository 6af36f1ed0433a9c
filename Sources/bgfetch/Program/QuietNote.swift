// Ends a timer's run that has nothing to do quickly, before the configuration is read.
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
  func writeQuietNote(_ loaded: LoadedConfiguration, _ store: any CommandStore) async throws {
    guard let note = QuietNote(loaded, invocation: self) else { return }
    let settings = loaded.settings
    let changes = try await store.changes()
    let context = try await planningContext(settings, store, options: RunOptions())
    guard var end = quietTime(settings.feeds, try await states(settings, store), context) else { return }
    if let transfer = try await store.nextTransferMoment(at: context.now) { end = min(end, transfer) }
    guard end > context.now else { return }
    try await store.noteQuiet(note.fingerprint, from: context.now, until: end, changes: changes)
    note.write(self)
  }
}

/// The state directory and the versions of all files that a run depends on, for one configuration.
private struct QuietNote {
  let state: String
  let text: String

  /// The store's key for the note.
  var fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.add(text)
    return fingerprint.value
  }

  /// A note about a configuration that was just read; nil if a file may have changed while it was read.
  ///
  /// The versions of configuration files are those from the time of reading: since then a symbolic link may lead to
  /// another, older file.
  init?(_ loaded: LoadedConfiguration, invocation: Invocation) {
    let settings = loaded.settings
    var lines = [Self.firstLine(invocation), settings.state]
    for (path, stamp) in loaded.sources {
      guard let stamp, stamp.changed < invocation.started - Self.margin else { return nil }
      lines.append("\(stamp.text) \(path)")
    }
    // The badge, outputs and zone files may have any version, but a later run must find the same one.
    let zones = SystemZone(environment: invocation.environment)
    for path in [settings.badge] + settings.outputs.map(\.path) + zones.files(named: settings.timezone) {
      lines.append("\(FileStamp(path)?.text ?? "") \(path)")
    }
    state = settings.state
    text = lines.joined(separator: "\n")
  }

  /// The greatest delay of a file's timestamp, in nanoseconds: more than a tick of the slowest kernel clock.
  private static let margin = 20_000_000

  /// The stored note; nil if a file has changed, or another user may have written the note or one of the files.
  init?(of invocation: Invocation) {
    guard let path = Self.path(invocation), let bytes = Self.safeContent(path) else { return nil }
    text = String(decoding: bytes, as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 2, lines[0] == Self.firstLine(invocation) else { return nil }
    state = String(lines[1])
    guard (try? LiveStore.requireSafety(of: state)) != nil else { return nil }
    for line in lines[2...] {
      guard let slash = line.firstIndex(of: "/") else { return nil }
      let path = String(line[slash...])
      guard Self.isSafe(path), "\(FileStamp(path)?.text ?? "") \(path)" == line else { return nil }
    }
  }

  /// Writes the note; a failure only makes later runs slower.
  func write(_ invocation: Invocation) {
    guard let path = Self.path(invocation), let slash = path.lastIndex(of: "/") else { return }
    let bytes = Array(text.utf8)
    guard Self.safeContent(path) != bytes else { return }
    try? makePrivateDirectory(String(path[..<slash]))
    try? AtomicFile.replace(path, with: bytes, permissions: 0o600)
  }

  /// Whether no other user may have written a file.
  private static func isSafe(_ path: String) -> Bool {
    (try? FileSafety.require(path)) != nil
  }

  private static func safeContent(_ path: String) -> [UInt8]? {
    isSafe(path) ? try? readFile(path, limit: ByteCount(1 << 20)) : nil
  }

  /// The path of the note about the configuration that would be read; nil if there is no configuration.
  private static func path(_ invocation: Invocation) -> String? {
    let directories = StandardDirectories(environment: invocation.environment, home: invocation.home)
    let candidates = invocation.namedConfiguration.map { [$0] } ?? directories.configurationFiles
    guard let configuration = candidates.first(where: { FileStamp($0) != nil }) else { return nil }
    var fingerprint = Fingerprint()
    fingerprint.add(absolutePath(configuration))
    return "\(directories.cache)/bgfetch/quiet-" + String(fingerprint.value, radix: 16)
  }

  /// The version of the program, and a fingerprint of the environment in which a configuration is read.
  private static func firstLine(_ invocation: Invocation) -> String {
    var fingerprint = Fingerprint()
    fingerprint.add(invocation.home)
    fingerprint.add(invocation.stateOverride)
    for (name, value) in invocation.environment.sorted(by: { $0.key < $1.key })
    where !ignoredVariables.contains(name) && !name.hasPrefix("TRIGGER_") {
      fingerprint.add(name)
      fingerprint.add(value)
    }
    return "bgfetch \(Bgfetch.version) \(String(fingerprint.value, radix: 16))"
  }

  /// Variables that differ between invocations (systemd.exec(5), sh(1)) and do not occur in paths.
  private static let ignoredVariables: Set<String> = [
    "BGFETCH_CAUSE", "BGFETCH_NOW", "INVOCATION_ID", "JOURNAL_STREAM", "MAINPID", "NOTIFY_SOCKET", "OLDPWD",
    "SHLVL", "SYSTEMD_EXEC_PID", "WATCHDOG_PID", "WATCHDOG_USEC", "_",
  ]
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

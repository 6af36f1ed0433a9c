// Ends a timer's run with nothing to do before the configuration is read.

import Core
import Host
import Sync

/// What a run left for those after it: where the state is, and the versions of all files that its finding rests on.
///
/// It is a file in the user's cache directory, one for each configuration; removing it costs one run its haste. The
/// store has the finding itself, under the fingerprint of the note.
struct QuietNote: Sendable {
  let state: String
  let text: String

  /// What the store knows the note by.
  var fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.add(text)
    return fingerprint.value
  }

  /// The note about a configuration as its files were when it was read; nil if one of them changed so shortly before
  /// that it cannot be told, or after that.
  ///
  /// Not as they are now, after the run: a link may lead to another, older file by now, one that nobody has read.
  init?(_ loaded: LoadedConfiguration, invocation: Invocation) {
    let settings = loaded.settings
    var lines = [Self.firstLine(invocation), settings.state]
    for (path, stamp) in loaded.sources {
      guard let stamp, stamp.changed < invocation.started - Self.margin else { return nil }
      lines.append("\(stamp.text) \(path)")
    }
    // These may change at any time; only whoever finds them as they are now may be quick.
    let zones = SystemZone(environment: invocation.environment)
    for path in [settings.badge] + zones.files(named: settings.timezone) {
      lines.append("\(FileStamp(path)?.text ?? "") \(path)")
    }
    state = settings.state
    text = lines.joined(separator: "\n")
  }

  /// By how many nanoseconds a stamp may be late: more than a tick of the slowest kernel clock.
  private static let margin = 20_000_000

  /// The note that is there, if everything is still as it says, and nobody else may have written any of it.
  init?(of invocation: Invocation) {
    guard let path = Self.path(invocation), Self.isSafe(path),
      let bytes = try? readFile(path, limit: ByteCount(1 << 20))
    else {
      return nil
    }
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

  /// Whether nobody else may have written a file; a run that has more to do says what is wrong.
  private static func isSafe(_ path: String) -> Bool {
    (try? FileSafety.require(path)) != nil
  }

  /// Leaves the note; that it cannot be left is no failure.
  func leave(_ invocation: Invocation) {
    guard let path = Self.path(invocation), let slash = path.lastIndex(of: "/") else { return }
    let bytes = Array(text.utf8)
    if Self.isSafe(path), let before = try? readFile(path, limit: ByteCount(1 << 20)), before == bytes {
      return
    }
    try? makePrivateDirectory(String(path[..<slash]))
    try? AtomicFile.replace(path, with: bytes, permissions: 0o600)
  }

  /// Where the note about the configuration that would be read is kept; nil if there is no configuration.
  private static func path(_ invocation: Invocation) -> String? {
    let directories = StandardDirectories(environment: invocation.environment, home: invocation.home)
    let candidates = invocation.namedConfiguration.map { [$0] } ?? directories.configurationFiles
    guard let configuration = candidates.first(where: { FileStamp($0) != nil }) else { return nil }
    var fingerprint = Fingerprint()
    fingerprint.add(absolutePath(configuration))
    return "\(directories.cache)/bgfetch/quiet-" + String(fingerprint.value, radix: 16)
  }

  /// The program, and the surroundings that a configuration is read in.
  private static func firstLine(_ invocation: Invocation) -> String {
    var fingerprint = Fingerprint()
    fingerprint.add(invocation.home)
    fingerprint.add(invocation.stateOverride)
    for (name, value) in invocation.environment.sorted(by: { $0.key < $1.key })
    where !passing.contains(name) && !name.hasPrefix("TRIGGER_") {
      fingerprint.add(name)
      fingerprint.add(value)
    }
    return "bgfetch \(Bgfetch.version) \(String(fingerprint.value, radix: 16))"
  }

  /// Variables that say something of one invocation only (systemd.exec(5), sh(1)), and that no path is made of.
  private static let passing: Set<String> = [
    "BGFETCH_CAUSE", "BGFETCH_NOW", "INVOCATION_ID", "JOURNAL_STREAM", "MAINPID", "NOTIFY_SOCKET", "OLDPWD",
    "SHLVL", "SYSTEMD_EXEC_PID", "WATCHDOG_PID", "WATCHDOG_USEC", "_",
  ]
}

extension Invocation {
  /// Whether a run of everything has nothing to do, which a note of an earlier run says, and nothing to say.
  func isQuiet(_ order: RunOrder) -> Bool {
    guard order.isPlain, !console.isJSON, console.isSilent, let note = QuietNote(of: self) else {
      return false
    }
    // Whatever is wrong with the store, the run itself says it.
    return (try? LiveStore.isQuiet(note.fingerprint, in: note.state, at: clock.now())) ?? false
  }

  /// Leaves word for the runs to come if nothing will be due for a while.
  func noteQuiet(_ loaded: LoadedConfiguration, _ store: any CommandStore) async throws {
    guard let note = QuietNote(loaded, invocation: self) else { return }
    let settings = loaded.settings
    let changes = try await store.changes()
    let context = try await planningContext(settings, store, options: RunOptions())
    guard var end = quietTime(settings.feeds, try await states(settings, store), context) else { return }
    if let transfer = try await store.nextTransferMoment(at: context.now) { end = min(end, transfer) }
    guard end > context.now else { return }
    try await store.noteQuiet(note.fingerprint, from: context.now, until: end, changes: changes)
    note.leave(self)
  }
}

extension RunOrder {
  /// Whether the run is of whatever is due, as a timer orders it.
  fileprivate var isPlain: Bool { feeds.isEmpty && !options.isForced && options.runsHooks }
}

extension Console {
  /// Whether a run with nothing to do says nothing.
  fileprivate var isSilent: Bool {
    switch RunAudience(self) {
    case .journal, .quiet: true
    case .terminal, .verbose: false
    }
  }
}

/// `bgfetch run` as cron and service managers have it, with options that a run with nothing to do need not look at.
///
/// The parser asks Swift's runtime what each option is, and that costs such a run more than all that it does. What is not
/// understood here, because it is wrong or because it is rare, is left to the parser.
struct TimerCall {
  /// The options every command has.
  private(set) var options = CommonOptions()
  /// What woke the run, where the command line says it.
  private(set) var cause: RunCause?

  /// The call that a command line is, without the program's name; nil if it is another one.
  init?(_ arguments: ArraySlice<String>) {
    guard arguments.first == "run" else { return nil }
    // Options that were not parsed have no values before they are given some.
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

extension Invocation {
  /// Whether the process was called by a timer, has nothing to do and nothing to say.
  static func isQuiet(_ arguments: [String]) -> Bool {
    guard let call = TimerCall(arguments.dropFirst()), let invocation = try? Invocation(call.options),
      invocation.mayRun, call.cause != nil || (try? invocation.cause()) != nil
    else { return false }
    return invocation.isQuiet(RunOrder(feeds: [], options: RunOptions(), waits: false))
  }
}

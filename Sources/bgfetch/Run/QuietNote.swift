// Quickly ends a timer's run that has nothing to do, before the configuration is read.
//
// A run that leaves nothing to do records in the store until when nothing is due. It also writes a quiet note, a file in the
// user's cache directory that lists the configuration files and their versions. A later run that finds every file
// unchanged queries the store with the note's fingerprint, and ends. Without a note, a run only takes longer.

import Core
import Machine
import Running
import Store

extension Invocation {
  /// Whether a run would do and print nothing, by the note of an earlier run.
  func isQuiet(_ options: RunOptions) -> Bool {
    // A run --watch has found something to do.
    guard options.words.isEmpty, !options.isForced, options.runsHooks, !options.isWatch,
      !console.isJSON, !RunAudience(console).isPerson, let note = QuietNote(storedFor: self)
    else { return false }
    // If the store cannot be read, the run itself reports why.
    return (try? Store.isQuiet(note.fingerprint, in: note.state, at: clock.now())) ?? false
  }
}

/// A look at what is due after a run.
struct LookAhead {
  let outlook: DueOutlook
  let context: PlanningContext
  /// The note to write if nothing is due for a while; nil if there is none.
  let note: QuietNote?
  /// The changes of the store before the look.
  let changes: Int64
}

extension OpenedState {
  /// Looks ahead after a run; nil if neither a quiet note nor a person needs it, or it would take long.
  func lookAhead(
    _ loaded: LoadedConfiguration, _ options: RunOptions, after report: RunReport
  ) async throws -> LookAhead? {
    // If a feed is due again already, as with `every-run`, there is no quiet time. Other machines change a shared state, and to
    // ask them takes as long as to begin a run.
    let mayBeQuiet = settings.server == nil && report.nextDue.map { $0 > clock.now() } ?? true
    let note = mayBeQuiet ? QuietNote(about: loaded, invocation) : nil
    guard note != nil || invocation.isForPerson else { return nil }
    // After a run of named feeds, a catalog is not read whole.
    if !options.words.isEmpty, settings.hasManyFeeds {
      guard let fingerprint = options.dueFingerprint,
        try await store.mayBeDue(fingerprint, at: clock.now(), within: settings.roundLimit) != nil
      else { return nil }
    }
    let changes = note == nil ? 0 : try await store.changes()
    var usual = RunOptions()
    usual.dueFingerprint = options.dueFingerprint
    let (outlook, context) = try await self.outlook(usual)
    return LookAhead(outlook: outlook, context: context, note: note, changes: changes)
  }

  /// Writes a quiet note if nothing will be due for a while.
  func writeNote(of ahead: LookAhead) async throws {
    let now = ahead.context.now
    guard let note = ahead.note, let quiet = ahead.outlook.quietTime(from: now) else { return }
    let end = min(quiet, try await store.nextTransferMoment(at: now) ?? quiet)
    guard end > now else { return }
    try await store.recordQuiet(note.fingerprint, from: now, until: end, changes: ahead.changes)
    note.write(invocation)
  }
}

/// The state directory and the versions of all files that a run depends on, for one configuration.
struct QuietNote {
  let state: String
  let text: String

  /// The store's key for the note.
  var fingerprint: UInt64 { Fingerprint(of: text).value }

  /// A note about a configuration that was just read; nil if a file may have changed while it was read.
  init?(about loaded: LoadedConfiguration, _ invocation: Invocation) {
    let settings = loaded.settings
    guard let sources = SourceVersions.lines(of: loaded.sources, readSince: loaded.began) else { return nil }
    // The badge, outputs and zone files may have any version, but a later run must find the same one.
    let others =
      [settings.badge].compactMap(\.self) + settings.outputs.map(\.path)
      + invocation.zoneFiles(of: settings)
    state = settings.state
    text =
      ([invocation.versions.firstLine(loaded.variables), settings.state] + sources
      + others.map { SourceVersions.line(of: $0, FileStamp($0)) }).joined(separator: "\n")
  }

  /// The stored note; nil if a file has changed, or another user may have written the note or one of the files.
  init?(storedFor invocation: Invocation) {
    guard let path = Self.path(invocation), let note = invocation.versions.note(at: path),
      (try? Store.requireSafety(of: note.directory)) != nil
    else { return nil }
    state = note.directory
    text = note.text
  }

  /// Writes the note; a failure only makes later runs slower.
  func write(_ invocation: Invocation) {
    guard QuietNote(storedFor: invocation)?.text != text, let path = Self.path(invocation) else { return }
    try? makePrivateDirectory(around: path)
    _ = try? AtomicFile.replace(path, with: Array(text.utf8), permissions: 0o600)
  }

  /// The path of the note about the configuration that would be read; nil if there is no configuration.
  private static func path(_ invocation: Invocation) -> String? {
    invocation.directories.noteFile(about: invocation.namedConfiguration)
  }
}

extension Invocation {
  fileprivate var versions: SourceVersions {
    SourceVersions(program: Bgfetch.version, home: home, environment: environment)
  }

  fileprivate func zoneFiles(of settings: Settings) -> [String] {
    SystemZone(environment: environment).files(named: settings.timezone)
  }

  /// The fingerprint of everything outside the store that decides when feeds are due: program, environment,
  /// configuration and time zone, and whether runs begin punctually.
  ///
  /// Nil if a file may have changed while it was read: then all feeds are looked at.
  ///
  /// Where machines share the state, their files have other versions, and paths and environments of their own: then the
  /// sections that they have in common count.
  func dueFingerprint(of loaded: LoadedConfiguration, isPunctual: Bool) -> UInt64? {
    var fingerprint = Fingerprint()
    if let agreed = loaded.settings.agreedText {
      fingerprint.add(Bgfetch.version)
      fingerprint.add(agreed)
    } else {
      guard let sources = SourceVersions.lines(of: loaded.sources, readSince: loaded.began) else {
        return nil
      }
      let zones = zoneFiles(of: loaded.settings).map { SourceVersions.line(of: $0, FileStamp($0)) }
      for line in [versions.firstLine(loaded.variables)] + sources + zones { fingerprint.add(line) }
    }
    fingerprint.add(isPunctual ? "punctual" : nil)
    return fingerprint.value
  }
}

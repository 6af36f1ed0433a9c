// Notes in the user's cache directory about a configuration as a run has read it. A note holds as long as no file has
// changed; removing one makes the next run slower, and nothing else.

import Core
import Host

/// A kind of note: a file in the cache directory, named for the configuration that would be read.
///
/// Its first line has the version of the program and a fingerprint of the environment in which a configuration is read;
/// further lines may have versions of files.
enum SourceNote: String {
  /// Until when runs have nothing to do (`QuietNote`).
  case quiet
  /// Where the feeds are in the files (`FeedIndexNote`).
  case feeds

  /// The path of the note about the configuration that would be read; nil if there is no configuration.
  func path(_ invocation: Invocation) -> String? {
    let directories = StandardDirectories(environment: invocation.environment, home: invocation.home)
    let candidates = invocation.namedConfiguration.map { [$0] } ?? directories.configurationFiles
    guard let configuration = candidates.first(where: { FileStamp($0) != nil }) else { return nil }
    let fingerprint = Fingerprint(of: absolutePath(configuration))
    return "\(directories.cache)/bgfetch/\(rawValue)-" + String(fingerprint.value, radix: 16)
  }

  /// The content of the note; nil if there is none, or another user may have written it.
  func content(_ invocation: Invocation, limit: ByteCount) -> [UInt8]? {
    path(invocation).flatMap { Self.isSafe($0) ? try? readFile($0, limit: limit) : nil }
  }

  /// Writes the note; a failure only makes later runs slower.
  func write(_ bytes: [UInt8], _ invocation: Invocation) {
    guard let path = path(invocation), content(invocation, limit: ByteCount(Int64(bytes.count))) != bytes
    else { return }
    try? makePrivateDirectory(around: path)
    try? AtomicFile.replace(path, with: bytes, permissions: 0o600)
  }

  /// The line of a file with its version, which is empty if the file does not exist.
  static func line(of path: String, _ stamp: FileStamp?) -> String { "\(stamp?.text ?? "") \(path)" }

  /// Whether a line is about a file that has the same version now, and that no other user may have written.
  static func holds(_ line: Substring) -> Bool {
    guard let slash = line.firstIndex(of: "/") else { return false }
    let path = String(line[slash...])
    return isSafe(path) && Self.line(of: path, FileStamp(path)) == line
  }

  /// The lines of the files that a configuration was read from; nil if a file may have changed while it was read.
  ///
  /// The versions are those from the time of reading: since then a symbolic link may lead to another, older file.
  static func lines(of loaded: LoadedConfiguration) -> [String]? {
    var lines: [String] = []
    for (path, stamp) in loaded.sources {
      guard let stamp, stamp.changed < loaded.began - margin else { return nil }
      lines.append(line(of: path, stamp))
    }
    return lines
  }

  /// The fingerprint of everything outside the store that decides when feeds are due: program, environment,
  /// configuration and time zone, and whether runs begin punctually.
  ///
  /// Nil if a file may have changed while it was read: then all feeds are looked at.
  ///
  /// Where machines share the state, their files have other versions, and paths and environments of their own: then the
  /// sections that they have in common count.
  static func dueNote(_ loaded: LoadedConfiguration, isPunctual: Bool, _ invocation: Invocation) -> UInt64? {
    if loaded.settings.isShared {
      return sharedDueNote(loaded.settings.sharedSections, isPunctual: isPunctual)
    }
    guard let sources = lines(of: loaded) else { return nil }
    let zones = SystemZone(environment: invocation.environment).files(named: loaded.settings.timezone)
    var fingerprint = Fingerprint()
    let first = firstLine(invocation, withAllVariables: loaded.namesVariables)
    for line in [first] + sources + zones.map({ line(of: $0, FileStamp($0)) }) {
      fingerprint.add(line)
    }
    fingerprint.add(isPunctual ? "punctual" : nil)
    return fingerprint.value
  }

  private static func sharedDueNote(_ sections: SharedSections, isPunctual: Bool) -> UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.add(Bgfetch.version)
    fingerprint.add(AgreedConfiguration(sections).text)
    fingerprint.add(isPunctual ? "punctual" : nil)
    return fingerprint.value
  }

  /// The greatest delay of a file's timestamp, in nanoseconds: more than a tick of the slowest kernel clock.
  private static let margin = 20_000_000

  /// Whether no other user may have written a file.
  private static func isSafe(_ path: String) -> Bool {
    (try? FileSafety.require(path)) != nil
  }

  /// The version of the program, and a fingerprint of the environment in which a configuration is read; without all
  /// variables it is the same in a terminal and for cron.
  static func firstLine(_ invocation: Invocation, withAllVariables: Bool = true) -> String {
    var fingerprint = Fingerprint()
    fingerprint.add(invocation.home)
    fingerprint.add(invocation.stateOverride)
    for (name, value) in invocation.environment.sorted(by: { $0.key < $1.key })
    where withAllVariables
      ? !ignoredVariables.contains(name) && !name.hasPrefix("TRIGGER_") : usedVariables.contains(name)
    {
      fingerprint.add(name)
      fingerprint.add(value)
    }
    return "bgfetch \(Bgfetch.version) \(String(fingerprint.value, radix: 16))"
  }

  /// Variables that have a meaning for every configuration.
  private static let usedVariables: Set<String> = [
    "STATE_DIRECTORY", "TZ", "TZDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
  ]

  /// Variables that differ between invocations (systemd.exec(5), sh(1)) and are not part of any path.
  private static let ignoredVariables: Set<String> = [
    "BGFETCH_CAUSE", "BGFETCH_NOW", "INVOCATION_ID", "JOURNAL_STREAM", "MAINPID", "NOTIFY_SOCKET", "OLDPWD",
    "SHLVL", "SYSTEMD_EXEC_PID", "WATCHDOG_PID", "WATCHDOG_USEC", "_",
  ]
}

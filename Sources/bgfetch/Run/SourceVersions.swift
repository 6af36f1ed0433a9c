// The versions of what a configuration was read from, by which a note about it is known to be current.

import Core
import Machine
import Store

/// The versions of the files that a configuration was read from, and of the environment that it was read in.
enum SourceVersions {
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
  static func dueFingerprint(_ loaded: LoadedConfiguration, isPunctual: Bool, _ invocation: Invocation)
    -> UInt64?
  {
    var fingerprint = Fingerprint()
    if let agreed = loaded.settings.agreedText {
      fingerprint.add(Bgfetch.version)
      fingerprint.add(agreed)
    } else {
      guard let sources = lines(of: loaded) else { return nil }
      let zones = SystemZone(environment: invocation.environment).files(named: loaded.settings.timezone)
      let first = firstLine(invocation, loaded.variables)
      for line in [first] + sources + zones.map({ line(of: $0, FileStamp($0)) }) { fingerprint.add(line) }
    }
    fingerprint.add(isPunctual ? "punctual" : nil)
    return fingerprint.value
  }

  /// The greatest delay of a file's timestamp, in nanoseconds: more than a tick of the slowest kernel clock.
  private static let margin = 20_000_000

  /// Whether no other user may have written a file.
  static func isSafe(_ path: String) -> Bool {
    (try? FileSafety.require(path)) != nil
  }

  /// The version of the program, a fingerprint of the home directory and of the variables that count, and the names of those
  /// that only this configuration uses.
  ///
  /// It is the same in a terminal, for cron and for systemd, which set many other variables.
  static func firstLine(_ invocation: Invocation, _ variables: [String]) -> String {
    var fingerprint = Fingerprint()
    fingerprint.add(invocation.home)
    for name in usedVariables + variables { fingerprint.add(invocation.environment[name]) }
    let words = ["bgfetch", Bgfetch.version, String(fingerprint.value, radix: 16)] + variables
    return words.joined(separator: " ")
  }

  /// Whether a first line is the one that would be written now.
  static func holds(first line: Substring, _ invocation: Invocation) -> Bool {
    line == firstLine(invocation, line.split(separator: " ").dropFirst(3).map(String.init))
  }

  /// Variables that have a meaning for every configuration.
  private static let usedVariables = [
    "STATE_DIRECTORY", "TZ", "TZDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
  ]
}

// The versions of what a configuration was read from, by which a note about it is known to be current.

import Core

/// The versions of the files that a configuration was read from, and of the program and the environment that read it.
public struct SourceVersions: Sendable {
  private let program: String
  private let home: String
  private let environment: [String: String]

  /// - Parameter program: the program's version.
  public init(program: String, home: String, environment: [String: String]) {
    (self.program, self.home, self.environment) = (program, home, environment)
  }

  /// The version of the program, a fingerprint of the home directory and of the variables that count, and the names of those
  /// that only this configuration uses.
  ///
  /// It is the same in a terminal, for cron and for systemd, which set many other variables.
  public func firstLine(_ variables: [String]) -> String {
    var fingerprint = Fingerprint()
    fingerprint.add(home)
    for name in Self.usedVariables + variables { fingerprint.add(environment[name]) }
    return variables.reduce("bgfetch \(program) \(String(fingerprint.value, radix: 16))") { $0 + " " + $1 }
  }

  /// Variables that have a meaning for every configuration.
  private static let usedVariables = [
    "STATE_DIRECTORY", "TZ", "TZDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
  ]

  /// The line of a file with its version, which is empty if the file does not exist.
  public static func line(of path: String, _ stamp: FileStamp?) -> String { "\(stamp?.text ?? "") \(path)" }

  /// The lines of files with their versions when they were read; nil if one may have changed while it was read.
  ///
  /// Later a symbolic link may lead to another, older file.
  ///
  /// - Parameter began: when reading began, by the clock of file timestamps.
  public static func lines(of files: [(path: String, stamp: FileStamp?)], readSince began: Int) -> [String]? {
    var lines: [String] = []
    for (path, stamp) in files {
      guard let stamp, stamp.changed < began - margin else { return nil }
      lines.append(line(of: path, stamp))
    }
    return lines
  }

  /// The greatest delay of a file's timestamp, in nanoseconds: more than a tick of the slowest kernel clock.
  private static let margin = 20_000_000

  /// The text of a stored note, and the directory in its second line; nil if its first line would be another one now, a file of
  /// the other lines has changed, or another user may have written the note or one of the files.
  public func note(at path: String) -> (directory: String, text: String)? {
    guard isSafe(path), let bytes = try? readFile(path, limit: ByteCount(1 << 20)) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 2,
      lines[0] == firstLine(lines[0].split(separator: " ").dropFirst(3).map(String.init)),
      lines[2...].allSatisfy(holds)
    else { return nil }
    return (String(lines[1]), text)
  }

  /// Whether a line is about a file that has the same version now, and that no other user may have written.
  private func holds(_ line: Substring) -> Bool {
    guard let slash = line.firstIndex(of: "/") else { return false }
    let path = String(line[slash...])
    return isSafe(path) && Self.line(of: path, FileStamp(path)) == line
  }

  /// Whether no other user may have written a file.
  private func isSafe(_ path: String) -> Bool { (try? FileSafety.require(path)) != nil }
}

extension StandardDirectories {
  /// The note about the configuration that would be read; nil if there is no configuration.
  ///
  /// - Parameter named: the file that the command line names.
  public func noteFile(about named: String?) -> String? {
    let candidates = named.map { [$0] } ?? configurationFiles
    guard let path = candidates.first(where: { FileStamp($0) != nil }) else { return nil }
    return "\(cache)/bgfetch/quiet-" + String(Fingerprint(of: absolutePath(path)).value, radix: 16)
  }
}

// Remembers a lasting mistake that `run -q` has reported, so that cron mails it once a day, not every five minutes.

import Core
import Glibc
import Machine

/// The last message of a quiet run about a topic.
struct ReportedMistake {
  enum Topic: String {
    case configuration, outputs
  }

  /// A file in the user's cache; without it the mistake is reported again.
  private let path: String

  init(of topic: Topic, _ invocation: Invocation) {
    let directories = StandardDirectories(environment: invocation.environment, home: invocation.home)
    var fingerprint = Fingerprint()
    fingerprint.add(invocation.namedConfiguration.map(absolutePath))
    path = "\(directories.cache)/bgfetch/mistake-\(topic.rawValue)-" + String(fingerprint.value, radix: 16)
  }

  /// Whether a text was reported within a day; otherwise records that it is reported now.
  func isKnown(_ lines: [String], at now: Instant) -> Bool {
    let text = lines.joined(separator: "\n")
    if let (moment, noted) = note, noted == text, moment <= now, now.since(moment) < .days(1) { return true }
    try? makePrivateDirectory(around: path)
    try? AtomicFile.replace(path, with: Array("\(now.secondsSince1970)\n\(text)".utf8), permissions: 0o600)
    return false
  }

  /// Forgets the mistake, because it is fixed.
  func forget() {
    unlink(path)
  }

  private var note: (moment: Instant, text: String)? {
    guard (try? FileSafety.require(path)) != nil, let bytes = try? readFile(path, limit: ByteCount(1 << 20))
    else { return nil }
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 1)
    guard parts.count == 2, let seconds = Int64(parts[0]) else { return nil }
    return (Instant(secondsSince1970: seconds), String(parts[1]))
  }
}

extension Invocation {
  /// Reads the configuration for a run; with `-q` it throws an error that an earlier run has reported without its text.
  func configurationOfRun() throws -> LoadedConfiguration {
    var loaded = try reportedConfiguration()
    // The files may have changed since the run --watch that started this process has looked at them.
    if let watchedState { try loaded.settings.checkState(is: watchedState) }
    try lowerConnections(&loaded.settings)
    return loaded
  }

  /// Lowers `connections` to the number for which the limit on open files has room, and says so.
  func lowerConnections(_ settings: inout Settings) throws {
    let wanted = settings.network.connections
    let room = try OpenFiles.room(forConnections: wanted)
    guard room.connections < wanted else { return }
    settings.network.connections = room.connections
    guard RunAudience(console) != .quiet, !isWatched else { return }
    console.say(
      "warning: \(counted(room.connections, "connection")) instead of \(wanted), because only \(room.limit) files may be "
        + "open; raise the limit with ulimit -n, or LimitNOFILE= of the unit", .warning)
  }

  private func reportedConfiguration() throws -> LoadedConfiguration {
    guard console.isQuiet else { return try configuration() }
    let mistake = ReportedMistake(of: .configuration, self)
    do {
      let loaded = try configuration()
      mistake.forget()
      return loaded
    } catch {
      let (lines, status) = errorText(error)
      guard status == .configuration, mistake.isKnown(lines, at: clock.now()) else { throw error }
      throw ProgramFailure.reported(status)
    }
  }
}

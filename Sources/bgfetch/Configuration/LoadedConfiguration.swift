// Finds, checks and reads the configuration and the files that it includes; and remembers a lasting mistake that `run -q` has
// reported, so that cron mails it once a day, not every five minutes.

import Config
import Core
import Glibc
import Machine

/// A valid configuration with its warnings.
struct LoadedConfiguration: Sendable {
  var settings: Settings
  var warnings: [ConfigurationProblem]
  /// Unsafe permissions of the main file; those of included files are among the warnings.
  var findings: [SafetyFinding]
  /// The files that it was read from, the main one first.
  var files: [String]
  /// The absolute paths of all files and directories that it depends on, with their versions when it was read; nil if a
  /// version is unknown.
  var sources: [(path: String, stamp: FileStamp?)]
  /// When reading began, by the clock of file timestamps.
  var began: Int
  /// The variables of the environment that paths name; sorted.
  var variables: [String]
}

extension Invocation {
  /// Reads the configuration; throws all of its errors at once.
  func configuration() throws -> LoadedConfiguration {
    let began = FileStamp.moment()
    let (path, bytes, findings) = try configurationFile()
    guard !findings.contains(where: \.isRefusal) else { throw ProgramFailure.unsafe(findings) }
    let reading = reading(bytes, of: path)
    guard let settings = reading.settings else {
      throw ProgramFailure.configuration(reading.problems.filter { !$0.isWarning })
    }
    if let file = settings.network.caFile { try trust(file) }
    return LoadedConfiguration(
      settings: settings, warnings: reading.problems, findings: findings, files: reading.files,
      sources: reading.sources.map { ($0, FileStamp($0)) }, began: began,
      variables: reading.variables.sorted())
  }

  /// The reading of a configuration with these bytes.
  ///
  /// - Parameters:
  ///   - bytes: the content of the main file.
  ///   - path: the main file, as the user named it.
  ///   - edited: the new content of included files that are edited, by absolute path.
  ///   - mayLackFeeds: whether it is no mistake that there are no feeds.
  func reading(
    _ bytes: [UInt8], of path: String, replacing edited: [String: [UInt8]] = [:], mayLackFeeds: Bool = false
  ) -> ConfigurationReading {
    let zones = SystemZone(environment: environment)
    var context = ConfigurationContext(
      environment: environment, home: home, files: .ofMachine(replacing: edited),
      isZone: { zones.isZone($0) })
    context.mayLackFeeds = mayLackFeeds
    return readConfiguration(bytes, file: path, path: absolutePath(path), context: context)
  }

  /// The time zone of cron fields.
  func zone(_ settings: Settings) throws -> Zone {
    var zone = try zone(named: settings.timezone)
    if console.showsTables { zone.readAt = clock.now() }
    return zone
  }

  /// A time zone; nil names the system's.
  func zone(named name: String?) throws -> Zone {
    try restating(SystemZone(environment: environment).zone(named: name)) { (error: ZoneFailure) in
      ProgramFailure.zone(error, named: name)
    }
  }

  /// The configuration file from the command line, or the first standard one that exists, with its unsafe permissions.
  func configurationFile() throws -> (path: String, bytes: [UInt8], findings: [SafetyFinding]) {
    let candidates = namedConfiguration.map { [$0] } ?? directories.configurationFiles
    for path in candidates {
      do throws(FileFailure) {
        let findings = try FileSafety().findings(path)
        let refusals = findings.filter(\.isRefusal)
        guard refusals.isEmpty else { return (path, [], refusals) }
        return (path, try readFile(path, limit: largestConfiguration), findings)
      } catch {
        guard error.problem == .missing else { throw ProgramFailure.configurationFile(error) }
      }
    }
    throw ProgramFailure.noConfiguration(looked: candidates)
  }

  /// Refuses a file of trusted certificates that another user may have written; a missing file is only a warning.
  func trust(_ certificates: String) throws {
    do throws(FileFailure) {
      try FileSafety.require(certificates)
    } catch {
      guard case .unsafe(let finding) = error.problem else { return }
      throw ProgramFailure.unsafe([finding])
    }
  }
}

extension ConfigurationFiles {
  /// The files of this machine, some of them with edited content.
  static func ofMachine(replacing edited: [String: [UInt8]]) -> ConfigurationFiles {
    var files = ofMachine
    guard !edited.isEmpty else { return files }
    files.read = { path, limit in
      edited[path].map { .success(ConfigurationFile(bytes: $0)) } ?? ofMachine.read(path, limit)
    }
    return files
  }

  /// The files of this machine.
  private static let ofMachine = ConfigurationFiles(
    matching: { pattern in
      Result { () throws(FileFailure) in try filesMatching(pattern) }.mapError(refusal)
    },
    identity: { path in
      fileIdentity(path).map { "\($0.device):\($0.inode)" }
    },
    read: { path, limit in
      do throws(FileFailure) {
        let findings = try FileSafety().findings(path)
        if let finding = findings.first(where: \.isRefusal) { return .failure(refusal(finding)) }
        return .success(
          ConfigurationFile(bytes: try readFile(path, limit: limit), warnings: findings.map(refusal)))
      } catch {
        return .failure(refusal(error))
      }
    })

  private static func refusal(_ finding: SafetyFinding) -> Refusal {
    let (what, cure) = safetyWords(finding)
    return Refusal(what, cure: cure)
  }

  private static func refusal(_ failure: FileFailure) -> Refusal {
    switch failure.problem {
    case .missing:
      Refusal(
        "\(failure.path): there is no such file", cure: "create it, or write a glob such as *.yaml")
    case .isDirectory:
      Refusal("\(failure.path): is a directory", cure: "write \(failure.path)/*.yaml")
    case .tooLarge:
      Refusal(
        "\(failure.path): makes the whole configuration larger than \(largestConfiguration.text)",
        cure: "is this the right file?")
    default: Refusal(fileText(failure), cure: nil)
    }
  }
}

// MARK: Mistakes of quiet runs

/// The last message of a quiet run about a topic.
struct ReportedMistake {
  enum Topic: String {
    case configuration, outputs
  }

  /// A file in the user's cache; without it the mistake is reported again.
  private let path: String

  init(of topic: Topic, _ invocation: Invocation) {
    var fingerprint = Fingerprint()
    fingerprint.add(invocation.namedConfiguration.map(absolutePath))
    path =
      "\(invocation.directories.cache)/bgfetch/mistake-\(topic.rawValue)-"
      + String(fingerprint.value, radix: 16)
  }

  /// Whether a text was reported within a day; otherwise records that it is reported now.
  func isKnown(_ lines: [String], at now: Instant) -> Bool {
    let text = lines.joined(separator: "\n")
    if let (moment, noted) = note, noted == text, moment <= now, now.since(moment) < .days(1) { return true }
    try? makePrivateDirectory(around: path)
    _ = try? AtomicFile.replace(
      path, with: Array("\(now.secondsSince1970)\n\(text)".utf8), permissions: 0o600)
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
    guard RunAudience(console) != .quiet, !reportsToWatch else { return }
    console.say(
      "warning: \(counted(room.connections, "connection")) instead of \(wanted), because only \(room.limit) files may be "
        + "open; raise the limit with ulimit -n, or LimitNOFILE= of the unit", .warning)
  }

  private func reportedConfiguration() throws -> LoadedConfiguration {
    guard console.amount == .quiet else { return try configuration() }
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

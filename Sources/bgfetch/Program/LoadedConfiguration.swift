// Finds, checks and reads the configuration and the files that it includes.

import Config
import Core
import Host

/// A configuration that can be used, with what it warns of.
struct LoadedConfiguration: Sendable {
  var settings: Settings
  var warnings: [ConfigurationProblem]
  /// Places that a group may write, of the main file; those of included files are among the warnings.
  var findings: [SafetyFinding]
  /// The files it stands in, the main one first.
  var files: [String]
  /// What another reading would depend on: the files and directories, as seen from the root, each in the version that
  /// was there when they had been read; nil where it could not be looked at.
  var sources: [(path: String, stamp: FileStamp?)]
}

extension Invocation {
  /// Reads the configuration, or throws everything that is wrong with it.
  func configuration() throws -> LoadedConfiguration {
    let (path, bytes, findings) = try configurationFile()
    guard !findings.contains(where: \.isRefusal) else { throw ProgramFailure.unsafe(findings) }
    let zones = SystemZone(environment: environment)
    let reading = readConfiguration(
      bytes, file: path, path: absolutePath(path),
      context: ConfigurationContext(
        environment: environment, home: home, state: stateOverride, files: .ofMachine,
        isZone: { zones.isZone($0) }))
    guard let settings = reading.settings else {
      throw ProgramFailure.configuration(reading.problems.filter { !$0.isWarning })
    }
    try trustCertificates(settings)
    return LoadedConfiguration(
      settings: settings, warnings: reading.problems, findings: findings, files: reading.files,
      sources: reading.sources.map { ($0, FileStamp($0)) })
  }

  /// The zone in which cron fields are read.
  func zone(_ settings: Settings) throws -> Zone {
    do throws(ZoneFailure) {
      return try SystemZone(environment: environment).zone(named: settings.timezone)
    } catch {
      throw ProgramFailure.zone(zoneText(error, named: settings.timezone))
    }
  }

  /// The configuration file that is named, else the first one that is there, and what it warns of.
  private func configurationFile() throws -> (path: String, bytes: [UInt8], findings: [SafetyFinding]) {
    let candidates =
      namedConfiguration.map { [$0] }
      ?? StandardDirectories(environment: environment, home: home).configurationFiles
    for path in candidates {
      do throws(FileFailure) {
        let findings = try FileSafety().findings(path)
        let refusals = findings.filter(\.isRefusal)
        guard refusals.isEmpty else { return (path, [], refusals) }
        return (path, try readFile(path, limit: largestConfiguration), findings)
      } catch {
        guard error.problem == .missing else {
          throw ProgramFailure.file(error, purpose: configurationPurpose)
        }
      }
    }
    throw ProgramFailure.noConfiguration(looked: candidates)
  }

  /// Refuses a file of trusted certificates that somebody else may have written; one that is missing is a warning's matter.
  private func trustCertificates(_ settings: Settings) throws {
    for file in Set(([settings.network] + settings.feeds.map(\.network)).compactMap(\.caFile)).sorted() {
      do throws(FileFailure) {
        try FileSafety.require(file)
      } catch {
        guard case .unsafe(let finding) = error.problem else { continue }
        throw ProgramFailure.unsafe([finding])
      }
    }
  }
}

extension ConfigurationFiles {
  /// The files of this machine.
  static let ofMachine = ConfigurationFiles(
    matching: { pattern in
      do throws(FileFailure) {
        return .success(try filesMatching(pattern))
      } catch {
        return .failure(refusal(error))
      }
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

  private static func refusal(_ finding: SafetyFinding) -> ConfigurationFileRefusal {
    let (what, cure) = safetyWords(finding)
    return ConfigurationFileRefusal(what, cure: cure)
  }

  private static func refusal(_ failure: FileFailure) -> ConfigurationFileRefusal {
    switch failure.problem {
    case .missing:
      ConfigurationFileRefusal(
        "\(failure.path): there is no such file", cure: "write it, or a glob such as *.yaml")
    case .isDirectory:
      ConfigurationFileRefusal("\(failure.path): is a directory", cure: "write \(failure.path)/*.yaml")
    case .tooLarge:
      ConfigurationFileRefusal(
        "\(failure.path): makes the whole configuration larger than 8 MiB", cure: "is this the right file?")
    default: ConfigurationFileRefusal(fileText(failure), cure: nil)
    }
  }
}

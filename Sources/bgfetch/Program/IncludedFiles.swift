// The files that a configuration includes: found, trusted and read like itself.

import Config
import Core
import Host

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

// `bgfetch report`: the facts that are needed to find a fault, and nothing private; and `bgfetch --version -v`.

import ArgumentParser
import Config
import Core
import Machine
import Store

struct ReportCommand: ProgramCommand {
  static let heading = ("report", "Print what a bug report needs, without names, addresses and secrets")

  @OptionGroup var common: ConfigurationOption

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let console = invocation.console.unwrapped
    for line in versionLines() { console.print(line) }
    guard let (path, bytes, _) = try? invocation.configurationFile() else {
      console.print("configuration: none that can be read; see bgfetch check")
      return .success
    }
    let reading = invocation.reading(bytes, of: path)
    let included = reading.sources.prefix(reading.files.count).dropFirst().map { file in
      (try? invocation.read(file, limit: largestConfiguration, purpose: "include")) ?? []
    }
    for (number, text) in ([bytes] + included).enumerated() {
      console.print("configuration, file \(number + 1):")
      console.print(maskedConfiguration(text) ?? "not YAML")
    }
    guard let settings = reading.settings else {
      let mistakes = reading.problems.filter { !$0.isWarning }
      console.print(counted(mistakes.count, "mistake") + "; see bgfetch check")
      return .success
    }
    console.print("last runs:")
    do {
      let store = try await invocation.open(settings, for: .reading).store
      for var run in try await store.pastRuns(HistoryPart(limit: 5), settings) {
        // The name of a machine may be a person's.
        run.record.machine = nil
        console.print(run.json.text)
      }
    } catch {
      console.print("not readable; see bgfetch status")
    }
    return .success
  }
}

/// The versions of the program, of its libraries and of the system.
func versionLines() -> [String] {
  [
    "bgfetch \(Bgfetch.version), state version \(Store.schemaVersion)",
    "libcurl \(curlVersion() ?? "not found"), SQLite \(Store.libraryVersion), libyaml \(yamlLibraryVersion)",
    Machine.operatingSystem,
  ]
}

// `bgfetch check`.

import ArgumentParser
import Config
import Host
import Model
import StateStore

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Read the configuration, whole, and say what is wrong with it")

  @OptionGroup var common: CommonOptions

  @Flag(help: "Print the JSON Schema of the configuration, for editors; nothing is read.")
  var schema = false

  func run() async {
    await Invocation.perform(common) { invocation in
      let console = invocation.console
      if schema {
        console.print(configurationSchema().indentedText)
        return .success
      }
      let loaded: LoadedConfiguration
      do {
        loaded = try invocation.configuration()
      } catch ProgramFailure.configuration(let problems) where console.isJSON {
        for problem in problems { console.print(problemJSON(problem)) }
        return .configuration
      }
      let settings = loaded.settings
      var warnings = loaded.warnings.map(\.text) + loaded.findings.map { "warning: " + safetyText($0) }
      warnings += missingPrograms(settings, environment: invocation.environment, home: invocation.home)
      warnings += networkWarnings(settings, environment: invocation.environment)
      if let space = lowSpace(settings) { warnings.append("warning: " + space.text) }
      warnings += await invocation.moveWarnings(settings)
      _ = try invocation.zone(settings)
      warnings += await identityWarnings(settings, invocation)
      for warning in warnings { console.say(warning, .warning) }
      if console.isJSON {
        console.print(
          .object([
            ("type", .string("check")), ("file", .string(settings.path)),
            ("files", .array(loaded.files.map(JSONValue.string))),
            ("feeds", .number(Int64(settings.feeds.count))), ("hooks", .number(Int64(settings.hooks.count))),
            ("warnings", .array(warnings.map(JSONValue.string))),
          ]))
      } else {
        let found =
          warnings.isEmpty
          ? "no problems" : "\(warnings.count) \(warnings.count == 1 ? "warning" : "warnings")"
        let others = loaded.files.count > 1 ? " and \(counted(loaded.files.count - 1, "included file"))" : ""
        console.print(
          "\(settings.path)\(others): \(counted(settings.feeds.count, "feed")), \(counted(settings.hooks.count, "hook")), \(found)"
        )
      }
      return .success
    }
  }

  /// Warns of feeds whose documents have shown that their guids do not last.
  private func identityWarnings(_ settings: Settings, _ invocation: Invocation) async -> [String] {
    // The check is of the configuration: where the state cannot be read, other commands say why.
    guard let store = try? await invocation.openStore(settings, for: .reading),
      let states = try? await invocation.states(settings, store)
    else { return [] }
    return settings.feeds.filter { $0.identity == .guid && states[$0.name]?.identity.ignoresGuids ?? false }
      .map { "warning: feed \($0.name): \(renewedGuids); write identity: link, and that is settled" }
  }

  /// Warns of what the network settings will not do, for whichever feeds they hold.
  private func networkWarnings(_ settings: Settings, environment: [String: String]) -> [String] {
    var warnings: [String] = []
    let all = [settings.network] + settings.feeds.map(\.network)
    var files: Set<String> = []
    for file in all.compactMap(\.caFile) where files.insert(file).inserted {
      guard (try? readFile(file, limit: ByteCount(64 << 20))) == nil else { continue }
      warnings.append("warning: ca-file \(file) cannot be read; every https feed that uses it will fail")
    }
    let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    let hasProxy = names.contains { environment[$0]?.isEmpty == false }
    let isProxied = all.contains { network in
      switch network.proxy {
      case .url: true
      case .none: false
      case .environment: hasProxy
      }
    }
    if isProxied {
      warnings.append("warning: behind a proxy only private addresses that are written out can be refused")
    }
    return warnings
  }

  /// Warns of hooks whose programs cron would not find: it looks in /usr/bin and /bin only (crontab(5)).
  private func missingPrograms(_ settings: Settings, environment: [String: String], home: String) -> [String]
  {
    settings.hooks.compactMap { hook in
      guard case .one(let template)? = hook.run.first, template.placeholders.isEmpty else { return nil }
      let program = template.filled { _, _ in "" }
      func isFound(on path: String?) -> Bool {
        (try? findProgram(program, path: path, directory: home)) != nil
      }
      guard !isFound(on: "/usr/bin:/bin") else { return nil }
      guard isFound(on: environment["PATH"]) else {
        return
          "warning: hook \(hook.name): there is no program \(program); install it or write its whole path"
      }
      return "warning: hook \(hook.name): cron's PATH does not lead to \(program); write its whole path"
    }
  }
}

/// A number with its noun.
func counted(_ count: Int, _ noun: String) -> String { counted(count, noun, noun + "s") }

/// A number with its noun, whose plural is no common one.
func counted(_ count: Int, _ noun: String, _ plural: String) -> String {
  "\(count) \(count == 1 ? noun : plural)"
}

/// A mistake in a configuration as JSON.
private func problemJSON(_ problem: ConfigurationProblem) -> JSONValue {
  .object([
    ("type", .string("problem")), ("file", .string(problem.file)), ("line", .number(Int64(problem.line))),
    ("column", .number(Int64(problem.column))), ("what", .string(problem.what)),
    ("cure", .text(problem.cure)),
    ("warning", .bool(problem.isWarning)),
  ])
}

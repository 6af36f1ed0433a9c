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
      _ = try invocation.zone(settings)
      let warnings = await invocation.warnings(about: loaded)
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
  ])
}

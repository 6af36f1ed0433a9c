// `bgfetch check`.

import ArgumentParser
import Config
import Core

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
      _ = try invocation.zone(loaded.settings)
      let warnings = await invocation.warnings(about: loaded)
      for warning in warnings { console.say(warning, .warning) }
      if console.isJSON {
        console.print(checkJSON(loaded, warnings))
      } else {
        console.print(checkText(loaded, warnings))
      }
      return .success
    }
  }
}

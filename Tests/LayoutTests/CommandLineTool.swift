// The commands and options of the program, as its argument parser describes them.

import Foundation
import Testing

/// A command as the argument parser describes it.
struct CommandLineTool {
  var name: String
  /// Its options, with their dashes.
  var options: Set<String>
  /// How many options it and its own commands show, each with all its names once, without `--help` and `--version`.
  var optionCount: Int
  var commands: [CommandLineTool]

  /// Its options and those of its own commands, such as `hooks test`.
  var allOptions: Set<String> { commands.reduce(options) { $0.union($1.allOptions) } }

  /// The program's own description.
  static func dumped() throws -> CommandLineTool {
    let output = try run(Repository.program(), ["--experimental-dump-help"]).output
    let dump = try #require(JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    return try CommandLineTool(#require(dump["command"] as? [String: Any]))
  }

  init(_ dump: [String: Any]) throws {
    name = try #require(dump["commandName"] as? String)
    let arguments = dump["arguments"] as? [[String: Any]] ?? []
    let named = arguments.filter { $0["shouldDisplay"] as? Bool != false }.compactMap { argument in
      (argument["names"] as? [[String: String]])?.compactMap { name in
        name["name"].map { (name["kind"] == "long" ? "--" : "-") + $0 }
      }
    }
    options = Set(named.joined())
    optionCount = named.count { !$0.contains("--help") && !$0.contains("--version") }
    commands = []
    for subcommand in dump["subcommands"] as? [[String: Any]] ?? [] {
      let tool = try CommandLineTool(subcommand)
      guard tool.name != "help" else { continue }
      commands.append(tool)
      optionCount += tool.optionCount
    }
  }
}

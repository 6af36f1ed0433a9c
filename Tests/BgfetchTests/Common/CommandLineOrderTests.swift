// The command line before it is parsed, and hints for words that are no commands.

import ArgumentParser
import Testing

@testable import bgfetch

@Suite struct CommandLineOrderTests {
  @Test(arguments: [
    (["--json", "status"], ["status", "--json"]), (["-v", "run", "planet"], ["run", "-v", "planet"]),
    (["--config", "a b", "-q", "run", "--wait"], ["run", "--config", "a b", "-q", "--wait"]),
    (["--config=x", "--json", "check"], ["check", "--config=x", "--json"]),
    (["status", "--json"], ["status", "--json"]), (["--help"], ["--help"]), (["-h", "run"], ["run", "-h"]),
    (["--version"], ["--version"]),
    (["--json"], ["--json"]), (["--config"], ["--config"]), (["--wait", "run"], ["--wait", "run"]),
    (["--", "run"], ["--", "run"]), ([], []), (["-q", "transfers", "run"], ["transfers", "run", "-q"]),
    (
      ["-q", "transfers", "--config", "never", "run", "-v"],
      ["transfers", "run", "-q", "--config", "never", "-v"]
    ),
    (["transfers", "-qv", "run"], ["transfers", "run", "-qv"]),
    (
      ["--config", "run", "--json", "transfers", "list", "y"],
      ["transfers", "list", "--config", "run", "--json", "y"]
    ),
    (["-v", "transfers", "planet"], ["transfers", "-v", "planet"]),
    (["-v", "transfers", "--problems", "run"], ["transfers", "-v", "--problems", "run"]),
    (["-q", "xyzzy", "run"], ["xyzzy", "-q", "run"]), (["-x", "run"], ["-x", "run"]),
    (["help", "transfers", "run"], ["help", "transfers", "run"]),
    (["---completion", "items", "--", "0"], ["---completion", "items", "--", "0"]),
  ])
  func `common options may come before the command`(given: [String], expected: [String]) {
    #expect(withOptionsAfterCommand(given) == expected)
  }

  /// The words of each command, nested ones included.
  private static let commands = words(of: Bgfetch.self)

  private static func words(of command: any ParsableCommand.Type) -> [[String]] {
    command.configuration.subcommands.flatMap { nested in
      let name = nested.configuration.commandName ?? ""
      return [[name]] + words(of: nested).map { [name] + $0 }
    }
  }

  @Test(arguments: commands)
  func `every command takes the common options before it and between its words`(command: [String]) throws {
    let options = ["--config", "F"]

    for place in command.indices {
      let moved = withOptionsAfterCommand(Array(command[..<place]) + options + command[place...])

      #expect(moved == command + options, "\(place)")
      // A command that only has commands has no options.
      guard command != ["fleet"] else { continue }
      do {
        _ = try Bgfetch.parseAsRoot(moved)
      } catch {
        // Most commands need more words.
        #expect(!Bgfetch.fullMessage(for: error).contains("nknown option"), "\(command)")
      }
    }
  }

  @Test func `every hint names a command, and no hint hides one`() {
    let commands = Set(Bgfetch.configuration.subcommands.map { $0.configuration.commandName ?? "" })

    for (words, hint) in commandsForOtherWords {
      let named = String(hint.prefix { $0 != " " && $0 != "," })
      #expect(commands.contains(named) || named == "--version", "\(hint)")
      #expect(commands.isDisjoint(with: words.split(separator: " ").map(String.init)), "\(words)")
    }
  }
}

// Errors of every command: how they begin, and the exit statuses of bgfetch(1).

import Foundation
import TestKit
import Testing

@Suite struct CommandErrorTests {
  private func program() throws -> BuiltProgram {
    try BuiltProgram(configuration: "feeds: {planet: \"http://127.0.0.1:1/\"}")
  }

  /// The words of each command, nested ones included, as the program describes itself.
  private static func commands() async throws -> [[String]] {
    let dumped = try await BuiltProgram()("--experimental-dump-help", status: 0).output
    let description = try JSONSerialization.jsonObject(with: Data(dumped.utf8)) as? [String: Any]
    let commands = words(of: try #require(description?["command"] as? [String: Any]))
    try #require(commands.contains(["fleet", "prepare"]))
    return commands
  }

  private static func words(of command: [String: Any]) -> [[String]] {
    let commands = command["subcommands"] as? [[String: Any]] ?? []
    return commands.flatMap { nested in
      let name = nested["commandName"] as? String ?? ""
      // The parser's own command.
      return name == "help" ? [] : [[name]] + words(of: nested).map { [name] + $0 }
    }
  }

  @Test(arguments: try await commands())
  func `each command refuses a wrong command line in one line, and names its help`(command: [String])
    async throws
  {
    let refused = try await program()(command + ["--nosuch"], status: 2, prints: "")

    // The parser may report a missing argument first.
    #expect(refused.errors.hasPrefix("bgfetch: "), "\(refused.errors)")
    #expect(refused.errors.contains("; see bgfetch \(command.joined(separator: " "))"))
    #expect(refused.errors.hasSuffix(" --help\n"))
    #expect(refused.errors.split(separator: "\n").count == 1)
  }

  @Test(
    arguments: [
      ("add http://", 2), ("remove nosuch", 2), ("import nosuch", 74),
      ("export --config no", 78),
      ("check --config no", 78), ("parse nosuch", 74), ("pause nosuch", 2), ("pause", 2),
      ("resume nosuch", 2),
      ("run nosuch", 2), ("run --budget x", 2), ("run -q -v", 2), ("transfers run --quiet --verbose", 2),
      ("push --feed nosuch", 2), ("install-timer --config no", 78),
      ("install-timer --every 7m", 2), ("items nosuch", 2), ("items --json --format tsv", 2),
      ("read nosuch", 2), ("open 99", 2), ("seen nosuch", 2), ("unseen 99-101", 2), ("undo --config no", 78),
      ("star nosuch", 2), ("unstar nosuch", 2), ("opened nosuch", 2), ("badge --format no", 2),
      ("status nosuch", 2), ("why nosuch", 2), ("history nosuch", 2), ("history --since x", 2),
      ("metrics --output /nosuch/x", 74), ("transfers list nosuch", 2), ("transfers list --status x", 2),
      ("transfers run --budget x", 2), ("transfers retry 99", 2), ("transfers pause 99", 2),
      ("transfers resume 99", 2), ("transfers cancel 99", 2), ("transfers add nosuch", 2),
      ("transfers verify --config no", 78), ("hooks test nosuch", 2), ("simulate nosuch --result failed", 2),
      ("fleet prepare", 2), ("fleet copy a b", 2), ("fleet adopt", 2), ("fleet pause", 2),
      ("fleet resume", 2),
      ("fleet forget x", 2), ("fleet import nosuch", 74), ("xyzzy", 2), ("fleet xyzzy", 2),
    ] as [(String, Int32)])
  func `an error is one line, begins with the program and says what to do`(
    line: String, status: Int32
  ) async throws {
    let failed = try await program()(line.split(separator: " ").map(String.init), status: status, prints: "")

    #expect(failed.errors.hasPrefix("bgfetch: "), "\(failed.errors)")
    #expect(!failed.errors.contains("Error:"))
    #expect(failed.errors.split(separator: "\n").count == 1, "\(failed.errors)")
  }
}

// Checks that the commands and options that messages and help texts advise exist.

import Foundation
import Testing

@Suite struct AdviceTests {
  /// Words that follow the program's name in a sentence about it.
  private let verbs: Set = [
    "a", "already", "bgfetch", "cannot", "did", "does", "from", "has", "here", "is", "itself", "on", "sets",
    "there", "user",
  ]

  @Test func `messages advise only commands and options that exist`() throws {
    let program = try CommandLineTool.dumped()
    let advice = /bgfetch ([a-z][a-z-]*)([^;,.:(\\]*)/
    for path in try Repository.files(below: "Sources", endingIn: ".swift") {
      for (number, line) in try Repository.text(path).split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated()
      where strstr(String(line), "bgfetch ") != nil {
        // Every other part of the line is in quotes.
        for (index, literal) in line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
        where index % 2 == 1 {
          for match in literal.matches(of: advice) {
            let place = "\(path):\(number + 1): \(match.0)"
            guard let command = program.commands.first(where: { $0.name == match.1 }) else {
              #expect(verbs.contains(String(match.1)), "\(place)")
              continue
            }
            for option in match.2.split(separator: " ") where option.hasPrefix("--") {
              #expect(command.allOptions.contains(String(option)), "\(place)")
            }
          }
        }
      }
    }
  }
}

// The command line before it is parsed: common options may come before the command, and the error for a mistyped command
// suggests the nearest one.

import Config
import Core

/// Moves common options before the command to after it; other command lines stay the same.
///
/// - Parameter arguments: the arguments without the program's name.
func withOptionsAfterCommand(_ arguments: [String]) -> [String] {
  var options: [String] = []
  var rest = arguments[...]
  while let word = rest.first, word.hasPrefix("-") {
    rest = rest.dropFirst()
    if flags.contains(word) || valued.contains(where: { word.hasPrefix($0 + "=") }) {
      options.append(word)
    } else if valued.contains(word), let value = rest.popFirst() {
      options += [word, value]
    } else {
      // --help, --version, completion, or a mistake: left to the parser.
      return arguments
    }
  }
  guard !options.isEmpty, let command = rest.first else { return arguments }
  return [command] + options + rest.dropFirst()
}

private let flags: Set = ["--json", "-q", "--quiet", "-v", "--verbose"]

private let valued: Set = ["--config", "--state", "--color"]

/// The error for a word that is not a command; nil for commands, options and no word.
func mistakenCommand(_ word: String?, among commands: [String]) -> String? {
  guard let word, !word.hasPrefix("-"), !(commands + ["help"]).contains(word) else { return nil }
  let shown = cleanText(word, limit: 60)
  let near = nearest(word, among: commands)?.word ?? commands.first { !word.isEmpty && $0.hasPrefix(word) }
  let cure = near.map { "did you mean \"\($0)\"?" } ?? "bgfetch --help lists the commands"
  return "bgfetch: there is no command \"\(shown)\"; \(cure)"
}

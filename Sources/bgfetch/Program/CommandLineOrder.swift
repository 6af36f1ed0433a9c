// The command line before it is parsed: common options may come before the command, and the error for a mistyped command
// suggests the nearest one.

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
      // --version, completion, or a mistake: left to the parser.
      return arguments
    }
  }
  guard !options.isEmpty, let command = rest.first else { return arguments }
  return [command] + options + rest.dropFirst()
}

private let flags: Set = ["--json", "-q", "--quiet", "-v", "--verbose", "-h", "--help"]

private let valued: Set = ["--config", "--state", "--color"]

/// The message if the first word of a command line, or the word after `help`, is not a command; nil if it is, or is an
/// option or missing.
func mistakenCommand(_ arguments: [String], among commands: [String]) -> String? {
  let word = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
  guard let word, !word.hasPrefix("-"), !(commands + ["help"]).contains(word) else { return nil }
  let shown = cleanText(word, limit: 60)
  let near = nearest(word, among: commands)?.word ?? commands.first { !word.isEmpty && $0.hasPrefix(word) }
  let cure =
    wordsOfOtherPrograms[word].map { "use bgfetch \($0)" } ?? near.map { "did you mean \"\($0)\"?" }
    ?? "bgfetch --help lists the commands"
  return "bgfetch: there is no command \"\(shown)\"; \(cure)"
}

/// Names of commands in other programs, with the command to use here.
private let wordsOfOtherPrograms = [
  "delete": "remove", "download": "transfers", "downloads": "transfers", "feeds": "status", "fetch": "run",
  "list": "items", "log": "history", "ls": "items", "read": "open, or bgfetch seen", "refresh": "run",
  "reload": "run", "rm": "remove", "search": "items --search", "subscribe": "add", "sync": "run",
  "unread": "items --unseen", "unsubscribe": "remove", "update": "run", "version": "--version",
]

// The command line before it is parsed: common options may come before the command, and the error for a mistyped command
// suggests the nearest one.

import ArgumentParser
import Core

/// Moves common options before a command, or between a command and a nested one, to after it; other command lines stay the
/// same.
///
/// - Parameter arguments: the arguments without the program's name.
func withOptionsAfterCommand(_ arguments: [String]) -> [String] {
  var options: [String] = []
  var path: [String] = []
  var commands = Bgfetch.configuration.subcommands
  var rest = arguments[...]
  while let word = rest.first, !commands.isEmpty {
    if isCommonFlag(word) || word.hasPrefix("--config=") {
      options.append(word)
    } else if word == "--config", rest.count > 1 {
      options += rest.prefix(2)
      rest = rest.dropFirst()
    } else if let next = commands.first(where: { $0.configuration.commandName == word }) {
      path.append(word)
      commands = next.configuration.subcommands
    } else {
      break
    }
    rest = rest.dropFirst()
  }
  // A command of another name, which mistakenCommand reports. An unknown option before it, and completion, are left to the parser.
  if path.isEmpty, rest.first?.hasPrefix("-") == false { path = [rest.removeFirst()] }
  return path.isEmpty ? arguments : path + options + rest
}

/// Whether a word is one or more flags that may come before a command, such as `-q` or `-qv`.
private func isCommonFlag(_ word: String) -> Bool {
  if ["--json", "--quiet", "--verbose", "--help"].contains(word) { return true }
  let letters = word.utf8.dropFirst()
  return word.hasPrefix("-") && !letters.isEmpty && letters.allSatisfy("qvh".utf8.contains)
}

/// The message if the first word of a command line, or the word after `help`, is not a command; nil if it is, or is an
/// option or missing.
func mistakenCommand(_ arguments: [String], among commands: [String]) -> String? {
  let word = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
  guard let word, !word.hasPrefix("-"), !(commands + ["help"]).contains(word) else { return nil }
  let shown = cleanText(word, limit: 60)
  let near = nearest(word, among: commands)?.word ?? commands.first { !word.isEmpty && $0.hasPrefix(word) }
  let cure =
    commandsForOtherWords.first { $0.0.split(separator: " ").contains(word[...]) }.map {
      "use bgfetch \($0.1)"
    } ?? near.map { "did you mean \"\($0)\"?" }
    ?? "bgfetch --help lists the commands, and man bgfetch has recipes"
  return "bgfetch: there is no command \"\(shown)\"; \(cure)"
}

/// A message of the parser as errors of this program begin, with the command whose help has more.
///
/// - Parameter full: the parser's whole text, which names that command.
func commandLineMistake(_ message: String, full: String) -> String {
  let lines = message.split(separator: "\n").map { line in
    let text = line.drop { $0 == " " }
    return String(text.hasPrefix("- ") ? text.dropFirst(2) : text)
  }
  var what = (lines.first ?? "") + (lines.count > 1 ? " " + lines.dropFirst().joined(separator: ", ") : "")
  if what.dropFirst().first?.isLowercase == true { what = what.prefix(1).lowercased() + what.dropFirst() }
  if what.hasSuffix(".") { what.removeLast() }
  let suggested = what.split(separator: ". Did you mean ")
  if suggested.count == 2 { return "bgfetch: \(suggested[0]); did you mean \(suggested[1])" }
  let help = full.split(separator: "See '").dropFirst().first?.prefix { $0 != "'" }
  return "bgfetch: \(what)" + (help.map { "; see \($0)" } ?? "")
}

/// Words that people type, most of them commands of other programs, and the command to use here.
let commandsForOtherWords = [
  ("follow init sub subscribe", "add URL"), ("delete rm unfollow unsub unsubscribe", "remove"),
  ("import-opml opml", "import"), ("export-opml", "export"), ("doctor lint test validate", "check"),
  ("config configure edit settings tag", "check, which names the file to edit"),
  ("disable mute snooze stop", "pause"), ("enable start unmute", "resume"),
  ("fetch force poll pull refresh reload sync update", "run"), ("daemon serve watch", "run --watch"),
  ("cron install schedule setup timer", "install-timer"), ("uninstall", "install-timer --remove"),
  ("list ls", "status for feeds, items for items"), ("articles headlines latest news recent today", "items"),
  ("inbox new unread", "items --unseen"), ("find grep search", "items --search WORDS"),
  ("bookmarks favorites favourites saved starred", "items --starred"),
  ("article cat next print show view", "read"), ("browser play visit web", "open"),
  ("catchup catch-up done mark mark-all-read mark-read markread read-all", "seen"),
  ("mark-unread", "unseen"), ("bookmark fav favorite favourite flag keep save", "star"), ("unflag", "unstar"),
  ("feeds info list-feeds", "status"), ("errors problems", "status --problems"),
  ("debug explain", "why"), ("log logs", "history"),
  ("download downloads episodes podcasts queue", "transfers"), ("cancel", "transfers cancel"),
  ("retry", "transfers retry, or hooks retry"), ("digest mail notifications notify", "hooks"),
  ("version", "--version"),
]

// The command line before it is parsed: common options may come before the command, and the error for a mistyped command
// suggests the nearest one. The completion of bash for both, and for @tag.

import ArgumentParser
import Core

/// Moves common options before a command, or between a command and a nested one, to after it; other command lines stay the
/// same.
///
/// - Parameters:
///   - arguments: the arguments without the program's name.
///   - root: the program, with its commands.
func withOptionsAfterCommand(
  _ arguments: [String], of root: any ParsableCommand.Type = Bgfetch.self
) -> [String] {
  var options: [String] = []
  var path: [String] = []
  var command = root
  var commands: [any ParsableCommand.Type] { command.configuration.subcommands }
  // `help` takes the words of a command, and has no use for its options.
  var isHelp: Bool { path.first == "help" }
  var rest = arguments[...]
  while let word = rest.first, isHelp || !commands.isEmpty {
    if isCommonFlag(word) || valued.contains(where: { word.hasPrefix($0 + "=") }) {
      options.append(word)
    } else if valued.contains(word), rest.count > 1 {
      options += rest.prefix(2)
      rest = rest.dropFirst()
    } else if word == "--version", path.isEmpty {
      return [word]
    } else if isHelp || path.isEmpty && word == "help" {
      path.append(word)
    } else if let next = commands.first(where: { $0.configuration.commandName == word }) {
      path.append(word)
      command = next
    } else {
      break
    }
    rest = rest.dropFirst()
  }
  // A command that only has commands shows its help.
  let isGroup = !path.isEmpty && !commands.isEmpty && command.configuration.defaultSubcommand == nil
  if isHelp || isGroup { return path + rest }
  // A command of another name, which mistakenCommand reports. An unknown option before it, and completion, are left to the parser.
  if path.isEmpty, let word = rest.popFirst() {
    guard !word.hasPrefix("-") else { return arguments }
    path = [word]
  }
  return path.isEmpty ? arguments : path + options + rest
}

/// Whether a word is one or more of the flags that every command has, such as `-q` or `-qv`.
private func isCommonFlag(_ word: String) -> Bool {
  if ["--json", "--quiet", "--verbose", "--help"].contains(word) { return true }
  let letters = word.utf8.dropFirst()
  return word.hasPrefix("-") && !letters.isEmpty && letters.allSatisfy("qvh".utf8.contains)
}

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
  "list": "items", "log": "history", "ls": "items", "refresh": "run",
  "reload": "run", "rm": "remove", "search": "items --search", "subscribe": "add", "sync": "run",
  "unread": "items --unseen", "unsubscribe": "remove", "update": "run", "version": "--version",
]

/// The script for bash with the completion of tags; other texts unchanged.
func withTags(_ script: String) -> String {
  let ending = "complete -o filenames -F _bgfetch bgfetch"
  return script.hasSuffix(ending) || script.hasSuffix(ending + "\n") ? script + "\n" + tagCompletion : script
}

/// The commands with commands of their own, for a pattern of bash.
private let commandsWithNested = Bgfetch.configuration.subcommands
  .filter { !$0.configuration.subcommands.isEmpty }.compactMap { $0.configuration.commandName }.joined(
    separator: "|")

private let tagCompletion = #"""

  # Like ArgumentParser's, but compgen -W would expand the words as the shell expands a command line.
  __bgfetch_add_completions() {
      local completion
      while IFS='' read -r completion; do
          [[ "${1}" == -W && ( -z "${completion}" || "${completion}" != "${cur}"* ) ]] || COMPREPLY+=("${completion}")
      done < <(if [[ "${1}" == -W ]]; then printf '%s\n' "${2}"; else IFS=$'\n' compgen "${@}" -- "${cur}"; fi)
  }

  # Bash splits words at @, also before the name of a tag: this joins them again.
  _bgfetch_with_tags() {
      local -a words=()
      local -i index position=COMP_CWORD
      for ((index = 0; index < ${#COMP_WORDS[@]}; index++)); do
          if ((index > 0)) && [[ "${COMP_WORDS[index - 1]}" == @ && -n "${COMP_WORDS[index]}" ]]; then
              words[${#words[@]} - 1]+="${COMP_WORDS[index]}"
              ((index <= COMP_CWORD)) && position+=-1
          else
              words+=("${COMP_WORDS[index]}")
          fi
      done
      # Options before the command are completed as if they came after it.
      local -i command=1
      while ((command < position)) && [[ "${words[command]}" == -* ]]; do
          case "${words[command]}" in
          --config|--state|--color) command+=2 ;;
          *) command+=1 ;;
          esac
      done
      if ((1 < command && command < position)); then
          local -i count=1
          [[ "${words[command]}" != @(\#(commandsWithNested)) ]] || ((command + 1 == position)) || count=2
          words=(
              "${words[0]}" "${words[@]:command:count}" "${words[@]:1:command - 1}" "${words[@]:command + count}"
          )
      fi
      local -a COMP_WORDS=("${words[@]}")
      local -i COMP_CWORD=position
      _bgfetch "${1}" "${2}" "${COMP_WORDS[COMP_CWORD - 1]}"
      # Bash would escape the @ in names of files. Without that it escapes nothing.
      [[ "${2}" == @* ]] || return 0
      compopt +o filenames 2>/dev/null
      for index in "${!COMPREPLY[@]}"; do
          [[ "${COMPREPLY[index]}" != *[^[:alnum:]@._-]* ]] || printf -v "COMPREPLY[index]" %q "${COMPREPLY[index]}"
      done
  }
  complete -o filenames -F _bgfetch_with_tags bgfetch
  """#

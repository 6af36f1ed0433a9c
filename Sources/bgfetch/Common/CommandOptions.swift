// Options and arguments that several commands share, and their completion in shells; and the command line before it is parsed:
// common options may come before the command, and the error for a mistyped command suggests the nearest one.

import ArgumentParser
import Config
import Core
import Machine
import Store

/// The options of every command.
struct CommonOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The configuration file.", valueName: "file"), completion: .configurationFile)
  var config: String?

  @Option(
    help: ArgumentHelp("The state directory, instead of the configured one.", valueName: "directory"),
    completion: .directory)
  var state: String?

  @Flag(help: "Print JSON, one object a line.")
  var json = false

  @Option(help: "When to use colour.")
  var color = ColorChoice.auto

  func validate() throws {
    if config?.isEmpty == true { throw ValidationError("--config takes a file") }
    if state?.isEmpty == true { throw ValidationError("--state takes a directory") }
  }
}

/// The options of commands that run: how much they report.
struct ReportOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print only new failures and recoveries.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print everything.")
  var verbose = false

  var amount: ReportAmount { quiet ? .quiet : verbose ? .verbose : .usual }
}

/// How much a command reports about its work.
enum ReportAmount {
  /// Only new failures and recoveries.
  case quiet
  case usual
  case verbose
}

enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  /// On a terminal, unless `NO_COLOR` is set.
  case auto
  case always
  case never

  // See `RunCause`.
  static var allValueStrings: [String] { allCases.map { $0.rawValue } }
  static var allValueDescriptions: [String: String] { [:] }
}

/// The feeds that a command changes.
struct NamedFeeds: ParsableArguments {
  @Argument(feeds: "Feeds by name, glob or @tag.")
  var feeds: [String] = []

  @Flag(help: "All feeds.")
  var all = false

  func validate() throws {
    guard all || !feeds.isEmpty else { throw ValidationError("name the feeds, or write --all") }
    if all, !feeds.isEmpty { throw ValidationError("write feeds or --all, not both") }
  }

  /// The names of the feeds, in the order of the configuration.
  func names(from settings: Settings) throws -> [FeedName] {
    try selectedFeeds(feeds, from: settings.feeds).map(\.name)
  }
}

/// The configured feeds that names, globs and tags select, in the order of the configuration; all feeds if there are no
/// words.
///
/// - Throws: a usage error with the closest name or tag for a word that matches nothing.
func selectedFeeds(_ words: [String], from feeds: FeedList) throws -> [FeedSpec] {
  guard !words.isEmpty else { return feeds.all }
  // Plain names, the usual case, are looked up.
  let named = words.compactMap(FeedName.init).filter(feeds.names.contains)
  if named.count == words.count { return feeds.named(named) }
  let known = FeedWords(feeds)
  for word in words {
    guard let mistake = known.mistake(in: word) else { continue }
    throw ProgramFailure.usage("\(mistake.what); \(mistake.cure ?? "see bgfetch status")")
  }
  return feeds.filter { feed in words.contains { feed.isSelected(by: $0) } }
}

extension OpenedState {
  /// The feeds that names and globs select; feeds that were removed from the configuration count while their history is stored.
  func selectedNames(_ words: [String]) async throws -> [FeedName] {
    let named = words.compactMap(FeedName.init).filter(settings.feedNames.contains)
    if named.count == words.count { return named }
    let dormant = try await store.dormantFeeds(configured: settings.feedNames)
    var selected: [FeedName] = []
    for word in words {
      let gone = dormant.filter { glob(matches: $0.text, pattern: word) }
      do {
        selected += try selectedFeeds([word], from: settings.feeds).map(\.name)
      } catch {
        // The word may match dormant feeds only.
        guard !gone.isEmpty else { throw error }
      }
      selected += gone
    }
    return selected
  }
}

extension Invocation {
  /// The one feed of the configuration or the catalog that a word selects.
  func feed(named name: String) async throws -> FeedSpec {
    if let feed = try? feed(named: name, in: try configuration().settings) { return feed }
    return try feed(named: name, in: try await openState(for: .reading).settings)
  }

  /// The one feed of a configuration that a word selects.
  func feed(named name: String, in settings: Settings) throws -> FeedSpec {
    let selected = try selectedFeeds([name], from: settings.feeds)
    guard let feed = selected.first, selected.count == 1 else {
      throw ProgramFailure.usage("\"\(name)\" selects \(selected.count) feeds; name one")
    }
    return feed
  }
}

/// The numbers that a word means: `12` and `#12` are one, `12-15` are all between; nil for another word.
func numberRange(_ word: String) -> ClosedRange<Int64>? {
  let ends = (word.hasPrefix("#") ? word.dropFirst() : word[...])
    .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
  guard ends.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } }) else { return nil }
  let numbers = ends.map { Int64($0) ?? .max }.sorted()
  return numbers[0]...numbers[numbers.count - 1]
}

/// The longest accepted interval, as in the configuration: adding it to any time still gives a valid `Instant`.
private let longest = Interval.days(3650)

/// The error for an interval that is too long; nil if it is not.
func tooLongText(_ interval: Interval) -> String? {
  interval > longest ? "is too long; write \(longest.text) or less" : nil
}

/// The time that an option such as `--since` gives, which may be in the future; then nothing matches.
func pastMoment(_ text: String, of option: String, now: Instant, in zone: Zone) throws -> Instant {
  if let moment = Instant(text: text, from: now, isPast: true, in: zone) { return moment }
  throw ProgramFailure.usage(
    "\(option) \"\(text)\" is not a time; write 2d, yesterday, 2026-11-21 or 2026-11-21T08:30:00Z")
}

/// The time that `--until` gives, which must be in the future.
func comingMoment(_ text: String, now: Instant, in zone: Zone) throws -> Instant {
  guard let moment = Instant(text: text, from: now, in: zone) else {
    throw ProgramFailure.usage(
      "--until \"\(text)\" is not a time; write 2d, tomorrow, \"2026-12-24 08:00\" or 2026-12-24T08:00:00Z")
  }
  if let tooLong = Interval(text: text).flatMap(tooLongText) {
    throw ProgramFailure.usage("--until \"\(text)\" \(tooLong)")
  }
  guard moment > now else {
    throw ProgramFailure.usage("--until \"\(text)\" has passed; write a time in the future, or resume")
  }
  return moment
}

extension Argument where Value == [String] {
  /// Feeds by their names, with completion.
  init(wrappedValue: [String], feeds help: ArgumentHelp) {
    self.init(wrappedValue: wrappedValue, help: help.named("feed"), completion: .feedNames)
  }
}

extension ArgumentHelp {
  /// The help with a name for the value.
  fileprivate func named(_ name: String) -> ArgumentHelp {
    var help = self
    help.valueName = name
    return help
  }
}

extension CompletionKind {
  /// The names and tags of feeds.
  static var feedNames: CompletionKind {
    names { settings in
      settings.feeds.map(\.name.text) + Set(settings.feeds.flatMap(\.tags)).sorted().map { "@" + $0 }
    }
  }

  static var hookNames: CompletionKind { names { $0.hooks.map(\.name) } }

  static var configurationFile: CompletionKind { .file(extensions: ["yaml", "yml"]) }

  private static func names(_ names: @escaping @Sendable (Settings) -> [String]) -> CompletionKind {
    // The shell filters by the word under the cursor; some shells ignore case.
    .custom { words, _, _ in configuredNames(words, names) }
  }
}

/// Names from the configuration of a command line; none if the configuration is missing or invalid, as completion cannot
/// show errors.
private func configuredNames(_ words: [String], _ names: (Settings) -> [String]) -> [String] {
  guard let options = try? CommonOptions.parse(optionWords(words)),
    let settings = try? Invocation(options).configuration().settings
  else { return [] }
  return names(settings)
}

/// The `--config` option of a command line, if it has one.
private func optionWords(_ words: [String]) -> [String] {
  for (index, word) in words.enumerated() {
    if word.hasPrefix("--config=") { return [word] }
    if word == "--config", index + 1 < words.count { return [word, words[index + 1]] }
  }
  return []
}

// MARK: Before parsing

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

/// Whether a word is one or more flags that may come before a command, such as `-q` or `-qv`.
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

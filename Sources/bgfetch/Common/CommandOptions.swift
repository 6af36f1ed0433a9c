// Options and arguments that several commands share, and their completion in shells.

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

  @Flag(name: .shortAndLong, help: "Print only new failures and recoveries.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print everything.")
  var verbose = false

  @Option(help: "When to use colour.")
  var color = ColorChoice.auto

  func validate() throws {
    if config?.isEmpty == true { throw ValidationError("--config takes a file") }
    if state?.isEmpty == true { throw ValidationError("--state takes a directory") }
  }
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

/// The digits of a number as people write it, `12` or `#12`; nil for another word.
func digits(ofNumber word: String) -> Substring? {
  let digits = word.hasPrefix("#") ? word.dropFirst() : word[...]
  return !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isNumber } ? digits : nil
}

/// The longest accepted interval, as in the configuration: adding it to any time still gives a valid `Instant`.
private let longest = Interval.days(3650)

/// The error for an interval that is too long; nil if it is not.
func tooLongText(_ interval: Interval) -> String? {
  interval > longest ? "is too long; write \(longest.text) or less" : nil
}

/// The time that `--since` gives, which may be in the future; then nothing matches.
func pastMoment(_ text: String, now: Instant, in zone: Zone) throws -> Instant {
  if let moment = Instant(text: text, from: now, isPast: true, in: zone) { return moment }
  throw ProgramFailure.usage(
    "--since \"\(text)\" is not a time; write 2d, yesterday, 2026-11-21 or 2026-11-21T08:30:00Z")
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
    throw ProgramFailure.usage("--until \"\(text)\" has passed; write a time in the future, or unpause")
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

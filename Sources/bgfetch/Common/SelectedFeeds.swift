// The feeds that the words of a command line select.

import ArgumentParser
import Config
import Core
import Running
import Store

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
  let named = words.compactMap { FeedName($0) }.filter(feeds.names.contains)
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
    let named = words.compactMap { FeedName($0) }.filter(settings.feedNames.contains)
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

extension Argument where Value == [String] {
  /// Feeds by their names, with completion.
  init(wrappedValue: [String], feeds help: ArgumentHelp) {
    var help = help
    help.valueName = "feed"
    self.init(wrappedValue: wrappedValue, help: help, completion: .feedNames)
  }
}

extension RunOptions {
  /// The options with the selected feeds, and with the configured budget unless the command line sets a limit.
  func selecting(from settings: Settings) throws -> RunOptions {
    var options = self
    if !words.isEmpty { options.named = Set(try selectedFeeds(words, from: settings.feeds).map(\.name)) }
    options.budget = timeLimit ?? settings.budget
    return options
  }
}

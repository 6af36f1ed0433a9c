// The feeds that a command line names.

import Config
import Core

/// The configured feeds that names, globs and tags select, in the order of the configuration; all of them for none.
///
/// A word that selects nothing is a wrong command line, with the nearest one that does as its cure.
func selectedFeeds(_ words: [String], from feeds: [FeedSpec]) throws -> [FeedSpec] {
  guard !words.isEmpty else { return feeds }
  let known = FeedWords(feeds)
  for word in words {
    guard let mistake = known.mistake(in: word) else { continue }
    throw ProgramFailure.usage("\(mistake.what); \(mistake.cure ?? "see bgfetch status")")
  }
  return feeds.filter { feed in words.contains { feed.isSelected(by: $0) } }
}

/// The feeds that names and globs select among those of the configuration and those that have left it, whose history is
/// kept for a while.
func selectedNames(
  _ patterns: [String], from feeds: [FeedSpec], dormant: [FeedName]
) throws -> [FeedName] {
  var selected: [FeedName] = []
  for pattern in patterns {
    let gone = dormant.filter { glob(matches: $0.text, pattern: pattern) }
    do {
      selected += try selectedFeeds([pattern], from: feeds).map(\.name)
    } catch {
      // The name of a feed that is gone is a name all the same.
      guard !gone.isEmpty else { throw error }
    }
    selected += gone
  }
  return selected
}

extension Invocation {
  /// The one configured feed of a name.
  func feed(named name: String) throws -> FeedSpec {
    try feed(named: name, in: try configuration().settings)
  }

  /// The one feed of a name in a configuration.
  func feed(named name: String, in settings: Settings) throws -> FeedSpec {
    let selected = try selectedFeeds([name], from: settings.feeds)
    guard let feed = selected.first, selected.count == 1 else {
      throw ProgramFailure.usage("\"\(name)\" selects \(selected.count) feeds; name one")
    }
    return feed
  }
}

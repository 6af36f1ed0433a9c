// The feeds that a command line names.

import Config
import Model

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

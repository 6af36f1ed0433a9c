// The feeds that a command line names.

import Config
import Model
import Planning

/// The configured feeds that names and globs select, in the order of the configuration; all of them for none.
///
/// A name or glob that selects nothing is a wrong command line, with the nearest name as its cure.
func selectedFeeds(_ patterns: [String], from feeds: [FeedSpec]) throws -> [FeedSpec] {
  guard !patterns.isEmpty else { return feeds }
  var selected: Set<FeedName> = []
  for pattern in patterns {
    let matching = feeds.map(\.name).filter { glob(matches: $0.text, pattern: pattern) }
    guard !matching.isEmpty else {
      let near = nearest(pattern, among: feeds.map(\.name.text))
      throw ProgramFailure.usage(
        "no feed is called \"\(pattern)\""
          + (near.map { "; did you mean \"\($0.word)\"?" } ?? "; see bgfetch status"))
    }
    selected.formUnion(matching)
  }
  return feeds.filter { selected.contains($0.name) }
}

extension Invocation {
  /// The one configured feed of a name.
  func feed(named name: String) throws -> FeedSpec {
    let selected = try selectedFeeds([name], from: try configuration().settings.feeds)
    guard let feed = selected.first, selected.count == 1 else {
      throw ProgramFailure.usage("\"\(name)\" selects \(selected.count) feeds; name one")
    }
    return feed
  }
}

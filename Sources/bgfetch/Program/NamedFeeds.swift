// The feeds that a command changes: those that are named, or all, but never all for want of a name.

import ArgumentParser
import Core

/// The feeds that a command changes.
struct NamedFeeds: ParsableArguments {
  @Argument(
    help: ArgumentHelp("Feeds, by name, glob or @tag.", valueName: "feed"),
    completion: .feedNames)
  var feeds: [String] = []

  @Flag(help: "All feeds.")
  var all = false

  func validate() throws {
    guard all || !feeds.isEmpty else { throw ValidationError("name the feeds, or write --all") }
    if all, !feeds.isEmpty { throw ValidationError("write feeds or --all, not both") }
  }

  /// Their names, in the order of the configuration.
  func names(from settings: Settings) throws -> [FeedName] {
    try selectedFeeds(feeds, from: settings.feeds).map(\.name)
  }
}

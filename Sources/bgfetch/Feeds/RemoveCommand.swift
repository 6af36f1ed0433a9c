// `bgfetch remove`: removes feeds from the configuration.

import ArgumentParser
import Config
import Core

struct RemoveCommand: ProgramCommand {
  static let heading = ("remove", "Remove feeds from the configuration; their files stay")

  @OptionGroup var common: ConfigurationOption

  @Argument(help: ArgumentHelp("Feeds by name, glob or @tag.", valueName: "feed"), completion: .feedNames)
  var feeds: [String]

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let console = invocation.console
    let removal = try await invocation.retrying { try invocation.remove(feeds) }
    for feed in removal.feeds { console.print("removed \(feed.name) from \(feed.file)") }
    console.print(
      removal.feeds.count == 1
        ? "its downloaded files stay; if it is added again within 90 days, it continues where it stopped"
        : "their downloaded files stay; feeds that are added again within 90 days continue where they stopped"
    )
    for warning in removal.warnings { console.say(warning.text, .warning) }
    return .success
  }
}

/// Feeds that were removed from the configuration.
private struct Removal {
  /// The feeds with the files that they were in.
  var feeds: [(name: FeedName, file: String)]
  /// New warnings about the configuration, such as a hook for a removed feed.
  var warnings: [ConfigurationProblem]
}

extension Invocation {
  /// Removes the feeds that words select; nil if the configuration was changed meanwhile.
  fileprivate func remove(_ words: [String]) throws -> Removal? {
    let configuration = try editableConfiguration()
    let selected = try selectedFeeds(words, from: configuration.settings.feeds)
    var texts: [Int: [UInt8]] = [:]
    var removal = Removal(feeds: [], warnings: [])
    for feed in selected {
      guard let number = configuration.file(of: feed.name) else {
        throw ProgramFailure.notEdited(
          configuration.files[0].name,
          Refusal("the feed \(feed.name) cannot be found in the text", cure: "edit the file yourself"))
      }
      let file = configuration.files[number]
      texts[number] = try restating(removing(feed.name, from: texts[number] ?? file.bytes)) {
        (error: Refusal) in ProgramFailure.notEdited(file.name, error)
      }
      removal.feeds.append((feed.name, file.name))
    }
    removal.warnings = try check(texts, of: configuration, removing: Set(selected.map(\.name))).warnings
    return try replace(texts, of: configuration) ? removal : nil
  }
}

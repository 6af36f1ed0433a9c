// `bgfetch remove`: removes feeds from the configuration.

import ArgumentParser
import Config
import Core
import Machine
import Store

struct RemoveCommand: ProgramCommand {
  static let heading = ("remove", "Remove feeds from the configuration or the catalog; their files stay")

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("Feeds by name, glob or @tag.", valueName: "feed"), completion: .feedNames)
  var feeds: [String]

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let removal = try await invocation.retrying { try await invocation.remove(feeds) }
    invocation.console.report(removal)
    return .success
  }
}

/// Feeds that were removed from the configuration.
private struct Removal {
  /// The feeds with the files that they were in; nil means the catalog.
  var feeds: [(name: FeedName, file: String?)]
  /// New warnings about the configuration, such as a hook for a removed feed.
  var warnings: [ConfigurationProblem]
}

extension Invocation {
  /// Removes the feeds that words select; nil if the configuration was changed meanwhile.
  fileprivate func remove(_ words: [String]) async throws -> Removal? {
    let configuration = try editableConfiguration()
    let own = configuration.settings.feeds
    var selected = own.named(words.compactMap(FeedName.init))
    // Names of files need no store.
    if selected.count < Set(words).count {
      selected = try selectedFeeds(words, from: try await openState(for: .reading).settings.feeds)
    }
    let listed = selected.map(\.name).filter { !own.names.contains($0) }
    selected.removeAll { !own.names.contains($0.name) }
    let removal =
      selected.isEmpty ? Removal(feeds: [], warnings: []) : try remove(selected, from: configuration)
    guard var removal, !listed.isEmpty else { return removal }
    let store = try await openStore(configuration.settings, for: .writing)
    _ = try await store.removeFromCatalog(listed, at: try await clock(of: store).now())
    await store.close()
    WakeFile.touch(configuration.settings.wakeFile)
    removal.feeds += listed.map { ($0, nil) }
    return removal
  }

  private func remove(_ selected: [FeedSpec], from configuration: EditableConfiguration) throws -> Removal? {
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

extension Console {
  fileprivate func report(_ removal: Removal) {
    if isJSON {
      for feed in removal.feeds {
        print(JSONValue(["type": "removed", "feed": feed.name, "file": feed.file]))
      }
    } else {
      for feed in removal.feeds { print("removed \(feed.name) from \(feed.file ?? "the catalog")") }
      print(
        removal.feeds.count == 1
          ? "its downloaded files stay; if it is added again within 90 days, it continues where it stopped"
          : "their downloaded files stay; feeds that are added again within 90 days continue where they stopped"
      )
    }
    for warning in removal.warnings { say(warning.text, .warning) }
  }
}

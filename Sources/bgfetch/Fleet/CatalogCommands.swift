// `bgfetch fleet add`, `set`, `remove`, `list` and `import`: the catalog, the feeds that stand in the database and that all
// machines have.

import ArgumentParser
import Core
import Store

struct FleetAddCommand: ProgramCommand {
  static let heading = ("add", "Add a feed")

  @OptionGroup var common: CommonOptions

  @Argument(help: "Its address.")
  var url: String

  @Argument(help: "Its name.")
  var name: String

  @Option(name: .customLong("tag"), help: "A tag; may be repeated.")
  var tags: [String] = []

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openStateOfFiles(for: .writing)
    let feed = try catalogFeed(name: name, url: url, tags: tags, state.settings)
    guard try await state.store.catalogFeeds([feed.name]).isEmpty else {
      throw ProgramFailure.usage("\(name) is in the catalog already; change it with bgfetch fleet set")
    }
    return try await state.put(feed, "added")
  }
}

struct FleetSetCommand: ProgramCommand {
  static let heading = ("set", "Change the address or the tags of a feed")

  @OptionGroup var common: CommonOptions

  @Argument(help: "The name of the feed.")
  var name: String

  @Option(help: "Its new address.")
  var url: String?

  @Option(
    name: .customLong("tag"),
    help: "A tag in place of the earlier ones; may be repeated. none removes all.")
  var tags: [String] = []

  func validate() throws {
    if url == nil, tags.isEmpty { throw ValidationError("write --url or --tag") }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openStateOfFiles(for: .writing)
    guard let known = FeedName(name), let old = try await state.store.catalogFeeds([known])[known] else {
      throw ProgramFailure.notFound("there is no feed \(cleanText(name, limit: 100)) in the catalog")
    }
    let feed = try catalogFeed(
      name: name, url: url ?? old.address.text, tags: tags.isEmpty ? old.tags : tags.filter { $0 != "none" },
      state.settings)
    return try await state.put(feed, "changed")
  }
}

struct FleetRemoveCommand: ProgramCommand {
  static let heading = ("remove", "Remove feeds")

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("Names of feeds.", valueName: "feed"))
  var feeds: [String]

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openStateOfFiles(for: .writing)
    let names = feeds.compactMap { FeedName($0) }
    let known = try await state.store.catalogFeeds(names)
    if let other = feeds.first(where: { word in FeedName(word).flatMap { known[$0] } == nil }) {
      throw ProgramFailure.notFound("there is no feed \(cleanText(other, limit: 100)) in the catalog")
    }
    let count = try await state.store.removeFromCatalog(names, at: try await state.storeTime())
    state.wakeWatch()
    invocation.console.print(
      json: [JSONValue(["type": "catalog", "removed": count])],
      text: ["\(counted(count, "feed")) removed"])
    return .success
  }
}

struct FleetListCommand: ProgramCommand {
  static let heading = ("list", "List feeds; with --json, as import reads them")

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("Names, globs or @tags; default: all.", valueName: "feed"))
  var feeds: [String] = []

  @Option(
    help: ArgumentHelp("List at most this many; default: 50 on a terminal, else all.", valueName: "number"))
  var limit: Int?

  func validate() throws { try requirePositive(limit, "--limit") }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let store = try await invocation.openStateOfFiles(for: .reading).store
    let console = invocation.console
    var left = limit ?? console.defaultLimit ?? .max
    var last: String?
    while case let (part, end?) = try await store.catalogPage(after: last, limit: 1000) {
      last = end
      for feed in part where feeds.isEmpty || feeds.contains(where: feed.isSelected) {
        guard left > 0 else {
          console.say("there are more; see --limit")
          return .success
        }
        left -= 1
        console.print(
          json: [catalogJSON(feed)],
          text: ["\(feed.name)  \(feed.address.text)" + feed.tags.map { "  @" + $0 }.joined()])
      }
    }
    return .success
  }
}

struct FleetImportCommand: ProgramCommand {
  static let heading = ("import", "Take over a list of feeds: JSON lines, OPML or newsboat's urls")

  @OptionGroup var common: CommonOptions

  @Argument(help: "The list, or - for standard input.", completion: .file())
  var file: String

  @Option(name: .customLong("tag"), help: "A tag that every feed gets besides its own; may be repeated.")
  var tags: [String] = []

  @Flag(help: "Remove the feeds of the catalog that are not in the list.")
  var replace = false

  @Flag(help: "Say what would change, and change nothing.")
  var dryRun = false

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openStateOfFiles(for: dryRun ? .reading : .writing)
    let console = invocation.console
    let result = try await state.importCatalog(self) { line, what in
      console.print(
        json: [JSONValue(["type": "remark", "file": file, "line": line, "text": what])], text: [])
      if !console.isJSON { console.say("\(file):\(line): \(what)", .warning) }
    }
    if !dryRun { state.wakeWatch() }
    console.print(
      json: [
        JSONValue([
          "type": "import", "feeds": result.taken, "changed": result.changed, "removed": result.removed,
          "left-out": result.leftOut,
        ])
      ], text: [importText(result, isTrial: dryRun)])
    return result.leftOut == 0 ? .success : .someFailed
  }
}

/// A feed from the command line; a mistake is a usage error.
private func catalogFeed(
  name: String, url: String, tags: [String], _ settings: Settings
) throws -> CatalogFeed {
  let feed = try restating(CatalogFeed(name: name, url: url, tags: tags)) {
    (error: TextProblem) in ProgramFailure.usage(error.text)
  }
  if let mistake = settings.mistake(in: feed) { throw ProgramFailure.usage(mistake) }
  return feed
}

extension OpenedState {
  /// Writes a feed into the catalog, and says so.
  fileprivate func put(_ feed: CatalogFeed, _ what: String) async throws -> ExitStatus {
    let count = try await store.addToCatalog([feed], at: try await storeTime())
    wakeWatch()
    console.print(
      json: [catalogJSON(feed)], text: [count > 0 ? "\(feed.name) \(what)" : "\(feed.name) is as it was"])
    return .success
  }
}

extension CatalogFeed {
  fileprivate func isSelected(by word: String) -> Bool {
    var spec = FeedSpec(name: name, url: .plain(address.text))
    spec.tags = tags
    return spec.isSelected(by: word)
  }
}

private func catalogJSON(_ feed: CatalogFeed) -> JSONValue {
  JSONValue(["name": feed.name, "url": feed.address.text, "tags": feed.tags])
}

private func importText(_ result: CatalogImportResult, isTrial: Bool) -> String {
  let parts = [
    "\(counted(result.taken, "feed")), \(result.changed) new or changed",
    result.removed > 0 ? "\(result.removed) removed" : nil,
    result.leftOut > 0 ? "\(result.leftOut) left out" : nil,
  ].compactMap(\.self)
  return parts.joined(separator: ", ") + (isTrial ? "; nothing was changed" : "")
}

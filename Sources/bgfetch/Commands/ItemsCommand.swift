// `bgfetch items`.

import ArgumentParser
import Core
import Host
import StateStore

struct ItemsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "items", abstract: "List items, newest first")

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp("Feeds, by name, glob or @tag; all of them for none.", valueName: "feed"),
    completion: .feedNames)
  var feeds: [String] = []

  @Flag(help: "Only items that are not seen.")
  var unseen = false

  @Option(
    help: ArgumentHelp(
      "Only items dated since then: 2d, 2026-11-21, \"2026-11-21 08:00\" or 2026-11-21T08:00:00Z.",
      valueName: "when"))
  var since: String?

  @Option(help: ArgumentHelp("Only the newest so many.", valueName: "number"))
  var limit: Int?

  @Option(help: ArgumentHelp("A template, for example \"{feed}: {item.title}\".", valueName: "template"))
  var format: String?

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number from 1 on") }
  }

  func run() async {
    await Invocation.perform(common) { invocation in
      let settings = try invocation.configuration().settings
      let selected = try selectedFeeds(feeds, from: settings.feeds)
      let layout = try format.map(itemLayout)
      let zone = try invocation.zone(settings)
      let store = try await invocation.openStoreToShow(settings)
      let console = invocation.console
      let items = try await store.items(
        feeds: feeds.isEmpty ? nil : selected.map(\.name), unseenOnly: unseen,
        since: try since.map { try pastMoment($0, now: invocation.clock.now(), in: zone) },
        limit: limit ?? console.defaultLimit,
        among: Set(settings.feeds.map(\.name)))
      let states = try await store.feedStates()
      let labels = itemLabels(settings, states)
      var assets = ItemAssets()
      assets.isThere = { fileIdentity($0) != nil }
      if console.isJSON || layout?.placeholders.contains("asset.path") == true {
        assets.assets = try await store.assetsOf(items.map(\.number))
        assets.transfers = try await store.transfersOf(items.map(\.number))
      }
      for item in items {
        if console.isJSON {
          console.print(itemJSON(item, labels, assets))
        } else {
          console.print(
            layout.map { itemLine(item, $0, labels, assets, in: zone) } ?? itemLine(item, labels, in: zone))
        }
      }
      await store.close()
      if console.output.isTerminal, !console.isJSON {
        // Whoever may only read the state is shown its items all the same, and leaves no habit.
        try? await invocation.recordOpening(
          of: feeds.isEmpty ? nil : selected.map(\.name), settings,
          try await invocation.openStore(settings, for: .writing))
      }
      return .success
    }
  }
}

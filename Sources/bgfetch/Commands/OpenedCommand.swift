// `bgfetch opened`.

import ArgumentParser
import Core
import Host
import StateStore

struct OpenedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "opened", abstract: "Record that you look at feeds now, for adapt: habits")

  @OptionGroup var common: CommonOptions
  @OptionGroup var selection: NamedFeeds

  @Flag(help: "Forget when you looked at them, and record nothing; with --all, everything that was learned.")
  var forget = false

  func run() async {
    await Invocation.perform(common) { invocation in
      let settings = try invocation.configuration().settings
      let selected = try selection.names(from: settings)
      let store = try await invocation.openStore(settings, for: .writing)
      if forget {
        try await store.forgetOpenings(of: selection.all ? nil : selected)
      } else {
        try await invocation.recordOpening(of: selection.all ? nil : selected, settings, store)
      }
      if invocation.console.isJSON {
        invocation.console.print(
          .object([
            ("type", .string(forget ? "forgotten" : "opened")),
            ("feeds", .array(selected.map { .string($0.text) })),
          ]))
      }
      return .success
    }
  }
}

extension Invocation {
  /// Records that the person looks at feeds now; nil is all of them.
  func recordOpening(of feeds: [FeedName]?, _ settings: Settings, _ store: Store) async throws {
    try await store.recordOpening(of: feeds, at: OpeningMoment(clock.now(), in: try zone(settings)))
  }
}

// `bgfetch seen`.

import ArgumentParser
import Core
import StateStore

struct SeenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seen", abstract: "Mark items as seen, and lower the badge")

  @OptionGroup var common: CommonOptions
  @OptionGroup var selection: NamedFeeds

  @Option(help: ArgumentHelp("Only this item of the feed.", valueName: "id"))
  var item: String?

  @Option(help: ArgumentHelp("Only this item of the feed and all older ones.", valueName: "id"))
  var through: String?

  func validate() throws {
    if item != nil || through != nil {
      guard selection.feeds.count == 1 else { throw ValidationError("--item and --through take one feed") }
      guard item == nil || through == nil else {
        throw ValidationError("write --item or --through, not both")
      }
    }
  }

  func run() async {
    await Invocation.perform(common) { invocation in
      let settings = try invocation.configuration().settings
      let selected = try selection.names(from: settings)
      let store = try await invocation.openStore(settings, for: .writing)
      let count = try await store.markSeen(try scope(selected))
      guard let count else {
        throw ProgramFailure.usage(
          "\(selected[0]) has no item \"\(item ?? through ?? "")\"; see bgfetch items --json")
      }
      let badge = try await invocation.updateBadge(settings, store)
      if invocation.console.isJSON {
        invocation.console.print(
          .object([
            ("type", .string("seen")), ("items", .number(Int64(count))), ("badge", .number(Int64(badge))),
          ]))
      } else {
        invocation.console.print("\(counted(count, "item")) seen, badge \(badge)")
      }
      return .success
    }
  }

  private func scope(_ feeds: [FeedName]) throws -> SeenScope {
    guard let id = item ?? through, let feed = feeds.first else { return .all(Set(feeds)) }
    guard feeds.count == 1 else { throw ProgramFailure.usage("--item and --through take one feed") }
    return item != nil ? .item(feed, id: id) : .through(feed, id: id)
  }
}

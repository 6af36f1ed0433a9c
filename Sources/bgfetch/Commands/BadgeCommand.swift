// `bgfetch badge`.

import ArgumentParser
import Core
import Host
import StateStore

struct BadgeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "badge", abstract: "Print or set the badge: the number of unseen items")

  @OptionGroup var common: CommonOptions

  @Argument(help: "What to do with it.")
  var action = Action.get

  @Argument(help: ArgumentHelp("The number to set, from 0 on.", valueName: "number"))
  var number: Int?

  @Option(
    help: ArgumentHelp(
      "How it is printed: plain, waybar, tmux, or a template with {badge}.", valueName: "format"),
    completion: .list(["plain", "waybar", "tmux"]))
  var format = "plain"

  /// What can be done with the badge.
  enum Action: String, ExpressibleByArgument, CaseIterable {
    /// Print it.
    case get
    /// Set it to 0.
    case clear
    /// Set it to a number.
    case set
  }

  func validate() throws {
    guard action == .set else {
      if number != nil { throw ValidationError("only set takes a number") }
      return
    }
    guard let number, (0...Int(Int32.max)).contains(number) else {
      throw ValidationError("set takes a number from 0 to \(Int32.max)")
    }
  }

  func run() async {
    await Invocation.perform(common) { invocation in
      switch action {
      case .get: try await invocation.printBadge(as: try badgeFormat(format))
      case .clear: try await invocation.setBadge(0, isOpening: true)
      case .set: try await invocation.setBadge(number ?? 0, isOpening: false)
      }
      return .success
    }
  }
}

extension Invocation {
  fileprivate func printBadge(as format: BadgeFormat) async throws {
    let settings = try configuration().settings
    let store = try await openStoreToShow(settings)
    let badge = try await store.badge(configured: Set(settings.feeds.map(\.name)))
    guard !console.isJSON else { return printBadge(badge) }
    let states = try await store.feedStates()
    let counts = try await store.unseenCounts()
    let unseen = settings.feeds.map { feed in
      (title: FeedLabel(feed, states[feed.name] ?? FeedState()).title, count: counts[feed.name] ?? 0)
    }
    console.print(
      badgeText(badge, unseen: unseen.sorted { ($1.count, $0.title) < ($0.count, $1.title) }, as: format))
  }

  fileprivate func setBadge(_ number: Int, isOpening: Bool) async throws {
    let settings = try configuration().settings
    let store = try await openStore(settings, for: .writing)
    try await store.setBadge(number, configured: Set(settings.feeds.map(\.name)), at: clock.now())
    if isOpening { try await recordOpening(of: nil, settings, store) }
    let badge = try await updateBadge(settings, store)
    if console.isJSON { printBadge(badge) }
  }

  private func printBadge(_ badge: Int) {
    console.print(.object([("type", .string("badge")), ("badge", .number(Int64(badge)))]))
  }
}

/// Reads a format of the command line.
private func badgeFormat(_ name: String) throws -> BadgeFormat {
  switch name {
  case "plain": return .plain
  case "waybar": return .waybar
  case "tmux": return .tmux
  default:
    // Whatever else is wrong with the template, the cure is the same.
    guard let template = try? Template(parsing: name), template.placeholders == ["badge"] else {
      throw ProgramFailure.usage(
        "--format \"\(name)\" is none; write plain, waybar, tmux, or a template with {badge}")
    }
    return .template(template)
  }
}

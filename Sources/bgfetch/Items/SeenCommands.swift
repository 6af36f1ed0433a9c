// `bgfetch seen`, `opened` and `badge`: what the person has looked at.

import ArgumentParser
import Core
import Machine
import Store

struct SeenCommand: ProgramCommand {
  static let heading = ("seen", "Mark items as seen, and lower the badge")
  static let discussion =
    "Feeds by name, glob or @tag, or single items by the numbers that bgfetch items shows."

  @OptionGroup var common: CommonOptions
  @OptionGroup var selection: NamedFeeds

  @Option(help: ArgumentHelp("Mark only this item of the feed.", valueName: "id"))
  var item: String?

  @Option(help: ArgumentHelp("Mark this item of the feed and all older ones.", valueName: "id"))
  var through: String?

  func validate() throws {
    if item != nil || through != nil {
      guard selection.feeds.count == 1 else { throw ValidationError("--item and --through take one feed") }
      guard item == nil || through == nil else {
        throw ValidationError("write --item or --through, not both")
      }
    }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .writing)
    let (settings, store) = (state.settings, state.store)
    let numbers = selection.feeds.compactMap { itemNumber($0, settings) }
    let count: Int?
    var selected: [FeedName] = []
    if numbers.isEmpty {
      selected = try selection.names(from: settings)
      count = try await store.markSeen(try scope(selected), configured: settings.feedNames)
    } else {
      guard numbers.count == selection.feeds.count, item == nil, through == nil else {
        throw ProgramFailure.usage("write numbers of items or names of feeds, not both")
      }
      let items = try await state.items(selection.feeds, limit: numbers.count)
      count = try await store.markSeen(.numbers(items.map(\.number)), configured: settings.feedNames)
    }
    guard let count else {
      throw ProgramFailure.usage(
        "\(selected[0]) has no item \"\(item ?? through ?? "")\"; see bgfetch items --json")
    }
    let badge = try await state.updateBadge()
    invocation.console.print(
      json: [JSONValue(["type": "seen", "items": count, "badge": badge])],
      text: ["\(counted(count, "item")) seen" + badgeWords(badge)])
    return .success
  }

  private func scope(_ feeds: [FeedName]) throws -> SeenScope {
    guard let id = item ?? through, let feed = feeds.first else { return .all(Set(feeds)) }
    guard feeds.count == 1 else { throw ProgramFailure.usage("--item and --through take one feed") }
    return item != nil ? .item(feed, id: id) : .through(feed, id: id)
  }
}

struct KeepCommand: ProgramCommand {
  static let heading = ("keep", "Keep items, which are then never pruned")

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("Items by number, as bgfetch items shows them.", valueName: "item"))
  var words: [String] = []

  @Flag(help: "Keep them no longer.")
  var undo = false

  func validate() throws {
    if words.isEmpty {
      throw ValidationError("name items by number; bgfetch items --kept lists the kept ones")
    }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .writing)
    let items = try await state.items(numbered: words)
    try await state.store.keep(items.map(\.number), isKept: !undo)
    await state.writeOutputs()
    invocation.console.print(
      json: [JSONValue(["type": "kept", "items": items.count, "kept": !undo])],
      text: [counted(items.count, "item") + (undo ? " no longer kept" : " kept")])
    return .success
  }
}

struct OpenedCommand: ProgramCommand {
  static let heading = ("opened", "Record that you are looking at feeds now, for adapt: habits")

  @OptionGroup var common: CommonOptions
  @OptionGroup var selection: NamedFeeds

  @Flag(help: "Forget when you looked at these feeds; with --all, forget everything learned.")
  var forget = false

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .writing)
    let selected = try selection.names(from: state.settings)
    if forget {
      try await state.store.forgetOpenings(of: selection.all ? nil : selected)
    } else {
      try await state.recordOpening(of: selection.all ? nil : selected)
    }
    invocation.console.print(
      json: [JSONValue(["type": forget ? "forgotten" : "opened", "feeds": selected])], text: [])
    return .success
  }
}

extension OpenedState {
  /// Records that the person is looking at feeds now; nil means all feeds.
  func recordOpening(of feeds: [FeedName]?) async throws {
    try await store.recordOpening(of: feeds, at: OpeningMoment(clock.now(), in: try zone()))
  }
}

struct BadgeCommand: ProgramCommand {
  static let heading = ("badge", "Print or set the badge: the number of unseen items")

  @OptionGroup var common: CommonOptions

  @Argument(help: "What to do with the badge.")
  var action = Action.get

  @Argument(help: "The number to set.")
  var number: Int?

  @Option(
    help: "Output format: plain, waybar, tmux, or a template with {badge}.",
    completion: .list(["plain", "waybar", "tmux"]))
  var format = "plain"

  enum Action: String, ExpressibleByArgument, CaseIterable {
    case get
    case clear
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

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    switch action {
    case .get: try await invocation.showBadge(as: try badgeFormat(format))
    case .clear: try await invocation.setBadge(0, isOpening: true)
    case .set: try await invocation.setBadge(number ?? 0, isOpening: false)
    }
    return .success
  }
}

extension Invocation {
  /// Prints the badge, or for a status bar the error too, because a bar shows nothing but standard output.
  fileprivate func showBadge(as format: BadgeFormat) async throws {
    do {
      try await printBadge(as: format)
    } catch {
      guard !console.isJSON, let text = badgeText(failed: errorText(error).lines, as: format) else {
        throw error
      }
      console.print(text)
    }
  }

  private func printBadge(as format: BadgeFormat) async throws {
    let state = try await openState(for: .reading)
    let badge = try await state.store.badge(configured: state.settings.feedNames)
    guard !console.isJSON else { return printBadge(badge) }
    // Only a tooltip shows them, and counting by feed takes long with millions of items.
    let counts = format == .waybar ? try await state.store.unseenCounts() : [:]
    let feeds = state.settings.feeds.named(counts.keys)
    let labels = try await state.store.labels(of: feeds)
    let unseen = labels.map { feed, label in (title: label.title, count: counts[feed] ?? 0) }
    console.print(
      badgeText(badge, unseen: unseen.sorted { ($1.count, $0.title) < ($0.count, $1.title) }, as: format))
  }

  fileprivate func setBadge(_ number: Int, isOpening: Bool) async throws {
    let state = try await openState(for: .writing)
    try await state.store.setBadge(number, configured: state.settings.feedNames, at: clock.now())
    if isOpening { try await state.recordOpening(of: nil) }
    let badge = try await state.updateBadge()
    if console.isJSON { printBadge(badge) }
  }

  private func printBadge(_ badge: Int?) {
    console.print(JSONValue(["type": "badge", "badge": badge]))
  }
}

/// The badge as the end of a sentence; empty if none is kept.
func badgeWords(_ badge: Int?) -> String { badge.map { ", badge \($0)" } ?? "" }

/// Reads a format from the command line.
private func badgeFormat(_ name: String) throws -> BadgeFormat {
  switch name {
  case "plain": return .plain
  case "waybar": return .waybar
  case "tmux": return .tmux
  default:
    return .template(
      try commandTemplate(name, formats: ["plain", "waybar", "tmux"], example: "badge", among: ["badge"]))
  }
}

// `bgfetch opened` and `badge`: what the person looks at, and what is left.

import ArgumentParser
import Core
import Machine
import Running
import Store

struct OpenedCommand: ProgramCommand {
  static let heading = ("opened", "Record that you are looking at feeds now, for adapt: habits")
  static let isListed = false

  @OptionGroup var common: ConfigurationOption
  @OptionGroup var selection: NamedFeeds

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .writing)
    let selected = try selection.names(from: state.settings)
    try await state.recordOpening(of: selection.all ? nil : selected)
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
  static let heading = ("badge", "Print the badge: the number of unseen items")

  @OptionGroup var common: ConfigurationOption

  @Option(
    help: "Output format: plain, waybar, tmux, or a template with {badge}.",
    completion: .list(["plain", "waybar", "tmux"]))
  var format = "plain"

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    try await invocation.showBadge(as: try badgeFormat(format))
    return .success
  }
}

extension Invocation {
  /// Prints the badge, or for a status bar the error too, because a bar shows nothing but standard output.
  fileprivate func showBadge(as format: BadgeFormat) async throws {
    do {
      try await printBadge(as: format)
    } catch {
      guard let text = badgeText(failed: errorText(error).lines, as: format) else { throw error }
      console.print(text)
    }
  }

  private func printBadge(as format: BadgeFormat) async throws {
    let state = try await openState(for: .reading)
    let badge = try await state.store.badge(configured: state.settings.feedNames)
    // Only a tooltip shows them, and counting by feed takes long with millions of items.
    let counts = format == .waybar ? try await state.store.unseenCounts() : [:]
    let feeds = state.settings.feeds.named(counts.keys)
    let labels = try await state.store.labels(of: feeds)
    let unseen = labels.map { feed, label in (title: label.title, count: counts[feed] ?? 0) }
    console.print(
      badgeText(badge, unseen: unseen.sorted { ($1.count, $0.title) < ($0.count, $1.title) }, as: format))
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

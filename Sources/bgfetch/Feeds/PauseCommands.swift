// `bgfetch pause` and `bgfetch resume`.

import ArgumentParser
import Core
import Machine
import Store

struct PauseCommand: ProgramCommand {
  static let heading = ("pause", "Stop fetching feeds for a while")

  @OptionGroup var common: ConfigurationOption
  @OptionGroup var selection: NamedFeeds

  @Option(
    help: ArgumentHelp(
      "When the pause ends: 2d, 18:00, monday, \"tomorrow 8:00\", 2026-12-24 or 2026-12-24T08:00:00Z.",
      valueName: "when")
  )
  var until: String?

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .writing)
    let now = invocation.clock.now()
    let zone = try state.zone()
    if let word = selection.feeds.last, Interval(text: word) != nil, let name = FeedName(word),
      !state.settings.feedNames.contains(name)
    {
      throw ProgramFailure.usage(
        "no feed is named \"\(word)\"; write --until \(word) for the end of the pause")
    }
    let end = try until.map { try comingMoment($0, now: now, in: zone) }
    return try await state.change(
      try selection.names(from: state.settings), to: Pause(until: end), in: zone
    ) { feeds in try await state.store.pause(feeds, until: end, at: now) }
  }
}

struct ResumeCommand: ProgramCommand {
  static let heading = ("resume", "Fetch paused feeds again")

  @OptionGroup var common: ConfigurationOption
  @OptionGroup var selection: NamedFeeds

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .writing)
    let now = invocation.clock.now()
    return try await state.change(
      try selection.names(from: state.settings), to: nil, in: try state.zone()
    ) { feeds in try await state.store.resume(feeds, at: now) }
  }
}

extension OpenedState {
  /// Changes the pauses of feeds, and prints which feeds changed.
  fileprivate func change(
    _ feeds: [FeedName], to pause: Pause?, in zone: Zone,
    _ body: ([FeedName]) async throws -> Set<FeedName>
  ) async throws -> ExitStatus {
    let changed = try await body(feeds)
    if pause == nil, !changed.isEmpty { wakeWatch() }
    let text = pause.map { pauseText($0, in: zone) } ?? "resumed"
    for feed in feeds where changed.contains(feed) { console.print("\(feed)  \(text)") }
    if changed.isEmpty {
      console.say("nothing to change: " + (pause == nil ? "none of them is paused" : "already \(text)"))
    }
    return .success
  }
}

/// A pause in words: `paused until 2026-12-24T08:00:00+01:00`.
func pauseText(_ pause: Pause, in zone: Zone) -> String {
  pause.until.map { "paused until " + $0.local(in: zone) } ?? "paused"
}

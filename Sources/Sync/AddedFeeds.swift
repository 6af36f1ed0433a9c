// The messages about feeds that were fetched for the first time, quietly.

import Core

extension FetchPhase {
  /// One message a run says how many feeds were fetched for the first time, to each hook of those it hears of; those
  /// whose hours hold messages back have one of their own.
  func announceAdded(_ added: [FeedSpec]) async throws {
    let announced = added.filter { $0.notify != nil }
    guard !announced.isEmpty else { return }
    let states = try await feedRun.effects.store.statesOf(announced.map(\.name))
    let machine = feedRun.effects.machine
    let now = machine.now()
    let byOpening = Dictionary(grouping: announced) { heldUntil($0.notify, at: now, in: machine.zone) }
    for hook in feedRun.settings.hooks {
      for (opening, feeds) in byOpening {
        let heard = feeds.filter { feed in
          hook.hears(of: feed) && feed.notify?.hooks?.contains(hook.name) ?? true
        }
        guard !heard.isEmpty else { continue }
        let event = addedFeedsEvent(
          heard.map { FeedLabel($0, states[$0.name] ?? FeedState()) }, origin: feedRun.origin,
          hook: hook.name,
          mark: opening.map { ".\($0.secondsSince1970)" } ?? "")
        try await telling.record(event, to: [hook], heldUntil: opening, run: feedRun.run)
      }
    }
  }
}

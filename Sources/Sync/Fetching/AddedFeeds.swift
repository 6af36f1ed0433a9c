// The message about feeds that were fetched for the first time, whose items are not news.

import Core

extension FetchPhase {
  /// Records one message for each hook that says how many feeds were added; feeds whose hours postpone messages have a
  /// message of their own.
  func announceAdded(_ round: inout FetchRound) async throws {
    let announced = round.progress.takeAdded().filter { $0.notify != nil }
    guard !announced.isEmpty else { return }
    let states = try await store.feedStates(of: announced.map(\.name))
    let now = machine.now()
    let byMoment = Dictionary(grouping: announced) { postponedUntil($0.notify, at: now, in: machine.zone) }
    for hook in settings.hooks {
      for (moment, feeds) in byMoment {
        let covered = feeds.filter { feed in
          hook.covers(feed) && feed.notify?.hooks?.contains(hook.name) ?? true
        }
        guard !covered.isEmpty else { continue }
        let event = addedFeedsEvent(
          covered.map { FeedLabel($0, states[$0.name] ?? FeedState()) }, origin: round.origin,
          hook: hook.name, mark: moment.map { ".\($0.secondsSince1970)" } ?? "")
        try await notifier.record(event, to: [hook], postponedUntil: moment, run: round.run)
      }
    }
  }
}

// The message about feeds that were fetched for the first time, whose items are not news.

import Core
import Store

extension FetchPhase {
  /// Records one message for each hook that says how many feeds were added; feeds whose hours postpone messages have a
  /// message of their own.
  func announceAdded(_ round: inout FetchRound) async throws {
    let now = machine.now()
    var added: [[Instant?: AddedFeeds]] = settings.hooks.map { _ in [:] }
    for part in settings.feeds.parts(of: round.progress.takeAdded()) {
      let labels = try await store.labels(of: part)
      for feed in part {
        let moment = postponedUntil(feed.notify, at: now, in: machine.zone)
        for (place, hook) in settings.hooks.enumerated()
        where hook.covers(feed) && feed.notify?.hooks?.contains(hook.name) ?? true {
          if let label = labels[feed.name] { added[place][moment, default: AddedFeeds()].add(label) }
        }
      }
    }
    for (hook, byMoment) in zip(settings.hooks, added) {
      for (moment, feeds) in byMoment {
        let event = addedFeedsEvent(
          feeds, origin: round.origin, hook: hook.name,
          mark: moment.map { ".\($0.secondsSince1970)" } ?? "")
        try await notifier.record(event, to: [hook], postponedUntil: moment, run: round.run)
      }
    }
  }
}

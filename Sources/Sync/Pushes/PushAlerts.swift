// The alerts of pushes, shown when the data is there, in the place of the fetch's own messages.

import Core
import FeedReading

extension PushVerdict {
  /// The events of a fetch with the alerts of the pushes that are shown now.
  ///
  /// Where one of them has an alert, it stands for what the fetch would have announced; that a feed is failing, say, is
  /// told all the same.
  ///
  /// - Parameters:
  ///   - own: the fetch's events.
  ///   - feed: the feed.
  ///   - label: what it is called.
  ///   - hooks: the hooks that are told.
  ///   - origin: what the events have in common.
  ///   - items: the items that are announced: new ones by their place in the commit, known ones by number.
  ///   - now: when the fetch ended.
  /// - Returns: all events to be recorded.
  func events(
    with own: [EventRecord], feed: FeedSpec, label: FeedLabel, hooks: [HookSpec], origin: EventOrigin,
    items: (new: [Int], known: [Int64]), at now: Instant
  ) -> [EventRecord] {
    var alerts: [EventRecord] = []
    var hasAlert = false
    for (push, payload) in payloads where payload.alert != nil {
      hasAlert = true
      guard
        var alert = alertEvent(
          payload, feed: feed, label: label, hooks: hooks, origin: origin, mark: "push.\(push.number)")
      else { continue }
      (alert.newItems, alert.knownItems) = items
      // However soon the feed's own messages are told: a push promises what it brings.
      alert.readyBy = now + NotificationMoment.longestWait
      alerts.append(alert)
    }
    guard hasAlert else { return own }
    return own.filter { !$0.isAboutItems } + alerts
  }

  /// What is written, with the badge of the last push that has one.
  var written: PushSettlement {
    var settlement = settlement
    settlement.badge = payloads.compactMap(\.payload.badge).last
    return settlement
  }

  /// What the shown pushes say.
  private var payloads: [(push: StoredPush, payload: PushPayload)] {
    shown.compactMap { push in
      // It was read before it was stored.
      (try? readPush(Array(push.payload.utf8))).map { (push, $0) }
    }
  }
}

extension EventRecord {
  /// Whether it is a message about what is new, and not one with a text of its own.
  fileprivate var isAboutItems: Bool {
    event.kind == .notification && event.text("group") != "fixed"
  }
}

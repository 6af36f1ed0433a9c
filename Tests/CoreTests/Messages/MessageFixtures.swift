// Builders of tests about messages: records of items, and deliveries.

import Core

extension ItemRecord {
  /// A record with the texts that a test needs.
  init(
    _ title: String?, guid: String?, link: String? = nil, author: String? = nil, summary: String? = nil,
    published: Instant? = nil, isSeen: Bool = false
  ) {
    self.init(
      guid: guid, link: link, keys: IdentityKeys(content: 1), editHash: 1, title: title, summary: summary,
      author: author, published: published, isSeen: isSeen, isFiltered: false)
  }
}

extension HookCall {
  /// The program and its arguments; empty if it runs none.
  var arguments: [String] { if case .program(let words) = receiver { words } else { [] } }
}

/// A delivery to a hook that may be made now.
func newDelivery(_ number: Int64 = 1, to hook: String = "d", _ event: Event, attempts: Int = 0) -> Delivery {
  Delivery(
    number: number, hook: hook, event: event, attempts: attempts, created: now, status: .pending,
    notBefore: now, lastError: nil)
}

/// A message of a run about a feed, with an identifier, with this `group` or a fixed text; `feed` is nil if it is about none.
func newMessage(
  _ number: Int64, _ group: String, feed: String?, identifier: String?, run: Int64 = 7
) -> Delivery {
  newDelivery(
    number,
    EventOrigin(round: run, time: now, cause: .timer).event(
      .notification, feed: feed.flatMap { FeedName($0) }, mark: "\(number)",
      JSONValue(["identifier": identifier]), group: NotificationGroup(rawValue: group)))
}

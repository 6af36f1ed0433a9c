// The messages of one hook: which waiting events become one, and the items that each is about.

import Core
import Store

extension HookDeliveries {
  /// Joins messages that were never tried if there are too many or they share an identifier, and returns the messages that wait
  /// until all fetches have ended.
  func joinMessages(
    sent: Int, at now: Instant, _ store: isolated Store
  ) throws -> Set<Int64> {
    if hook.isDigest { return try collectDigest(at: now, store) }
    while true {
      var waiting = try store.pendingNotifications(hook.name, at: now)
      waiting.removeAll(where: hook.mailsArticle)
      let kept =
        areFetchesUnderWay ? messagesToKeep(waiting, sent: sent, limit: hook.limit, at: now) : []
      waiting.removeAll { kept.contains($0.number) }
      guard let join = messageJoin(waiting, sent: sent, limit: hook.limit, at: now) else { return kept }
      let event =
        if let identifier = join.summary {
          try summary(of: join.messages, identifier: identifier, at: now, store)
        } else { join.event(origin: origin, hook: hook.name) }
      guard let event, try merge(join.messages.map(\.number), into: event, store) else { return kept }
    }
  }

  /// Makes one digest of all messages that were never tried, if any of them is due, and returns the messages that wait until the
  /// fetches of this run have ended.
  private func collectDigest(at now: Instant, _ store: isolated Store) throws -> Set<Int64> {
    let waiting = try store.pendingNotifications(hook.name, at: now)
    guard !waiting.isEmpty else { return [] }
    let numbers = waiting.map(\.number)
    if areFetchesUnderWay, digestWaits(for: origin, at: now) { return Set(numbers) }
    _ = try merge(numbers, into: digestEvent(waiting, origin: origin, hook: hook.name), store)
    return []
  }

  /// Replaces messages by one; false if none of them was left.
  private func merge(
    _ deliveries: [Int64], into event: Event, _ store: isolated Store
  ) throws -> Bool {
    try store.merge(
      deliveries, of: hook.name, into: EventRecord(event: event, hooks: [hook.name]), round: origin.round)
      != nil
  }

  /// The unseen items of each message, without items whose link a message about another feed already contains.
  ///
  /// Critical messages keep such items: no other feed can suppress an alert by naming its link first.
  func newItems(
    _ messages: [Delivery], at now: Instant, _ store: isolated Store
  ) throws -> [(delivery: Delivery, items: [StoredItem])] {
    var found: [(delivery: Delivery, items: [StoredItem])] = []
    for message in messages { found.append((message, try unseenItems(message, store))) }
    let repeated = try store.repeatedItems(
      found.flatMap { $0.items.map(\.number) }, to: hook.name, among: notifier.settings.feeds.names, at: now)
    guard !repeated.isEmpty else { return found }
    let feeds = notifier.settings.feeds.named(found.flatMap { $0.items.map(\.feed) })
    let critical = Set(feeds.filter { $0.notify?.urgency == .critical }.map(\.name))
    return found.map { delivery, items in
      (delivery, items.filter { !repeated.contains($0.number) || critical.contains($0.feed) })
    }
  }

  /// The items of a message that are still unseen, newest first.
  private func unseenItems(
    _ delivery: Delivery, _ store: isolated Store
  ) throws -> [StoredItem] {
    var items = newestFirst(try store.notificationItems(delivery.number, unseenOnly: true))
    if let feed = delivery.event.feed, delivery.event.group == .feed, !items.isEmpty,
      case let identifier = delivery.event.text("identifier"), !identifier.isEmpty,
      try store.printedIdentifier(hook.name, identifier: identifier, session: session) != nil
    {
      // The items of the popup that it replaces would be gone.
      let query = ItemQuery(feeds: [feed], unseenOnly: true)
      let included = Set(items.map(\.number))
      let others = try store.items(query, among: notifier.settings.feeds.names).filter {
        !included.contains($0.number)
      }
      items = newestFirst(items + others)
    }
    guard delivery.event.group == .item, let newest = items.first,
      notifier.settings.feeds[newest.feed]?.notify?.usesDetails ?? false
    else { return items }
    items[0].record.details = try store.detailsOf([newest.number])[newest.number]
    return items
  }

  /// The one message that replaces several; nil if fewer than two have anything left to say.
  private func summary(
    of waiting: [Delivery], identifier: String, at now: Instant, _ store: isolated Store
  ) throws -> Event? {
    var pending = try newItems(waiting, at: now, store)
    // A summary has a line of each, and the store waits while they are made.
    for (place, message) in pending.enumerated() where !message.items.isEmpty {
      if let content = message.items[0].record.details?.content {
        pending[place].items[0].record.details?.content = ArticleBeginning(content, limit: 4096).html
      }
    }
    let material = try material(pending, store)
    let messages = pending.compactMap { delivery, items in
      notificationFields(delivery.event, items: items, material).map {
        (feed: delivery.event.feed.flatMap { material.labels[$0] }, fields: $0)
      }
    }
    guard messages.count > 1, let first = waiting.first else { return nil }
    return summaryEvent(
      messages, origin: origin, hook: hook.name, first: first.number, identifier: identifier)
  }

  /// The material for the texts of these messages: only of their own feeds, because there may be many feeds.
  func material(
    _ messages: [(delivery: Delivery, items: [StoredItem])], _ store: isolated Store
  ) throws -> NotificationMaterial {
    var names = Set(messages.compactMap(\.delivery.event.feed))
    for item in messages.flatMap(\.items) { names.insert(item.feed) }
    let feeds = notifier.settings.feeds.named(names)
    return NotificationMaterial(
      feeds: Dictionary(feeds.map { ($0.name, $0) }) { first, _ in first },
      labels: try store.labels(of: feeds), badge: try badge(store), zone: effects.machine.zone)
  }
}

/// Items as messages list them.
func newestFirst(_ items: [StoredItem]) -> [StoredItem] {
  items.sorted { ($0.date, $0.number) > ($1.date, $1.number) }
}

// Which waiting messages become one, so that a busy run does not bury the person in popups.

public import Model

/// The most messages a run shows through one hook before they are joined.
public let mostMessages = 5

/// Messages that wait for their first delivery through one hook, and what becomes of them.
public enum MessageJoin: Hashable, Sendable {
  /// Each is delivered.
  case none
  /// Those of `group: run` become one message about all their items.
  case run([Int64])
  /// Those of one feed become one message about all their items, as they have one identifier.
  case feed(FeedName, [Int64])
  /// The last of these takes the place of all: they have one identifier and a text of their own, such as that a
  /// feed is failing and that it has recovered.
  case last([Int64])
  /// These become one summary: there are more than five, or their feeds' hours held them back.
  case summary([Int64])
}

/// Says which of the waiting messages become one.
///
/// - Parameters:
///   - waiting: deliveries of notifications that were never attempted, in order.
///   - sent: how many messages the hook was given in this run.
/// - Returns: what is to be joined, by the numbers of the deliveries.
public func messageJoin(_ waiting: [Delivery], sent: Int) -> MessageJoin {
  let ofRun = waiting.filter { $0.event.text("group") == NotificationGroup.run.rawValue }
  if ofRun.count > 1 { return .run(ofRun.map(\.number)) }
  if let (feed, numbers) = messagesOfOneFeed(waiting) { return .feed(feed, numbers) }
  if let numbers = messagesOfOneIdentifier(waiting) { return .last(numbers) }
  let held = waiting.filter { $0.heldUntil != nil }
  if held.count > 1 { return .summary(held.map(\.number)) }
  if waiting.count > 1, sent + waiting.count > mostMessages { return .summary(waiting.map(\.number)) }
  return .none
}

/// Several messages of `group: feed` about one feed: the first such feed.
private func messagesOfOneFeed(_ waiting: [Delivery]) -> (feed: FeedName, numbers: [Int64])? {
  var numbers: [FeedName: [Int64]] = [:]
  for delivery in waiting where delivery.event.text("group") == NotificationGroup.feed.rawValue {
    if let feed = delivery.event.feed { numbers[feed, default: []].append(delivery.number) }
  }
  return waiting.lazy.compactMap(\.event.feed).compactMap { feed in
    numbers[feed].flatMap { $0.count > 1 ? (feed, $0) : nil }
  }.first
}

/// Several messages about one feed that say all they have to say themselves, under one identifier.
private func messagesOfOneIdentifier(_ waiting: [Delivery]) -> [Int64]? {
  var numbers: [String: [Int64]] = [:]
  for delivery in waiting where delivery.event.feed != nil && delivery.event.text("group") == "fixed" {
    numbers[delivery.event.text("identifier"), default: []].append(delivery.number)
  }
  return numbers.values.filter { $0.count > 1 }.min { $0[0] < $1[0] }
}

/// The one message that stands for many: a line for each of them.
///
/// - Parameters:
///   - messages: the messages' own fields, as they would have been delivered, with their feeds.
///   - origin: the run that joins them.
///   - hook: the hook, part of the event's id.
///   - first: the first delivery it stands for, likewise.
/// - Returns: a message whose text is made already.
public func summaryEvent(
  _ messages: [(feed: FeedLabel?, fields: [EventField])], origin: EventOrigin, hook: String, first: Int64
) -> Event {
  func number(_ fields: [EventField]) -> Int {
    fields.first { $0.name == "count" }.flatMap { Int($0.value.text) } ?? 0
  }
  func text(_ name: String, _ fields: [EventField]) -> String {
    fields.first { $0.name == name }?.value.text ?? ""
  }
  var order: [FeedName] = []
  var counts: [FeedName: (title: String, count: Int)] = [:]
  var others: [String] = []
  for message in messages {
    let count = number(message.fields)
    if let feed = message.feed, count > 0 {
      if counts[feed.name] == nil { order.append(feed.name) }
      counts[feed.name, default: (feed.title, 0)].count += count
    } else {
      others.append(text("title", message.fields))
    }
  }
  let total = counts.values.reduce(0) { $0 + $1.count }
  let title =
    total == 0
    ? "\(others.count) \(others.count == 1 ? "message" : "messages")"
    : "\(total) new in \(order.count) \(order.count == 1 ? "feed" : "feeds")"
  let lines = order.compactMap { name in counts[name].map { "\($0.title): \($0.count)" } } + others
  let urgency =
    messages.contains { text("urgency", $0.fields) == Urgency.critical.rawValue } ? Urgency.critical : .normal
  return origin.event(
    .notification, mark: "summary.\(hook).\(first)",
    fixedMessage(
      title: title, body: cleanLines(lines.joined(separator: "\n"), limit: 4096), identifier: "bgfetch",
      urgency: urgency, link: "", count: total))
}

/// The one message about the items of all feeds with `group: run`.
public func runEvent(origin: EventOrigin, hook: String, first: Int64) -> Event {
  origin.event(.notification, mark: "run.\(hook).\(first)", [EventField("group", "run")])
}

/// The one message about the items of several messages of one feed.
public func feedEvent(_ feed: FeedName, origin: EventOrigin, hook: String, first: Int64) -> Event {
  origin.event(.notification, feed: feed, mark: "feed.\(hook).\(first)", [EventField("group", "feed")])
}

/// A message again, in the place of itself and of those before it.
public func repeatedEvent(_ event: Event, origin: EventOrigin, hook: String, first: Int64) -> Event {
  origin.event(.notification, feed: event.feed, mark: "last.\(hook).\(first)", event.fields)
}

/// The message that says how many feeds were fetched for the first time and quietly.
///
/// `mark` tells it from others of the run and hook.
public func addedFeedsEvent(
  _ labels: [FeedLabel], origin: EventOrigin, hook: String, mark: String = ""
) -> Event {
  let title = labels.count == 1 ? "1 feed added" : "\(labels.count) feeds added"
  let shown = labels.prefix(10).map(\.title).joined(separator: ", ")
  let body = labels.count > 10 ? shown + " and \(labels.count - 10) more" : shown
  return origin.event(
    .notification, mark: "added.\(hook)\(mark)",
    fixedMessage(title: title, body: body, identifier: "bgfetch.added", urgency: .low, link: "", count: 0))
}

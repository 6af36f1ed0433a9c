// The one message in the place of several. Which become one is MessageJoin's business.

/// The one message that stands for many: a line for each feed that has news, and for each other message with what it says.
///
/// - Parameters:
///   - messages: the messages' own fields, as they would have been delivered, with their feeds.
///   - origin: the run that joins them.
///   - hook: the hook, part of the event's id.
///   - first: the first delivery it stands for, likewise.
///   - identifier: its identifier.
/// - Returns: a message whose text is made already.
public func summaryEvent(
  _ messages: [(feed: FeedLabel?, fields: [EventField])], origin: EventOrigin, hook: String, first: Int64,
  identifier: String = summaryIdentifier
) -> Event {
  func number(_ fields: [EventField]) -> Int {
    // Read from the database: a sum of damaged counts must not overflow.
    let count = fields.first { $0.name == "count" }.flatMap { Int($0.value.text) } ?? 0
    return min(max(count, 0), Int(Int32.max))
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
      let words = [text("title", message.fields), text("body", message.fields)].filter { !$0.isEmpty }
      others.append(cleanText(words.joined(separator: ": "), limit: 256))
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
  let sound = messages.map { text("sound", $0.fields) }.first { !$0.isEmpty }
  return origin.event(
    .notification, mark: "summary.\(hook).\(first)",
    fixedMessage(
      title: title, body: body(of: lines), identifier: identifier,
      urgency: urgency, link: "", count: total, sound: sound))
}

/// As many of the lines as a message has room for, in markup, too; if that is not all, a last one says how many more there
/// are.
private func body(of lines: [String]) -> String {
  let lines = lines.map { cleanText($0, limit: 512) }
  let sizes = lines.map { markup($0).utf8.count + 1 }
  // No line end follows the last one.
  var room = longestArgument + 1
  if sizes.reduce(0, +) <= room { return lines.joined(separator: "\n") }
  func rest(_ count: Int) -> String { "and \(count) more" }
  room -= rest(lines.count).utf8.count + 1
  var shown = 0
  while shown < lines.count, sizes[shown] <= room {
    room -= sizes[shown]
    shown += 1
  }
  return (lines.prefix(shown) + [rest(lines.count - shown)]).joined(separator: "\n")
}

/// The identifier of summaries that nothing else names.
public let summaryIdentifier = "bgfetch"

/// The one message about the items of all feeds with `group: run`.
public func runEvent(origin: EventOrigin, hook: String, first: Int64) -> Event {
  origin.event(.notification, mark: "run.\(hook).\(first)", [EventField("group", "run")])
}

/// The one message about the items of several messages of one feed; `event` is one of them.
public func feedEvent(_ event: Event, origin: EventOrigin, hook: String, first: Int64) -> Event {
  origin.event(.notification, feed: event.feed, mark: "feed.\(hook).\(first)", event.fields)
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

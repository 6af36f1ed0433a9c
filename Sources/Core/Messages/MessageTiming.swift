// When a message is delivered: after the feed's delay, when its files are there, within the feed's hours, or with a digest; and
// with which others it is joined, so that a busy run does not bury the person in popups.

/// The records with the moments for which their messages wait: the feed's delay, the files that the same fetch has queued, and the
/// feed's hours; or the next digest of a hook with `digest`.
///
/// Only messages about items are delayed, since nothing could join others. Urgency makes no difference to hours; a feed that may
/// wake the person needs other hours.
public func scheduled(
  _ records: [EventRecord], by notify: NotifySpec?, to hooks: [HookSpec],
  awaiting assets: AssetFindings = AssetFindings(), at now: Instant, in zone: Zone
) -> [EventRecord] {
  let opening = postponedUntil(notify, at: now, in: zone)
  let awaited = notify?.readiness == .ready ? Set(assets.wanted.map(\.item)) : []
  return records.map { record in
    guard record.event.kind == .notification else { return record }
    var record = record
    if record.event.group != nil, let delay = notify?.delay, delay > .zero { record.triggerAt = now + delay }
    let items = record.newItems.map(FoundAsset.ItemReference.new) + record.knownItems.map { .known($0) }
    if items.contains(where: awaited.contains) { record.readyBy = now + NotificationMoment.longestWait }
    if let opening, !record.unpostponed.isSuperset(of: record.hooks) { record.postponedUntil = opening }
    for hook in hooks where hook.isDigest && record.hooks.contains(hook.name) {
      record.digests[hook.name] = hook.digestMoment(after: now, in: zone)
    }
    return record
  }
}

/// Adds the number of present files to the body, unless all are present; after several lines, on a line of its own.
public func withFiles(_ fields: JSONValue, placed: Int, of all: Int) -> JSONValue {
  guard placed < all else { return fields }
  let files = "(\(filesText(placed, of: all)))"
  let body = fields.fieldText("body")
  return fields.replacing(
    "body", with: body.isEmpty ? files : body + (body.contains("\n") ? "\n" : " ") + files)
}

/// The moment a feed's messages are postponed to by its hours, or nil if they may be delivered now.
public func postponedUntil(_ notify: NotifySpec?, at now: Instant, in zone: Zone) -> Instant? {
  guard let hours = notify?.hours, !hours.contains(now, in: zone) else { return nil }
  return hours.firstMoment(atOrAfter: now, in: zone)
}

extension HookSpec {
  /// Whether the hook collects its messages for a digest.
  public var isDigest: Bool { !digest.isEmpty }

  /// The next moment of its schedule; nil for a hook without `digest`.
  public func digestMoment(after now: Instant, in zone: Zone) -> Instant? {
    guard isDigest else { return nil }
    let latest = now + Self.longestCollection
    return min(digest.compactMap { $0.next(after: now, in: zone) }.min() ?? latest, latest)
  }

  /// The longest time that messages are collected: a month.
  static let longestCollection = Interval.days(31)
}

/// Whether a digest waits for the fetches of its run, whose news it should contain; it waits at most `longestKeep`.
public func digestWaits(for origin: EventOrigin, at now: Instant) -> Bool {
  origin.time <= now && now.since(origin.time) < longestKeep
}

/// The digest of all messages that wait for a hook, whose items it takes over.
public func digestEvent(_ waiting: [Delivery], origin: EventOrigin, hook: String) -> Event {
  let first = waiting.first?.number ?? 0
  let lines = waiting.filter { $0.event.group == nil }.map { messageLine($0.event.fields) }
  return origin.event(
    .digest, mark: "\(hook).\(first)",
    JSONValue(["messages": lines.prefix(100).joined(separator: "\n")]))
}

/// The fields of a digest: title, body, count, badge, messages, items.
///
/// - Parameter items: its items that are still unseen, newest first.
/// - Returns: nil if nothing is left to say.
public func digestFields(
  _ event: Event, hook: String, items: [StoredItem], _ material: NotificationMaterial
) -> JSONValue? {
  let messages = event.text("messages").split(separator: "\n").map(String.init)
  guard !items.isEmpty || !messages.isEmpty else { return nil }
  let listed = eventItems(items, material, most: EventItem.mostInDigest)
  let news = NewsList(items: listed, count: items.count, messages: messages)
  let titles = items.prefix(2).map { cleanText(itemTitle($0.record), limit: 80) }
  let subject =
    items.isEmpty ? counted(messages.count, "message") : titleLine(titles, count: items.count, most: 2)
  return JSONValue([
    "title": "\(hook): \(subject)", "body": news.text(isMail: false), "count": items.count,
    "badge": material.badge, "messages": event.text("messages"), "items": listed,
  ])
}

// MARK: Joining

/// Messages that wait for their first delivery to one hook, and become one.
public struct MessageJoin: Sendable {
  public var messages: [Delivery]
  /// The identifier of the summary that they become; nil if they become one message about all their items, or if the last one
  /// replaces the others: they have a fixed text, such as "is failing" and "has recovered".
  public var summary: String?

  /// The message about all items, or the last one again.
  public func event(origin: EventOrigin, hook: String) -> Event? {
    guard let first = messages.first, let last = messages.last else { return nil }
    let event = first.event.group == nil ? last.event : first.event
    var origin = origin
    // Further messages of the round that recorded all of them may join them.
    if messages.allSatisfy({ $0.origin == first.origin }) { origin.id = first.origin }
    return origin.event(
      .notification, feed: event.group == .run ? nil : event.feed, mark: "joined.\(hook).\(first.number)",
      event.fields, group: event.group)
  }
}

/// Finds waiting messages to join, if there are any: those about several feeds with `group: run`, those of one feed with one
/// identifier, and as a summary those of several feeds with one identifier, postponed ones, and those beyond the hook's limit.
///
/// A message whose delay is not over joins one with the same identifier that is delivered now. One that waits for files is joined
/// with those of its run, which then wait for its files too, instead of being replaced by it later.
///
/// - Parameters:
///   - waiting: the deliveries that were never tried, in order, including deliveries that wait only for their delay or files.
///   - sent: how many messages the hook received in this run.
///   - limit: the most messages of one run; nil means no limit.
public func messageJoin(_ waiting: [Delivery], sent: Int, limit: Int?, at now: Instant) -> MessageJoin? {
  /// The first group of several messages with the same key, at least one of which is due.
  func joined(by key: (Delivery) -> String?) -> [Delivery]? {
    func keyInRound(_ delivery: Delivery) -> [String?] { [key(delivery), delivery.origin] }
    let awaiting = Set(waiting.filter(\.awaitsFiles).map { keyInRound($0) })
    return waiting.filter { key($0) != nil }.grouped { delivery in
      awaiting.contains(keyInRound(delivery)) ? keyInRound(delivery) : [key(delivery)]
    }.first { set in
      set.count > 1 && set.contains { $0.hasTriggered(at: now) }
    }
  }
  if let joined = joined(by: { $0.event.group == .run ? "" : nil }) ?? joined(by: subject) {
    return MessageJoin(messages: joined)
  }
  if let shared = joined(by: identifierOfItems) {
    return MessageJoin(messages: shared, summary: shared[0].event.text("identifier"))
  }
  let due = waiting.filter { $0.hasTriggered(at: now) && !$0.awaitsFiles }
  func summary(_ messages: [Delivery]) -> MessageJoin? {
    messages.count > 1 ? MessageJoin(messages: messages, summary: summaryIdentifier) : nil
  }
  if let later = summary(due.filter { $0.postponedUntil != nil }) { return later }
  guard let limit else { return nil }
  if sent + due.count > limit, let all = summary(due) { return all }
  // Beyond the limit, the messages of a run that waited for files wait for the last file.
  guard sent >= limit, let first = due.first, first.readyBy != nil else { return nil }
  return summary(
    waiting.filter { $0.readyBy != nil && $0.origin == first.origin && $0.hasTriggered(at: now) })
}

/// The messages that wait until the current fetches have ended, because more may join them.
///
/// These are the messages with `group: run`, and all messages once the hook has received its limit; but none for
/// longer than a fetch usually takes, since the fetch of `run --watch` may have no end.
public func messagesToKeep(_ waiting: [Delivery], sent: Int, limit: Int?, at now: Instant) -> Set<Int64> {
  let kept = waiting.filter { delivery in
    guard delivery.created <= now, now.since(delivery.created) < longestKeep else { return false }
    return delivery.event.group == .run || limit.map { sent >= $0 } ?? false
  }
  return Set(kept.map(\.number))
}

/// The longest wait for other messages of the run: the default budget of the fetch.
let longestKeep = Interval.minutes(3)

/// The key of a message among those of its feed: none with `group: feed`, otherwise the identifier.
func subject(_ delivery: Delivery) -> String? {
  guard let feed = delivery.event.feed else { return nil }
  let identifier = delivery.event.text("identifier")
  switch delivery.event.group {
  case .feed: return "feed/\(feed)"
  case .item: return identifier.isEmpty ? nil : "item/\(feed)/\(identifier)"
  case .run: return nil
  // A message about added feeds belongs to no single feed.
  case nil: return "fixed/\(feed)/\(identifier)"
  }
}

/// The identifier of a message about items, if it is known before its text is made.
private func identifierOfItems(_ delivery: Delivery) -> String? {
  guard [.feed, .item].contains(delivery.event.group) else { return nil }
  let identifier = delivery.event.text("identifier")
  return identifier.isEmpty ? nil : identifier
}

/// The identifier of summaries without one of their own.
public let summaryIdentifier = "bgfetch"

/// The fields with which a message is delivered, so that no news is lost and no older message replaces a newer one: after a newer
/// one with its identifier, as when its hook failed at first, it has none.
///
/// - Parameter newer: the messages with its identifier that were recorded after it and delivered before it.
/// - Returns: nil if it is not delivered at all, because a newer one says how things are now.
public func fields(of message: Delivery, after newer: [Delivery]) -> JSONValue? {
  guard !newer.isEmpty else { return message.event.fields }
  if message.event.group == nil, let subject = subject(message) {
    guard !newer.contains(where: { $0.event.group == nil && Core.subject($0) == subject }) else { return nil }
  }
  return message.event.fields.replacing("identifier", with: nil)
}

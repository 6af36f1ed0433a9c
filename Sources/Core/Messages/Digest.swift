// Digests: a hook with `digest` collects its messages, and gets them as one event at the times of a schedule.

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
  public static let longestCollection = Interval.days(31)
}

/// Postpones messages to the next digest of each hook with `digest`; other hooks get them as before.
public func collected(
  _ records: [EventRecord], for hooks: [HookSpec], at now: Instant, in zone: Zone
) -> [EventRecord] {
  let digests = hooks.filter(\.isDigest)
  guard !digests.isEmpty else { return records }
  return records.map { record in
    guard record.event.kind == .notification else { return record }
    var record = record
    for hook in digests where record.hooks.contains(hook.name) {
      record.digests[hook.name] = hook.digestMoment(after: now, in: zone)
    }
    return record
  }
}

/// Whether a digest waits for the fetches of its run, whose news it should contain; it waits at most `longestKeep`.
public func digestWaits(for origin: EventOrigin, at now: Instant) -> Bool {
  origin.time <= now && now.since(origin.time) < longestKeep
}

/// The digest of all messages that wait for a hook, whose items it takes over.
public func digestEvent(_ waiting: [Delivery], origin: EventOrigin, hook: String) -> Event {
  let first = waiting.first?.number ?? 0
  let lines = waiting.filter { $0.event.message == .fixed }.map { messageLine($0.event.fields) }
  return origin.event(
    .digest, mark: "\(hook).\(first)",
    [EventField("messages", lines.prefix(100).joined(separator: "\n"))])
}

/// The fields of a digest: title, body, count, badge, messages, items.
///
/// - Parameter items: its items that are still unseen, newest first.
/// - Returns: nil if nothing is left to say.
public func digestFields(
  _ event: Event, hook: String, items: [StoredItem], _ material: NotificationMaterial
) -> [EventField]? {
  let messages = event.text("messages").split(separator: "\n").map(String.init)
  guard !items.isEmpty || !messages.isEmpty else { return nil }
  let listed = eventItems(items, material, most: EventItem.mostInDigest)
  let news = NewsList(items: listed, count: items.count, messages: messages)
  let titles = items.prefix(2).map { cleanText(itemTitle($0.record), limit: 80) }
  let subject =
    items.isEmpty ? counted(messages.count, "message") : titleLine(titles, count: items.count, most: 2)
  return [
    EventField("title", "\(hook): \(subject)"), EventField("body", news.text),
    EventField("count", items.count), EventField("badge", material.badge),
    EventField("messages", event.text("messages")), EventField("items", .items(listed)),
  ]
}

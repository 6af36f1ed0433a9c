// When a message is delivered: after the feed's delay, when its files are there, within the feed's hours, or with a digest.

/// Delays the messages about items by the feed's `notify.delay`, so that items shortly after join the same message.
///
/// Messages about the feed's health and alerts of pushes are not delayed, since nothing could join them.
public func delayed(_ records: [EventRecord], by notify: NotifySpec?, at now: Instant) -> [EventRecord] {
  guard let delay = notify?.delay, delay > .zero else { return records }
  return records.changingMessages { if $0.event.message != .fixed { $0.triggerAt = now + delay } }
}

extension [EventRecord] {
  /// The records, with a change to each message.
  fileprivate func changingMessages(_ change: (inout EventRecord) -> Void) -> [EventRecord] {
    map { record in
      var record = record
      if record.event.kind == .notification { change(&record) }
      return record
    }
  }
}

/// Makes messages wait for the assets of their items that were queued by the same fetch.
func awaitingFiles(
  _ records: [EventRecord], _ assets: AssetFindings, by notify: NotifySpec?, at now: Instant
) -> [EventRecord] {
  guard notify?.readiness == .ready, !assets.wanted.isEmpty else { return records }
  var indices: Set<Int> = []
  var numbers: Set<Int64> = []
  for found in assets.wanted {
    switch found.item {
    case .new(let index): indices.insert(index)
    case .known(let number): numbers.insert(number)
    }
  }
  return records.changingMessages { record in
    if record.newItems.contains(where: indices.contains)
      || record.knownItems.contains(where: numbers.contains)
    {
      record.readyBy = now + NotificationMoment.longestWait
    }
  }
}

/// Adds the number of present files to the body, unless all are present; after several lines, on a line of its own.
public func withFiles(_ fields: [EventField], placed: Int, of all: Int) -> [EventField] {
  guard placed < all else { return fields }
  return fields.map { field in
    guard field.name == "body" else { return field }
    let files = "(\(filesText(placed, of: all)))"
    let body = field.value.text
    return EventField("body", body.isEmpty ? files : body + (body.contains("\n") ? "\n" : " ") + files)
  }
}

/// The moment a feed's messages are postponed to by its hours, or nil if they may be delivered now.
///
/// Urgency makes no difference; a feed that may wake the person needs other hours.
public func postponedUntil(_ notify: NotifySpec?, at now: Instant, in zone: Zone) -> Instant? {
  guard let hours = notify?.hours, !hours.contains(now, in: zone) else { return nil }
  return hours.firstMoment(atOrAfter: now, in: zone)
}

/// Postpones messages if the feed's hours say so; all other events are delivered at once.
public func postponed(
  _ records: [EventRecord], by notify: NotifySpec?, at now: Instant, in zone: Zone
) -> [EventRecord] {
  guard let opening = postponedUntil(notify, at: now, in: zone) else { return records }
  return records.changingMessages { $0.postponedUntil = opening }
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
  public static let longestCollection = Interval.days(31)
}

/// Postpones messages to the next digest of each hook with `digest`; other hooks get them as before.
public func collected(
  _ records: [EventRecord], for hooks: [HookSpec], at now: Instant, in zone: Zone
) -> [EventRecord] {
  let digests = hooks.filter(\.isDigest)
  guard !digests.isEmpty else { return records }
  return records.changingMessages { record in
    for hook in digests where record.hooks.contains(hook.name) {
      record.digests[hook.name] = hook.digestMoment(after: now, in: zone)
    }
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

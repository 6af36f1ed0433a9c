// When a message is delivered: after the feed's delay, when its files are there, within the feed's hours, or with a digest; and
// with which others it is joined, so that a busy run does not bury the person in popups.

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

/// Postpones messages if the feed's hours say so, except mail and digests; all other events are delivered at once.
public func postponed(
  _ records: [EventRecord], by notify: NotifySpec?, at now: Instant, in zone: Zone
) -> [EventRecord] {
  guard let opening = postponedUntil(notify, at: now, in: zone) else { return records }
  return records.changingMessages { record in
    if !record.unpostponed.isSuperset(of: record.hooks) { record.postponedUntil = opening }
  }
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
    EventField("title", "\(hook): \(subject)"), EventField("body", news.text(isMail: false)),
    EventField("count", items.count), EventField("badge", material.badge),
    EventField("messages", event.text("messages")), EventField("items", .items(listed)),
  ]
}

// MARK: Joining

/// How the messages waiting for their first delivery to one hook are joined.
public enum MessageJoin: Hashable, Sendable {
  /// Each is delivered by itself.
  case none
  /// The messages with `group: run` become one about all their items.
  case run([Int64])
  /// The messages of one feed with one identifier become one about all their items, or the last one replaces the others:
  /// they have a fixed text, such as "is failing" and "has recovered".
  case feed([Int64], isLast: Bool = false)
  /// They become one summary: there are more than the hook's limit, they were postponed, or several feeds share an
  /// identifier.
  case summary([Int64], identifier: String)
}

/// Decides which of the waiting messages are joined.
///
/// A message whose delay is not over joins one with the same identifier that is delivered now. One that waits for files is joined
/// with those of its run, which then wait for its files too, instead of being replaced by it later.
///
/// - Parameters:
///   - waiting: the deliveries that were never tried, in order, including deliveries that wait only for their delay or files.
///   - sent: how many messages the hook received in this run.
///   - limit: the most messages of one run; nil means no limit.
/// - Returns: the deliveries to join, by number.
public func messageJoin(_ waiting: [Delivery], sent: Int, limit: Int?, at now: Instant) -> MessageJoin {
  /// The first group of several messages with the same key, at least one of which is due.
  func joined(by key: (Delivery) -> String?) -> [Delivery]? {
    func keyInRun(_ delivery: Delivery) -> [String?] { [key(delivery), delivery.run] }
    let awaiting = Set(waiting.filter(\.awaitsFiles).map { keyInRun($0) })
    return waiting.filter { key($0) != nil }.grouped { delivery in
      awaiting.contains(keyInRun(delivery)) ? keyInRun(delivery) : [key(delivery)]
    }.first { set in
      set.count > 1 && set.contains { $0.hasTriggered(at: now) }
    }
  }
  if let ofRun = joined(by: { $0.group == .run ? "" : nil }) { return .run(ofRun.map(\.number)) }
  if let ofFeed = joined(by: subject) {
    return .feed(ofFeed.map(\.number), isLast: ofFeed[0].group == nil)
  }
  if let shared = joined(by: identifierOfItems) {
    return .summary(shared.map(\.number), identifier: shared[0].event.text("identifier"))
  }
  let due = waiting.filter { $0.hasTriggered(at: now) && !$0.awaitsFiles }
  let later = due.filter { $0.postponedUntil != nil }
  if later.count > 1 { return .summary(later.map(\.number), identifier: summaryIdentifier) }
  guard let limit else { return .none }
  if due.count > 1, sent + due.count > limit {
    return .summary(due.map(\.number), identifier: summaryIdentifier)
  }
  // Beyond the limit, the messages of a run that waited for files wait for the last file.
  guard sent >= limit, let first = due.first, first.readyBy != nil else { return .none }
  let rest = waiting.filter { $0.readyBy != nil && $0.run == first.run && $0.hasTriggered(at: now) }
  return rest.count > 1 ? .summary(rest.map(\.number), identifier: summaryIdentifier) : .none
}

/// The messages that wait until the current fetches have ended, because more may join them.
///
/// These are the messages with `group: run`, and all messages once the hook has received its limit; but none for
/// longer than a fetch usually takes, since the fetch of `run --watch` may have no end.
public func messagesToKeep(_ waiting: [Delivery], sent: Int, limit: Int?, at now: Instant) -> Set<Int64> {
  let kept = waiting.filter { delivery in
    guard delivery.created <= now, now.since(delivery.created) < longestKeep else { return false }
    return delivery.group == .run || limit.map { sent >= $0 } ?? false
  }
  return Set(kept.map(\.number))
}

/// The longest wait for other messages of the run: the default budget of the fetch.
let longestKeep = Interval.minutes(3)

/// The key of a message among those of its feed: none with `group: feed`, otherwise the identifier.
func subject(_ delivery: Delivery) -> String? {
  guard let feed = delivery.event.feed else { return nil }
  let identifier = delivery.event.text("identifier")
  switch delivery.group {
  case .feed: return "feed/\(feed)"
  case .item: return identifier.isEmpty ? nil : "item/\(feed)/\(identifier)"
  case .run: return nil
  // A message about added feeds belongs to no single feed.
  case nil: return "fixed/\(feed)/\(identifier)"
  }
}

/// The identifier of a message about items, if it is known before its text is made.
private func identifierOfItems(_ delivery: Delivery) -> String? {
  guard delivery.group == .feed || delivery.group == .item else { return nil }
  let identifier = delivery.event.text("identifier")
  return identifier.isEmpty ? nil : identifier
}

extension Delivery {
  /// The group of a message about items; nil if its text is fixed.
  var group: NotificationGroup? {
    if case .ofItems(let group) = event.message { group } else { nil }
  }
}

/// The identifier of summaries without one of their own.
public let summaryIdentifier = "bgfetch"

/// The one message about the items of all feeds with `group: run`.
public func runEvent(origin: EventOrigin, hook: String, first: Int64) -> Event {
  origin.event(.notification, mark: "run.\(hook).\(first)", message: .ofItems(.run))
}

/// The one message in place of several of one feed; `event` is one of them.
///
/// - Parameter isLast: whether it is the last one again, not a message about the items of all of them.
public func feedEvent(
  _ event: Event, isLast: Bool, origin: EventOrigin, hook: String, first: Int64
) -> Event {
  origin.event(
    .notification, feed: event.feed, mark: "\(isLast ? "last" : "feed").\(hook).\(first)", event.fields,
    message: event.message ?? .fixed)
}

/// How a message is delivered after newer ones with the same identifier, as when its hook failed at first.
public enum MessageLateness: Sendable {
  /// As it is, being the newest.
  case inTime
  /// Without its identifier, so that it does not replace the newer one.
  case beside
  /// Not at all, because the newer one says how things are now.
  case outdated
}

/// Decides how a message is delivered, so that no news is lost and no older message replaces a newer one.
///
/// - Parameter newer: the messages with its identifier that were recorded after it and delivered before it.
public func lateness(of message: Delivery, after newer: [Delivery]) -> MessageLateness {
  guard !newer.isEmpty else { return .inTime }
  guard message.group == nil, let subject = subject(message) else { return .beside }
  return newer.contains { $0.group == nil && Core.subject($0) == subject } ? .outdated : .beside
}

/// The fields of a message without its identifier, so that it neither replaces another nor is replaced.
public func withoutIdentifier(_ fields: [EventField]) -> [EventField] {
  fields.map { $0.name == "identifier" ? EventField($0.name, EventField.Value.none) : $0 }
}

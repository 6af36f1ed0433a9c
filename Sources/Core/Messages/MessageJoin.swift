// Joins waiting messages, so that a busy run does not bury the person in popups, and finds outdated ones.

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
/// A message whose delay is not over joins one with the same identifier that is delivered now.
///
/// - Parameters:
///   - waiting: the deliveries that were never tried, in order, including deliveries that wait only for their delay.
///   - sent: how many messages the hook received in this run.
///   - limit: the most messages of one run; nil means no limit.
/// - Returns: the deliveries to join, by number.
public func messageJoin(_ waiting: [Delivery], sent: Int, limit: Int?, at now: Instant) -> MessageJoin {
  /// The first group of several messages with the same key, at least one of which is due.
  func joined(by key: (Delivery) -> String?) -> [Delivery]? {
    waiting.filter { key($0) != nil }.grouped(by: key).first { set in
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
  let due = waiting.filter { $0.hasTriggered(at: now) }
  let later = due.filter { $0.postponedUntil != nil }
  if later.count > 1 { return .summary(later.map(\.number), identifier: summaryIdentifier) }
  if let limit, due.count > 1, sent + due.count > limit {
    return .summary(due.map(\.number), identifier: summaryIdentifier)
  }
  return .none
}

/// The messages that wait until the current fetches have ended, because more may join them.
///
/// These are the messages with `group: run`, and all messages once the hook has received its limit; but none for
/// longer than a fetch phase usually takes, since the fetch phase of `run --watch` may have no end.
public func messagesToKeep(_ waiting: [Delivery], sent: Int, limit: Int?, at now: Instant) -> Set<Int64> {
  let kept = waiting.filter { delivery in
    guard delivery.created <= now, now.since(delivery.created) < longestKeep else { return false }
    return delivery.group == .run || limit.map { sent >= $0 } ?? false
  }
  return Set(kept.map(\.number))
}

/// The longest wait for other messages of the run: the default budget of the fetch phase.
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
public enum MessageLateness: Hashable, Sendable {
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

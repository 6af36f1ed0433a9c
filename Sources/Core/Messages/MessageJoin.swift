// Which waiting messages become one: those with one identifier, and very many, so that a busy run does not bury the
// person in popups.

/// The most messages a run shows through one hook before they are joined.
public let mostMessages = 5

/// Messages that wait for their first delivery through one hook, and what becomes of them.
public enum MessageJoin: Hashable, Sendable {
  /// Each is delivered.
  case none
  /// Those of `group: run` become one message about all their items.
  case run([Int64])
  /// Those of one feed become one message about all their items, as they have one identifier.
  case feed([Int64])
  /// The last of these takes the place of all: they have one identifier and a text of their own, such as that a
  /// feed is failing and that it has recovered.
  case last([Int64])
  /// These become one summary: there are more than five, their feeds' hours held them back, or several feeds announce
  /// under one identifier.
  case summary([Int64], identifier: String)
}

/// Says which of the waiting messages become one.
///
/// A message whose delay is not over is part of a message that is told now, where they have one identifier: what waits
/// absorbs what comes after it, and keeps its own time.
///
/// - Parameters:
///   - waiting: deliveries of notifications that were never attempted, in order; of those that wait for nothing but
///     their delay, the ones that may be part of another.
///   - sent: how many messages the hook was given in this run.
///   - now: the present moment.
/// - Returns: what is to be joined, by the numbers of the deliveries.
public func messageJoin(_ waiting: [Delivery], sent: Int, at now: Instant) -> MessageJoin {
  /// The first messages with something in common that are several, one of which is due.
  func joined(by key: (Delivery) -> String?) -> [Delivery]? {
    var order: [String] = []
    var sets: [String: [Delivery]] = [:]
    for delivery in waiting {
      guard let key = key(delivery) else { continue }
      if sets[key] == nil { order.append(key) }
      sets[key, default: []].append(delivery)
    }
    return order.lazy.compactMap { sets[$0] }.first { set in
      set.count > 1 && !set.allSatisfy { $0.isDelayed(at: now) }
    }
  }
  if let ofRun = joined(by: { $0.group == .run ? "" : nil }) { return .run(ofRun.map(\.number)) }
  if let ofFeed = joined(by: subject) {
    return ofFeed[0].group == nil ? .last(ofFeed.map(\.number)) : .feed(ofFeed.map(\.number))
  }
  if let shared = joined(by: identifierOfItems) {
    return .summary(shared.map(\.number), identifier: shared[0].event.text("identifier"))
  }
  let due = waiting.filter { !$0.isDelayed(at: now) }
  let held = due.filter { $0.heldUntil != nil }
  if held.count > 1 { return .summary(held.map(\.number), identifier: summaryIdentifier) }
  if due.count > 1, sent + due.count > mostMessages {
    return .summary(due.map(\.number), identifier: summaryIdentifier)
  }
  return .none
}

/// Says which of the waiting messages are kept until the fetches under way have ended, since more of a kind may come.
///
/// Those of `group: run` are, and all of them once so many were shown that what comes is to be joined; but no longer than
/// a fetch phase usually takes, as one that stays may be without an end.
///
/// - Parameters:
///   - waiting: as for `messageJoin`.
///   - sent: how many messages the hook was given in this run.
///   - now: the present moment.
/// - Returns: the numbers of the deliveries.
public func messagesToKeep(_ waiting: [Delivery], sent: Int, at now: Instant) -> Set<Int64> {
  let kept = waiting.filter { delivery in
    guard delivery.created <= now, now.since(delivery.created) < longestKeep else { return false }
    return delivery.group == .run || sent >= mostMessages
  }
  return Set(kept.map(\.number))
}

/// How long a message is kept at most for others of its run: the fetch phase's budget, where none is configured.
private let longestKeep = Interval.minutes(3)

/// What tells a message of one feed apart from its others: with `group: feed` nothing, else the identifier.
func subject(_ delivery: Delivery) -> String? {
  guard let feed = delivery.event.feed else { return nil }
  let identifier = delivery.event.text("identifier")
  switch delivery.group {
  case .feed: return "feed/\(feed)"
  case .item: return identifier.isEmpty ? nil : "item/\(feed)/\(identifier)"
  case .run: return nil
  // Of feeds that were added several messages tell of several feeds; they are about none.
  case nil: return "fixed/\(feed)/\(identifier)"
  }
}

/// The identifier of a message about items of a feed, where it can be told.
private func identifierOfItems(_ delivery: Delivery) -> String? {
  guard delivery.group == .feed || delivery.group == .item else { return nil }
  let identifier = delivery.event.text("identifier")
  return identifier.isEmpty ? nil : identifier
}

extension Delivery {
  /// What the message covers; nil where its text is its own and does not depend on items.
  var group: NotificationGroup? { NotificationGroup(rawValue: event.text("group")) }
}

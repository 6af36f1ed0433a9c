// When a message is delivered: after the feed's delay, when its files are there, and within the feed's hours.

/// Delays the messages about items by the feed's `notify.delay`, so that items shortly after join the same message.
///
/// Messages about the feed's health and alerts of pushes are not delayed, since nothing could join them.
public func delayed(_ records: [EventRecord], by notify: NotifySpec?, at now: Instant) -> [EventRecord] {
  guard let delay = notify?.delay, delay > .zero else { return records }
  return records.map { record in
    guard record.event.kind == .notification, record.event.message != .fixed else { return record }
    var delayed = record
    delayed.triggerAt = now + delay
    return delayed
  }
}

extension Delivery {
  /// Whether its delay is not over.
  func isDelayed(at now: Instant) -> Bool { triggerAt.map { $0 > now } ?? false }
}

/// Makes messages wait for the assets of their items that were queued by the same fetch.
func awaitingFiles(
  _ records: [EventRecord], _ assets: AssetFindings, by notify: NotifySpec?, at now: Instant
) -> [EventRecord] {
  guard notify?.readiness == .ready, !assets.wanted.isEmpty else { return records }
  var places: Set<Int> = []
  var numbers: Set<Int64> = []
  for found in assets.wanted {
    switch found.item {
    case .new(let place): places.insert(place)
    case .known(let number): numbers.insert(number)
    }
  }
  return records.map { record in
    guard record.event.kind == .notification,
      record.newItems.contains(where: places.contains) || record.knownItems.contains(where: numbers.contains)
    else { return record }
    var waiting = record
    waiting.readyBy = now + NotificationMoment.longestWait
    return waiting
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
  return records.map { record in
    guard record.event.kind == .notification else { return record }
    var later = record
    later.postponedUntil = opening
    return later
  }
}

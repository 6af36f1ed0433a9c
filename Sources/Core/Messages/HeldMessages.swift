// Which messages wait because of the hours of their feed. All other events go to hooks at once.

/// Until when a feed's messages are held back at a moment; nil if they are not.
///
/// However urgent: who wants to be woken by a feed gives it other hours.
public func heldUntil(_ notify: NotifySpec?, at now: Instant, in zone: Zone) -> Instant? {
  guard let hours = notify?.hours, !hours.contains(now, in: zone) else { return nil }
  return hours.firstMoment(atOrAfter: now, in: zone)
}

/// The events of a fetch, its messages held back where the feed's hours say so.
public func held(
  _ records: [EventRecord], by notify: NotifySpec?, at now: Instant, in zone: Zone
) -> [EventRecord] {
  guard let opening = heldUntil(notify, at: now, in: zone) else { return records }
  return records.map { record in
    guard record.event.kind == .notification else { return record }
    var held = record
    held.heldUntil = opening
    return held
  }
}

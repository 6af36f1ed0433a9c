// Which messages wait because their feed announces with a delay: a time-interval trigger, so that what comes shortly
// after is part of the same message.

/// The events of a fetch, its messages about items due after the feed's delay.
///
/// What says how the feed itself is, that it is failing for instance, and the alert of a push are told at once: nothing is
/// gained by waiting for more of them.
public func delayed(_ records: [EventRecord], by notify: NotifySpec?, at now: Instant) -> [EventRecord] {
  guard let delay = notify?.delay, delay > .zero else { return records }
  return records.map { record in
    guard record.event.kind == .notification, record.event.text("group") != "fixed" else { return record }
    var delayed = record
    delayed.triggerAt = now + delay
    return delayed
  }
}

extension Delivery {
  /// Whether nothing but its trigger's time is still to come.
  public func isDelayed(at now: Instant) -> Bool { triggerAt.map { $0 > now } ?? false }
}

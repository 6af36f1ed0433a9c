// Deliveries, listed.

import Core

/// Deliveries as a table: number, hook, event, feed, how far, attempts, since when, what went wrong.
func deliveryLines(
  _ deliveries: [Delivery], now: Instant, in zone: Zone, on page: Page
) -> [String] {
  guard !deliveries.isEmpty else { return [] }
  let rows = deliveries.map { delivery in
    [
      "#\(delivery.number)", delivery.hook, delivery.event.kind.rawValue, delivery.event.feed?.text ?? "",
      status(delivery, now: now, in: zone), counted(delivery.attempts, "attempt"),
      delivery.created.rfc3339(in: zone), cleanText(delivery.lastError ?? "", limit: 200),
    ]
  }
  let head = ["DELIVERY", "HOOK", "EVENT", "FEED", "STATUS", "ATTEMPTS", "SINCE", "ERROR"]
  return table([head] + rows, hasHead: true, on: page)
}

/// How far a delivery is; a message that waits for its feed's hours or delay says until when.
private func status(_ delivery: Delivery, now: Instant, in zone: Zone) -> String {
  guard delivery.status == .pending else { return delivery.status.rawValue }
  if let until = delivery.heldUntil, until > max(now, delivery.triggerAt ?? now) {
    return "held until \(until.rfc3339(in: zone))"
  }
  if let until = delivery.triggerAt, until > now { return "delayed until \(until.rfc3339(in: zone))" }
  return delivery.status.rawValue
}

/// A delivery as JSON.
func deliveryJSON(_ delivery: Delivery) -> JSONValue {
  .object([
    ("type", .string("delivery")), ("number", .number(delivery.number)), ("hook", .string(delivery.hook)),
    ("event", .string(delivery.event.kind.rawValue)), ("event-id", .string(delivery.event.id)),
    ("feed", .text(delivery.event.feed?.text)), ("status", .string(delivery.status.rawValue)),
    ("attempts", .number(Int64(delivery.attempts))), ("since", .string(delivery.created.rfc3339)),
    ("not-before", .string(delivery.notBefore.rfc3339)), ("held-until", .text(delivery.heldUntil?.rfc3339)),
    ("trigger-at", .text(delivery.triggerAt?.rfc3339)),
    ("error", .text(delivery.lastError)),
  ])
}

// The reasons why pending deliveries wait.

import Core
import Testing

@Suite struct DeliveryWaitTests {

  /// Expects what a delivery to a hook of popups, or of a program, waits for.
  private func expect(
    _ rule: Comment, _ wait: DeliveryWait, at moment: Instant? = nil, hook: Bool? = false,
    session: Bool = true, row: SourceLocation = #_sourceLocation,
    _ change: (inout Delivery) -> Void = { _ in }
  ) {
    let event = Event(
      id: "1", kind: .notification, feed: FeedName("planet"), time: now, cause: .timer, fields: .object([]))
    let delivery = with(newDelivery(to: "desktop", event), change)
    let spec = hook.map { isPopup in
      with(HookSpec(name: "desktop", events: [.notification], run: [])) { $0.isPopup = isPopup }
    }
    #expect(
      deliveryWait(delivery, spec, hasSession: session, at: moment ?? now) == wait, rule, sourceLocation: row)
  }

  @Test func `a delivery says what it waits for`() {
    let (later, night) = (now + .minutes(3), now + .minutes(63))
    let failed = { (delivery: inout Delivery) in
      delivery.attempts = 1
      delivery.notBefore = later
      delivery.lastError = "exit status 1"
    }
    let postponed = { (delivery: inout Delivery) in
      delivery.triggerAt = later
      delivery.postponedUntil = night
    }

    expect("without anything to wait for: the next run", .run, hook: true)
    expect("its hook, if that is gone", .hook, hook: nil)
    expect("the later of delay and hours", .moment(night), hook: true, session: false, postponed)
    expect("moments that have come hold nothing up", .run, at: night, session: false, postponed)
    expect("the session bus", .session(.hours(12)), hook: true, session: false)
    expect("only if its hook shows popups", .run, session: false)
    expect("a failed one: its next attempt", .attempt(later, error: "exit status 1"), failed)
    expect(
      "the reason stays until it is delivered", .attempt(later, error: "exit status 1"),
      at: later + .hours(1), failed)
    expect("also if its hook put it off", .attempt(later, error: "exit status 75")) {
      ($0.notBefore, $0.lastError) = (later, "exit status 75")
    }
    expect("its files", .files(later)) { $0.readyBy = later }
  }
}

// The reasons why pending deliveries wait.

import Core
import Testing

@Suite struct DeliveryWaitTests {
  private static let now = Instant(secondsSince1970: 1_000_000)
  private static let later = now + .minutes(3)

  private func delivery(_ change: (inout Delivery) -> Void) throws -> Delivery {
    let event = Event(
      id: "1", kind: .notification, feed: FeedName("planet"), time: Self.now, cause: .timer, fields: [])
    var delivery = Delivery(
      number: 1, hook: "desktop", event: event, attempts: 0, created: Self.now, status: .pending,
      notBefore: Self.now, lastError: nil)
    change(&delivery)
    return delivery
  }

  private func hook(needsSession: Bool = false) -> HookSpec {
    var hook = HookSpec(name: "desktop", events: [.notification], run: [])
    hook.needsSessionBus = needsSession
    return hook
  }

  @Test func `a delivery without anything to wait for is made by the next run`() throws {
    #expect(
      deliveryWait(try delivery { _ in }, hook(needsSession: true), hasSession: true, at: Self.now) == .run)
  }

  @Test func `a delivery whose hook is gone waits for it`() throws {
    #expect(deliveryWait(try delivery { _ in }, nil, hasSession: true, at: Self.now) == .hook)
  }

  @Test func `a delivery waits for the later of delay and hours`() throws {
    let postponed = try delivery {
      $0.triggerAt = Self.later
      $0.postponedUntil = Self.later + .hours(1)
    }
    #expect(
      deliveryWait(postponed, hook(needsSession: true), hasSession: false, at: Self.now)
        == .moment(Self.later + .hours(1)))
    #expect(
      deliveryWait(postponed, hook(), hasSession: false, at: Self.later + .hours(1)) == .run,
      "moments that have come hold nothing up")
  }

  @Test func `a delivery waits for the session bus only if its hook needs one`() throws {
    let waiting = try delivery { _ in }
    #expect(
      deliveryWait(waiting, hook(needsSession: true), hasSession: false, at: Self.now)
        == .session(.hours(12)))
    #expect(deliveryWait(waiting, hook(), hasSession: false, at: Self.now) == .run)
  }

  @Test func `a failed delivery waits for its next attempt`() throws {
    let failed = try delivery {
      $0.attempts = 1
      $0.notBefore = Self.later
      $0.lastError = "exit status 1"
    }
    #expect(
      deliveryWait(failed, hook(), hasSession: true, at: Self.now)
        == .attempt(Self.later, error: "exit status 1"))
    #expect(
      deliveryWait(failed, hook(), hasSession: true, at: Self.later + .hours(1))
        == .attempt(Self.later, error: "exit status 1"), "the reason stays until it is delivered")
  }

  @Test func `a delivery that its hook put off waits for its next attempt`() throws {
    let putOff = try delivery {
      $0.notBefore = Self.later
      $0.lastError = "exit status 75"
    }
    #expect(
      deliveryWait(putOff, hook(), hasSession: true, at: Self.now)
        == .attempt(Self.later, error: "exit status 75"))
  }

  @Test func `a message waits for its files`() throws {
    let waiting = try delivery { $0.readyBy = Self.later }
    #expect(deliveryWait(waiting, hook(), hasSession: true, at: Self.now) == .files(Self.later))
  }
}

// Which messages a feed's hours postpone, and until when.

import Core
import Testing

@Suite struct PostponedMessagesTests {

  private func notify(_ hours: String) throws -> NotifySpec {
    try with(NotifySpec()) { $0.hours = try WeeklyHours(parsing: hours) }
  }

  @Test(arguments: [
    ("always", nil), ("mon 08:00-18:00", nil), ("10:00-11:00", nil), ("09:00-10:00", "2026-11-03T09:00:00Z"),
    ("mon 20:00-22:00", "2026-11-02T20:00:00Z"), ("sun 20:00-06:00", "2026-11-08T20:00:00Z"),
  ])
  func `outside their hours messages wait for the next ones`(hours: String, until: String?) throws {
    #expect(postponedUntil(try notify(hours), at: now, in: .utc)?.rfc3339 == until)
  }

  @Test func `hours are those of the run's zone, and a feed without messages postpones none`() throws {
    let zone = try #require(Zone(name: "Test", posix: "TST-8"))

    #expect(postponedUntil(try notify("18:00-19:00"), at: now, in: zone) == nil)
    #expect(postponedUntil(try notify("10:00-11:00"), at: now, in: zone)?.rfc3339 == "2026-11-03T02:00:00Z")
    #expect(postponedUntil(nil, at: now, in: .utc) == nil)
  }

  @Test func `messages are postponed, and events are not`() throws {
    let origin = EventOrigin(round: 1, time: now, cause: .timer)
    let records = [EventKind.newItem, .failing, .notification].map { kind in
      EventRecord(event: origin.event(kind), hooks: ["desktop"])
    }

    let urgent = with(try notify("20:00-21:00")) { $0.urgency = .critical }

    #expect(
      scheduled(records, by: urgent, to: [], at: now, in: .utc).map(\.postponedUntil)
        == [nil, nil, now + .hours(10)])
    #expect(scheduled(records, by: try notify("10:00-11:00"), to: [], at: now, in: .utc) == records)
  }

  @Test func `mail and digests interrupt nobody, and are not postponed`() throws {
    let origin = EventOrigin(round: 1, time: now, cause: .timer)
    let popup = with(HookSpec(name: "popup", events: [.notification], run: [])) { $0.isPopup = true }
    let mail = with(HookSpec(name: "mail", events: [.notification], run: [])) {
      $0.stdin = .mail(MailAddresses(to: ["me@mail.example"]))
    }
    let digest = try with(HookSpec(name: "digest", events: [.notification], run: [])) {
      $0.digest = [try CronExpression(parsing: "0 7 * * *")]
    }
    func record(_ hooks: HookSpec...) throws -> EventRecord? {
      let record = EventRecord(event: origin.event(.notification), subscribers: hooks)
      return scheduled([record], by: try notify("20:00-21:00"), to: hooks, at: now, in: .utc).first
    }

    #expect([popup, mail, digest].map(\.keepsHours) == [true, false, false])
    #expect(try record(mail, digest)?.postponedUntil == nil)
    #expect(try record(popup, mail)?.postponedUntil == now + .hours(10))
    #expect(try record(popup, mail, digest)?.unpostponed == ["mail", "digest"])
  }
}

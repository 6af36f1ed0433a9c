// A hook's arguments, environment and input, and the meaning of its end.

import Core
import Testing

@Suite struct HookCallTests {
  private let now = Instant(secondsSince1970: 1_800_000_000)

  private func hook(_ arguments: [HookArgument]) -> HookSpec {
    HookSpec(name: "desktop", events: [.notification], run: arguments)
  }

  private func notification(title: String = "T", body: String = "B") -> Event {
    Event(
      id: "1-7.notification.planet", kind: .notification, feed: FeedName("planet"), time: now, cause: .timer,
      fields: [
        EventField("title", title), EventField("body", body), EventField("sound", nil as String?),
        EventField("identifier", "planet"), EventField("count", 2),
      ])
  }

  private func template(_ text: String) throws -> Template { try Template(parsing: text) }

  @Test(arguments: ["$(touch x); \"'", "--help", "{badge}", "a\nb", "`id`", "%s%n", "\\"])
  func `a title is one unchanged argument, whatever it contains`(title: String) throws {
    let call = hookCall(
      hook([.one(Template(literal: "notify-send")), .one(try template("{title}"))]),
      notification(title: title),
      replaces: "", in: .utc)

    #expect(call.arguments == ["notify-send", title])
  }

  @Test func `an argument is at most 4 KiB, cut between characters, without NUL`() throws {
    let call = hookCall(
      hook([.one(try template("{title}"))]),
      notification(title: "\0x" + String(repeating: "é", count: 1_000_000)), replaces: "", in: .utc)

    #expect(call.arguments[0].utf8.count == 4095)
    #expect(call.arguments[0].hasPrefix("xéé"))
  }

  @Test func `a nested list is left out when a placeholder in it is empty`() throws {
    let command: [HookArgument] = [
      .one(Template(literal: "notify-send")),
      .optional([Template(literal: "--replace-id"), try template("{replaces}")]),
    ]

    let first = hookCall(hook(command), notification(), replaces: "", in: .utc)
    let second = hookCall(hook(command), notification(), replaces: "42", in: .utc)

    #expect(first.arguments == ["notify-send"])
    #expect(second.arguments == ["notify-send", "--replace-id", "42"])
  }

  @Test func `the body for markup is cut between escapes`() throws {
    let call = hookCall(
      hook([.one(try template("{body.markup}"))]), notification(body: String(repeating: "&", count: 4096)),
      replaces: "", in: .utc)

    #expect(call.arguments == [String(repeating: "&amp;", count: 819)])
  }

  @Test func `the body for markup is escaped`() throws {
    let call = hookCall(
      hook([.one(try template("{body.markup}"))]), notification(body: #"<b>&\"#), replaces: "", in: .utc)

    #expect(call.arguments == [#"&lt;b&gt;&amp;\\"#])
  }

  @Test func `every field is a variable`() {
    let call = hookCall(hook([]), notification(), replaces: "", in: .utc)
    let environment = Dictionary(call.environment.map { ($0.name, $0.value) }) { $1 }

    #expect(environment["BGFETCH_TITLE"] == "T")
    #expect(environment["BGFETCH_FEED"] == "planet")
    #expect(environment["BGFETCH_EVENT_ID"] == "1-7.notification.planet")
    #expect(environment["BGFETCH_SOUND"] == "")
  }

  @Test func `the event is one JSON object with nested groups`() {
    let event = Event(
      id: "x", kind: .newItem, feed: FeedName("planet"), time: now, cause: .manual,
      fields: [
        EventField("feed.title", "Planet"), EventField("item.title", "A"),
        EventField("item.link", nil as String?),
        EventField("count", 1),
      ])

    #expect(
      eventJSON(event).text
        == #"{"event":"new-item","event-id":"x","time":"2027-01-15T08:00:00Z","cause":"manual","#
        + #""feed":{"name":"planet","title":"Planet"},"item":{"title":"A","link":null,"content":null,"#
        + #""categories":[],"comments":null,"image":null,"duration":null,"season":null,"episode":null,"#
        + #""enclosures":[]},"count":1}"#)
  }

  private func delivery(attempts: Int, kind: EventKind = .notification) -> Delivery {
    var event = notification()
    event.kind = kind
    return Delivery(
      number: 1, hook: "desktop", event: event, attempts: attempts, created: now, status: .running,
      notBefore: now,
      lastError: nil)
  }

  @Test func `exit status 0 is delivered`() {
    let verdict = deliveryEnd(
      .exited(0, printed: "", errors: ""), delivery(attempts: 1), hook([]), at: now)

    #expect(verdict.status == .delivered)
    #expect(verdict.error == nil)
  }

  @Test func `exit status 75 is tried later without counting`() {
    let verdict = deliveryEnd(
      .exited(75, printed: "", errors: ""), delivery(attempts: 9), hook([]), at: now)

    #expect(verdict.status == .pending)
    #expect(!verdict.isCounted)
    #expect(verdict.notBefore == now + .minutes(5))
  }

  @Test(arguments: [(1, 1), (2, 3), (3, 9), (4, 27), (5, 81)] as [(Int, Int64)])
  func `a failed attempt is tried again after growing waits`(attempts: Int, minutes: Int64) {
    let verdict = deliveryEnd(
      .exited(1, printed: "", errors: "no\nbus"), delivery(attempts: attempts), hook([]), at: now)

    #expect(verdict.status == .pending)
    #expect(verdict.notBefore == now + .minutes(minutes))
    #expect(verdict.error == "exit status 1: no bus")
  }

  @Test(
    arguments: [(nil, 60), (30, 60), (3600, 3601), (1_000_000, 21_600)] as [(Int64?, Int64)])
  func `a webhook that asks to wait is tried again after that time, at most six hours`(
    asked: Int64?, wait: Int64
  ) {
    let end = HookEnd.refused("the server answered 429", retryAfter: asked.map(Interval.seconds))

    #expect(deliveryEnd(end, delivery(attempts: 1), hook([]), at: now).notBefore == now + .seconds(wait))
  }

  @Test func `after its retries the delivery is dead`() {
    #expect(deliveryEnd(.timedOut, delivery(attempts: 6), hook([]), at: now).status == .dead)
  }

  @Test(arguments: EventKind.allCases.filter(\.isBestEffort))
  func `best-effort deliveries are tried once and never later`(kind: EventKind) {
    #expect(
      deliveryEnd(.timedOut, delivery(attempts: 1, kind: kind), hook([]), at: now).status == .dropped)
    #expect(
      deliveryEnd(
        .exited(75, printed: "", errors: ""), delivery(attempts: 1, kind: kind), hook([]), at: now
      )
      .status == .dropped)
  }

  @Test(arguments: [
    (BadgeFormat.plain, 0, "0"), (.plain, 23, "23"), (.tmux, 0, ""), (.tmux, 7, "7"),
    (.waybar, 0, #"{"text":"","alt":"none","class":"none","tooltip":""}"#),
    (.waybar, 3, #"{"text":"3","alt":"unseen","class":"unseen","tooltip":"A &amp; &lt;B&gt;: 3"}"#),
  ])
  func `the badge is printed as each bar wants it`(format: BadgeFormat, badge: Int, text: String) {
    #expect(badgeText(badge, unseen: badge == 0 ? [] : [("A & <B>", 3)], as: format) == text)
  }
}

// A hook's arguments, environment and input, and the meaning of its end.

import Testing

@testable import Core

@Suite struct HookCallTests {

  private func hook(_ arguments: [HookArgument] = []) -> HookSpec {
    HookSpec(name: "desktop", events: [.notification], run: arguments)
  }

  /// The arguments of a hook with one template.
  private func arguments(_ template: String, _ event: Event) throws -> [String] {
    hookCall(hook([.one(try Template(parsing: template))]), event, replaces: "", in: .utc).arguments
  }

  private func notification(title: String = "T", body: String = "B") -> Event {
    Event(
      id: "1-7.notification.planet", kind: .notification, feed: FeedName("planet"), time: now, cause: .timer,
      fields: JSONValue(["title": title, "body": body, "sound": nil, "identifier": "planet", "count": 2]))
  }

  @Test(arguments: ["$(touch x); \"'", "--help", "{badge}", "a\nb", "`id`", "%s%n", "\\"])
  func `a title is one unchanged argument, whatever it contains`(title: String) throws {
    #expect(try arguments("{title}", notification(title: title)) == [title])
  }

  @Test func `an argument is at most 4 KiB, cut between characters and escapes, without NUL`() throws {
    let long = try arguments("{title}", notification(title: "\0x" + String(repeating: "é", count: 1_000_000)))
    let markup = try arguments("{body.markup}", notification(body: String(repeating: "&", count: 4096)))

    #expect(long[0].utf8.count == 4095)
    #expect(long[0].hasPrefix("xéé"))
    #expect(markup == [String(repeating: "&amp;", count: 819)])
    #expect(try arguments("{body.markup}", notification(body: #"<b>&\"#)) == [#"&lt;b&gt;&amp;\\"#])
  }

  @Test func `a nested list is left out when a placeholder in it is empty`() throws {
    let command: [HookArgument] = [
      .one(Template(literal: "notify-send")),
      .optional([Template(literal: "--replace-id"), try Template(parsing: "{replaces}")]),
    ]

    let calls = ["", "42"].map { hookCall(hook(command), notification(), replaces: $0, in: .utc).arguments }

    #expect(calls == [["notify-send"], ["notify-send", "--replace-id", "42"]])
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
      fields: JSONValue(["feed.title": "Planet", "item.title": "A", "item.link": nil, "count": 1]))

    #expect(
      eventJSON(event).text
        == #"{"event":"new-item","event-id":"x","time":"2026-11-02T10:00:00Z","cause":"manual","#
        + #""feed":{"name":"planet","title":"Planet"},"item":{"title":"A","link":null,"content":null,"rest":null,"#
        + #""categories":[],"comments":null,"image":null,"duration":null,"season":null,"episode":null,"#
        + #""enclosures":[]},"count":1}"#)
  }

  private func delivery(attempts: Int, kind: EventKind = .notification) -> Delivery {
    with(newDelivery(to: "desktop", with(notification()) { $0.kind = kind }, attempts: attempts)) {
      $0.status = .running
    }
  }

  @Test(
    arguments: [
      ("exit status 0", .exited(0, printed: "", errors: ""), 1, .delivered, nil, nil),
      (
        "75: later, without counting", .exited(75, printed: "", errors: ""), 9, .pending, 300,
        "exit status 75"
      ),
      (
        "a first failure", .exited(1, printed: "", errors: "no\nbus"), 1, .pending, 60,
        "exit status 1: no; bus"
      ),
      ("a second", .exited(1, printed: "", errors: "no\nbus"), 2, .pending, 180, "exit status 1: no; bus"),
      ("a third", .exited(1, printed: "", errors: ""), 3, .pending, 540, "exit status 1"),
      ("a fourth", .exited(1, printed: "", errors: ""), 4, .pending, 1620, "exit status 1"),
      ("a fifth", .exited(1, printed: "", errors: ""), 5, .pending, 4860, "exit status 1"),
      ("no time is asked for", .failed("no", retryAfter: nil), 1, .pending, 60, "no"),
      ("less than the wait", .failed("no", retryAfter: .seconds(30)), 1, .pending, 60, "no"),
      ("more", .failed("no", retryAfter: .hours(1)), 1, .pending, 3601, "no"),
      ("six hours at most", .failed("no", retryAfter: .days(9)), 1, .pending, 21_600, "no"),
    ] as [(String, HookEnd, Int, DeliveryStatus, Int64?, String?)])
  func `a failed attempt is tried again after growing waits, or when a webhook asks for it`(
    what: String, end: HookEnd, attempts: Int, status: DeliveryStatus, wait: Int64?, error: String?
  ) {
    let verdict = deliveryEnd(end, delivery(attempts: attempts), hook(), at: now)

    #expect(verdict.status == status, "\(what)")
    if let wait { #expect(verdict.notBefore == now + .seconds(wait), "\(what)") }
    #expect(verdict.error == error, "\(what)")
    if error == "exit status 75" { #expect(!verdict.isCounted) }
  }

  @Test func `after its retries a delivery is dead, and best-effort ones are tried once`() {
    func status(_ end: HookEnd, _ attempts: Int, _ kind: EventKind) -> DeliveryStatus {
      deliveryEnd(end, delivery(attempts: attempts, kind: kind), hook(), at: now).status
    }

    #expect(status(.failed("no"), 6, .notification) == .dead)
    for kind in EventKind.allCases where kind.isBestEffort {
      #expect(status(.failed("no"), 1, kind) == .dropped, "\(kind)")
      #expect(status(.exited(75, printed: "", errors: ""), 1, kind) == .dropped, "\(kind)")
    }
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

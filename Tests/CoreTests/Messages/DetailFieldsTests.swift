// The details of items in templates, in arguments and variables of hooks, and in JSON.

import Testing

@testable import Core

@Suite struct DetailFieldsTests {

  private func details() -> ItemDetails {
    var details = ItemDetails()
    details.content = "<p>One &amp; two</p>\n<p>three\u{1B}]0;evil\u{7}</p>"
    details.categories = ["linux", "news"]
    details.comments = "https://site.example/1#c"
    details.image = "https://site.example/1.png"
    details.enclosures = [Enclosure(url: "https://site.example/1.mp3", type: "audio/mpeg", length: 7)]
    details.duration = .seconds(3723)
    details.season = 2
    details.episode = 7
    return details
  }

  private func event(_ kind: EventKind = .newItem, _ details: ItemDetails?) -> Event {
    var event = Event(
      id: "x", kind: kind, feed: FeedName("planet"), time: now, cause: .timer,
      fields: JSONValue(["item.title": "A"]))
    event.details = details
    return event
  }

  @Test(arguments: [
    ("item.content", "<p>One &amp; two</p>\n<p>three</p>"), ("item.content.text", "One & two\n\nthree"),
    ("item.categories", "linux, news"), ("item.comments", "https://site.example/1#c"),
    ("item.image", "https://site.example/1.png"), ("item.duration", "1:02:03"), ("item.season", "2"),
    ("item.episode", "7"),
  ])
  func `each placeholder has its text, which cannot steer a terminal`(name: String, text: String) {
    #expect(details().text(name, limit: 4096) == text)
    #expect(ItemDetails().text(name, limit: 4096) == "")
    #expect(detailPlaceholders.contains(name))
  }

  @Test func `content keeps the blanks of its code`() {
    let details = with(ItemDetails()) { $0.content = "<pre>a\r\n\tb  c</pre><ul><li>d<ul><li>e" }

    #expect(details.text("item.content", limit: 4096) == "<pre>a\n    b  c</pre><ul><li>d<ul><li>e")
    #expect(details.text("item.content.text", limit: 4096) == "    a\n        b  c\n\n• d\n  • e")
  }

  @Test func `a template says whether it needs details, which have no other placeholders`() throws {
    #expect(details().text("item.title", limit: 10) == nil)
    #expect(try Template(parsing: "{feed}: {item.content.text}").usesDetails)
    #expect(try !Template(parsing: "{item.title} {item.summary}").usesDetails)
  }

  @Test func `an item's JSON has all members, in seconds and arrays`() {
    #expect(
      detailMembers(details()).text
        == #"{"content":"<p>One &amp; two</p>\n<p>three\u001b]0;evil\u0007</p>","rest":null,"categories":["linux","news"],"#
        + #""comments":"https://site.example/1#c","image":"https://site.example/1.png","duration":3723,"#
        + #""season":2,"episode":7,"enclosures":[{"url":"https://site.example/1.mp3","type":"audio/mpeg","length":7}]}"#
    )
    #expect(
      detailMembers(nil).text
        == #"{"content":null,"rest":null,"categories":[],"comments":null,"image":null,"duration":null,"#
        + #""season":null,"episode":null,"enclosures":[]}"#)
  }

  @Test(arguments: [EventKind.newItem, .assetPlaced, .transferFailed, .authRequired])
  func `hooks of events about an item get its details`(kind: EventKind) throws {
    let hook = HookSpec(
      name: "h", events: [kind],
      run: [
        .one(try Template(parsing: "S{item.season}E{item.episode}")),
        .optional([Template(literal: "--tags"), try Template(parsing: "{item.categories}")]),
      ])

    let full = hookCall(hook, event(kind, details()), replaces: "", in: .utc)
    let bare = hookCall(hook, event(kind, nil), replaces: "", in: .utc)

    #expect(full.arguments == ["S2E7", "--tags", "linux, news"])
    #expect(bare.arguments == ["SE"])
    let variables = Dictionary(full.environment.map { ($0.name, $0.value) }) { $1 }
    #expect(variables["BGFETCH_ITEM_CONTENT_TEXT"] == "One & two\n\nthree")
    #expect(variables["BGFETCH_ITEM_DURATION"] == "1:02:03")
    #expect(full.input?.contains(#""season":2,"episode":7"#) == true)
    #expect(bare.input?.contains(#""season":null,"#) == true)
  }

  @Test func `content fits into arguments and variables, and is whole on standard input`() throws {
    let long = with(ItemDetails()) { $0.content = String(repeating: "é\0", count: 1 << 18) }
    var hook = HookSpec(
      name: "h", events: [.newItem], run: [.one(try Template(parsing: "{item.content}{item.content.text}"))])

    let call = hookCall(hook, event(.newItem, long), replaces: "", in: .utc)

    #expect(call.arguments.allSatisfy { $0.utf8.count <= 4096 && !$0.utf8.contains(0) })
    #expect(call.environment.allSatisfy { $0.value.utf8.count <= 4096 && !$0.value.utf8.contains(0) })
    // Each NUL takes six bytes in JSON.
    #expect(call.input.map { $0.utf8.count > 2 << 20 } == true)
    hook.stdin = .text(try Template(parsing: "{item.content.text}"))
    let text = hookCall(hook, event(.newItem, long), replaces: "", in: .utc).input
    #expect(text.map { $0.utf8.count > 4096 } == true)
  }

  @Test func `events without an item have no details`() {
    let call = hookCall(
      HookSpec(name: "h", events: [.newData], run: []), event(.newData, details()), replaces: "", in: .utc)

    #expect(!call.environment.contains { $0.name == "BGFETCH_ITEM_CONTENT" })
    #expect(call.input?.contains("content") == false)
  }
}

// Which feed a push is for.

import Core
import Testing

@Suite struct PushTargetTests {
  private func target(_ feed: String?, among feeds: [FeedSpec]) throws(PushProblem) -> String {
    var payload = PushPayload(text: "{}")
    payload.feed = feed
    return try pushTarget(payload, among: feeds).name.text
  }

  @Test func `a payload that names a feed is for that one`() throws {
    let feeds = [try pushed("a", url: "https://a.example/x"), try pushed("b"), try pushed("c")]

    #expect(try target("b", among: feeds) == "b")
    #expect(try target(nil, among: feeds) == "a")
  }

  @Test func `one that names none is for the only feed whose pushes bring a file`() throws {
    let one = try pushed("a", url: "https://a.example/x")
    let other = try pushed("b", url: "https://b.example/x")

    #expect(throws: PushProblem.namesNoFeed) { try target(nil, among: []) }
    #expect(throws: PushProblem.namesNoFeed) { try target(nil, among: [pushed("c")]) }
    #expect(throws: PushProblem.namesNoFeed) { try target(nil, among: [one, other]) }
  }

  @Test func `names are held against those of feeds letter by letter`() throws {
    let feeds = [try pushed("planet")]

    for name in ["", "Planet", "planet ", "plan*", "@tag", "planet\u{202E}"] {
      #expect(throws: PushProblem.self) { try target(name, among: feeds) }
    }
    #expect(throws: PushProblem.unknownFeed("\\u{1b}[1mmoon")) { try target("\u{1B}[1mmoon", among: feeds) }
    #expect(throws: PushProblem.unknownFeed("planet ")) { try target("planet ", among: feeds) }
    #expect(throws: PushProblem.unknownFeed("planet\\u{200b}")) { try target("planet\u{200B}", among: feeds) }
  }

  @Test func `a push by words has what a payload would have`() throws {
    let payload = try pushPayload(
      feed: try name("planet"),
      values: [PushValue(name: "part", text: "a\"b"), PushValue(name: "content-id", text: "42")])

    #expect(payload.feed == "planet")
    #expect(payload.isContentAvailable)
    #expect(payload.contentID == "42")
    #expect(payload.alert == nil)
    #expect(
      payload.text
        == "{\"aps\":{\"content-available\":1},\"feed\":\"planet\",\"part\":\"a\\\"b\",\"content-id\":\"42\"}"
    )
  }

  @Test(
    arguments: [
      (["a", "b", "a"], .repeated(key: "a")), (["aps"], .reserved(key: "aps")),
      (["a", "feed"], .reserved(key: "feed")),
    ] as [([String], PushProblem)])
  func `a push by words has each key once, and none of its own`(keys: [String], problem: PushProblem) throws {
    let planet = try name("planet")

    #expect(throws: problem) {
      try pushPayload(feed: planet, values: keys.map { PushValue(name: $0, text: "1") })
    }
  }
}

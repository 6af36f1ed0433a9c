// The address that a payload makes of a feed's template: never on another server, never above its directory.

import Core
import Testing

@Suite struct PushedAssetTests {
  private let standard = "https://planet.example/downloads/{content-id}.mp3"

  private func address(_ url: String, _ values: [(String, String)]) throws -> String? {
    try pushedAsset(payload(values), feed: pushed(url: url))?.address
  }

  @Test(
    arguments: [
      ("42", "42"), ("a b", "a%20b"), ("a/b", "a%2Fb"), ("..a/b..", "..a%2Fb.."),
      ("a?b#c", "a%3Fb%23c"),
      ("ü", "%C3%BC"), ("😀", "%F0%9F%98%80"), ("%2e%2e", "%252e%252e"), ("@evil.example", "%40evil.example"),
      ("a\\b", "a%5Cb"), ("\u{0}\r\n\u{202E}", "%00%0D%0A%E2%80%AE"), ("a-b_c.d~e", "a-b_c.d~e"),
      ("&x=1+2;", "%26x%3D1%2B2%3B"), ("é", "%C3%A9"), ("e\u{301}", "e%CC%81"), (".", "."), ("..", ".."),
    ])
  func `values are percent-encoded but for unreserved characters`(value: String, encoded: String) throws {
    #expect(
      try address(standard, [("content-id", value)])
        == "https://planet.example/downloads/\(encoded).mp3")
  }

  @Test(arguments: [
    ("https://p.example/{a}/{b}", "https://p.example/1/2"),
    ("https://p.example/{a}{b}", "https://p.example/12"),
    ("https://p.example/x?y={a}&z={b}", "https://p.example/x?y=1&z=2"),
    ("https://p.example?{a}", "https://p.example?1"), ("https://p.example/x", "https://p.example/x"),
    ("https://p.example/{feed}/{a}", "https://p.example/planet/1"),
    ("http://127.0.0.1:8080/{a}", "http://127.0.0.1:8080/1"), ("https://[::1]/{a}", "https://[::1]/1"),
    ("https://p.example/{{{a}}}", "https://p.example/{1}"),
    ("https://p.example/{a}#top", "https://p.example/1"),
  ])
  func `a template is filled`(url: String, filled: String) throws {
    #expect(try address(url, [("a", "1"), ("b", "2"), ("feed", "moon")]) == filled)
  }

  @Test(arguments: [
    ("https://p.example/{a}", "."), ("https://p.example/{a}", ".."), ("https://p.example/x/{a}/y", ".."),
    ("https://p.example/{a}?q", ".."), ("https://p.example/.{a}", "."), ("https://p.example/{a}.", "."),
    ("https://p.example/%2E{a}/x", "."), ("https://p.example/{a}%2e", "."), ("https://p.example/{a}", ""),
    ("https://p.example/{a}/x", ""), ("https://p.example/x.{a}", ""),
    ("https://p.example/x/{a}.mp3", "../../etc"), ("https://p.example/x/{a}.mp3", "..\\..\\etc"),
    ("https://p.example/x/{a}", "y/.."), ("https://p.example/x/{a}/z", "..;v=1"),
    ("https://p.example/x/{a}/z", "%2e%2E"), ("https://p.example/x/{a}/z", "%252e."),
    ("https://p.example/x/{a}.mp3", "%2E%2e%2Fetc/y"),
    ("https://p.example/x/{a}.mp3", "%25252e%25252e%25252fy"),
    ("https://p.example/x/%2{a}/y", "e%2e"), ("https://p.example/x?f=podcasts/{a}", "../../etc/passwd"),
    ("https://p.example/x?f=podcasts/{a}/y", ".."), ("https://p.example/x?f={a}", "a%2f..%5Cb"),
  ])
  func `a value that would lead elsewhere in the path is refused`(url: String, value: String) throws {
    let feed = try pushed(url: url)

    #expect(throws: PushProblem.unusableValue(key: "a", feed: feed.name)) {
      try pushedAsset(payload([("a", value)]), feed: feed)
    }
  }

  @Test(arguments: [
    ("https://p.example/x?q={a}", ".."), ("https://p.example/x?q={a}", ""), ("https://p.example/{a}", "..."),
    ("https://p.example/{a}x", ".."), ("https://p.example/x?from=../y&q={a}", "1"),
    ("https://p.example/x/{a}", "100%"), ("https://p.example/x/{a}", "%zz../y"),
  ])
  func `one that leads nowhere else is not`(url: String, value: String) throws {
    #expect(try address(url, [("a", value)]) != nil)
  }

  @Test func `of two values the one that makes the dots is named`() throws {
    let feed = try pushed(url: "https://p.example/{b}/{a}/x")

    #expect(throws: PushProblem.unusableValue(key: "a", feed: feed.name)) {
      try pushedAsset(payload([("b", "x"), ("a", "..")]), feed: feed)
    }
  }

  @Test func `a value has at most 256 bytes, however it came`() throws {
    let feed = try pushed(url: standard)

    #expect(try address(standard, [("content-id", String(repeating: "x", count: 256))]) != nil)
    #expect(throws: PushProblem.unusableValue(key: "content-id", feed: feed.name)) {
      try pushedAsset(payload([("content-id", String(repeating: "x", count: 257))]), feed: feed)
    }
  }

  @Test func `an address has at most 4096 bytes`() throws {
    let feed = try pushed(url: "https://p.example/" + String(repeating: "{a}", count: 6))

    #expect(try pushedAsset(payload([("a", String(repeating: "/", count: 200))]), feed: feed) != nil)
    #expect(throws: PushProblem.self) {
      try pushedAsset(payload([("a", String(repeating: "/", count: 256))]), feed: feed)
    }
  }

  @Test func `a payload without the value is refused`() throws {
    let url = try pushed(url: standard)
    let description = try pushed(url: "https://p.example/x", description: "Episode {number}")

    #expect(throws: PushProblem.missingValue(key: "content-id", feed: url.name)) {
      try pushedAsset(payload(), feed: url)
    }
    #expect(throws: PushProblem.missingValue(key: "number", feed: url.name)) {
      try pushedAsset(payload(), feed: description)
    }
  }

  @Test(arguments: [
    "{base}/x", "{scheme}://p.example/x", "https://{host}/x", "https://p.example{host}/x",
    "https://p.example:{port}/x", "https://{user}@p.example/x", "https://me@p.example/{base}", "/x",
    "ftp://p.example/{base}",
  ])
  func `a template that no configuration lets through leads nowhere`(url: String) throws {
    for value in ["https://evil.example", "evil.example", "1", "@evil.example", ".evil.example"] {
      let values = ["base", "scheme", "host", "port", "user"].map { ($0, value) }
      let filled = try? address(url, values)

      // Where it gives an address at all, it is on the server that stands there.
      #expect(filled.flatMap { $0 }?.contains("evil") != true)
    }
  }

  @Test(
    arguments: [
      ("Podcast Episode {content-id}", "Podcast Episode 42"), ("{feed}: {title}", "planet: T"),
      ("{empty}", "42.mp3"), ("  ", "42.mp3"), (nil, "42.mp3"),
    ] as [(String?, String)])
  func `the file is called by the description, else by the name in its address`(
    template: String?, text: String
  )
    throws
  {
    let feed = try pushed(url: standard, description: template)
    let values = [("content-id", "42"), ("title", "\u{1B}[1mT\u{202E}"), ("empty", "")]

    #expect(try pushedAsset(payload(values), feed: feed)?.description == text)
  }

  @Test func `without a template there is no file, whatever the payload says`() throws {
    #expect(try pushedAsset(payload(), feed: pushed()) == nil)
    #expect(try pushedAsset(payload(), feed: pushed(description: "{x}")) == nil)
  }
}

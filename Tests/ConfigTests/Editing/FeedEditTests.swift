// Adding and removing feeds in the text of a configuration: each form that a person may have written.

import Config
import Core
import Testing

/// A feed to add.
func newFeed(_ name: String, tags: [String] = []) throws -> NamedSubscription {
  NamedSubscription(
    name: try #require(FeedName(name)),
    subscription: Subscription(url: "https://new.example/\(name)", tags: tags))
}

/// A text with one more feed.
func added(_ feed: NamedSubscription, to text: String) throws -> String {
  String(decoding: try adding([feed], to: Array(text.utf8)), as: UTF8.self)
}

/// A text without a feed.
func removed(_ name: String, from text: String) throws -> String {
  String(decoding: try removing(#require(FeedName(name)), from: Array(text.utf8)), as: UTF8.self)
}

@Suite struct FeedAdditionTests {
  @Test(arguments: [
    // The last line, with a comment behind it.
    (
      "feeds:\n  a: https://a.example/ # a\n",
      "feeds:\n  a: https://a.example/ # a\n  new: https://new.example/new\n"
    ),
    // The indentation of the others, before the next key.
    (
      "feeds:\n    a: https://a.example/\n\n# Hooks\nhooks: {}\n",
      "feeds:\n    a: https://a.example/\n    new: https://new.example/new\n\n# Hooks\nhooks: {}\n"
    ),
    // Keys that are commented out stay with their feed; feeds that are commented out come later.
    (
      "feeds:\n  a:\n    url: https://a.example/\n    #minimum-interval: 1h\n  #b: https://b.example/\n",
      "feeds:\n  a:\n    url: https://a.example/\n    #minimum-interval: 1h\n  new: https://new.example/new\n  #b: https://b.example/\n"
    ),
    // No line end at the end.
    ("feeds:\n  a: https://a.example/", "feeds:\n  a: https://a.example/\n  new: https://new.example/new"),
    (
      "feeds:\r\n  a: https://a.example/\r\n",
      "feeds:\r\n  a: https://a.example/\r\n  new: https://new.example/new\r\n"
    ),
    (
      "\u{FEFF}feeds:\n  a: https://a.example/\n",
      "\u{FEFF}feeds:\n  a: https://a.example/\n  new: https://new.example/new\n"
    ),
    // No feed yet.
    ("feeds: {} # none\nhooks: {}\n", "feeds: # none\n  new: https://new.example/new\nhooks: {}\n"),
    ("feeds:\nhooks: {}\n", "feeds:\n  new: https://new.example/new\nhooks: {}\n"),
    ("feeds: ~\n", "feeds:\n  new: https://new.example/new\n"),
    ("feeds: { }\n", "feeds:\n  new: https://new.example/new\n"),
    // No key yet.
    ("", "feeds:\n  new: https://new.example/new\n"),
    ("# mine\n", "# mine\n\nfeeds:\n  new: https://new.example/new\n"),
    ("hooks: {}", "hooks: {}\n\nfeeds:\n  new: https://new.example/new\n"),
    // In braces.
    (
      "feeds: {a: https://a.example/}\n", "feeds: {a: https://a.example/, new: \"https://new.example/new\"}\n"
    ),
    (
      "{\"feeds\": {\"a\": \"https://a.example/\"}}\n",
      "{\"feeds\": {\"a\": \"https://a.example/\", new: \"https://new.example/new\"}}\n"
    ),
    (
      "feeds: {\n  a: https://a.example/ # a\n}\n",
      "feeds: {\n  a: https://a.example/, new: \"https://new.example/new\" # a\n}\n"
    ),
    (
      "feeds: {\n  a: https://a.example/,\n}\n",
      "feeds: {\n  a: https://a.example/, new: \"https://new.example/new\",\n}\n"
    ),
    // The last value is a block of lines, or an alias.
    (
      "feeds:\n  a:\n    url: https://a.example/\n    notify:\n      body: |\n        x\n\nhooks: {}\n",
      "feeds:\n  a:\n    url: https://a.example/\n    notify:\n      body: |\n        x\n  new: https://new.example/new\n\nhooks: {}\n"
    ),
    (
      "x-a: &a {url: https://a.example/}\nfeeds:\n  é: *a\n".replacing("é", with: "a"),
      "x-a: &a {url: https://a.example/}\nfeeds:\n  a: *a\n  new: https://new.example/new\n"
    ),
  ])
  func `a feed comes after the last one, and the rest stays`(before: String, after: String) throws {
    let text = try added(newFeed("new"), to: before)

    #expect(text == after)
    #expect(reading(text).settings?.feeds.map(\.name.text).last == "new", "\(problems(text))")
  }

  @Test func `tags make the feed a mapping`() throws {
    let text = try added(newFeed("new", tags: ["linux", "größe"]), to: "feeds:\n  a: https://a.example/\n")

    #expect(text.hasSuffix("  new: {url: \"https://new.example/new\", tags: [linux, \"größe\"]}\n"))
    #expect(reading(text).settings?.feeds.all.last?.tags == ["linux", "größe"])
  }

  @Test(arguments: [
    "hooks: [", "{hooks: {}}\n", "x: &f {a: https://a.example/}\nfeeds: *f\n",
    "feeds:\n  ? a\n  : https://a.example/\n", "feeds: &f {a: https://a.example/}\n",
  ])
  func `a text that cannot be edited safely is refused`(text: String) throws {
    let feed = try newFeed("new")

    #expect(throws: Refusal.self) { try added(feed, to: text) }
  }
}

@Suite struct FeedRemovalTests {
  @Test(arguments: [
    ("feeds:\n  a: x # a\n  b: y\n  c: z\n", "feeds:\n  b: y\n  c: z\n", "a"),
    ("feeds:\n  a: x\n  b:\n    url: y\n\n    tags: [t]\n  c: z\n", "feeds:\n  a: x\n  c: z\n", "b"),
    ("feeds:\n  a: x\n  \"c\": z", "feeds:\n  a: x", "c"),
    ("feeds:\r\n  a: x\r\n  c: z", "feeds:\r\n  a: x", "c"),
    ("# note\r\nfeeds:\n  a: x\n  c: z", "# note\r\nfeeds:\n  a: x", "c"),
    ("# note\nfeeds:\r\n  a: x\r\n  c: z", "# note\nfeeds:\r\n  a: x", "c"),
    ("feeds:\n  a: x # note\nhooks: {}\n", "feeds:\nhooks: {}\n", "a"),
    // The only feed, and no line end at the end.
    ("feeds:\n  a: x", "feeds:", "a"),
    ("hooks: {}\r\nfeeds:\r\n  a:\r\n    url: x\r\n    # note", "hooks: {}\r\nfeeds:", "a"),
    ("feeds:\n  a: x\n  #old: z\nhooks: {}\n", "feeds:\n  #old: z\nhooks: {}\n", "a"),
    ("feeds:\n  #old: z\n  a: x\n", "feeds:\n  #old: z\n", "a"),
    // A comment directly above goes with its feed …
    ("feeds:\n  # One.\n  # Two.\n  a: x\n\n  b: y\n", "feeds:\n\n  b: y\n", "a"),
    ("feeds:\n  a: x\n  # B.\n  b: y\n", "feeds:\n  a: x\n", "b"),
    ("feeds:\n  # A.\n  a: x\n  # B.\n  b: y\n", "feeds:\n  # B.\n  b: y\n", "a"),
    // … unless it is a heading of more feeds, apart from it, or a key that is commented out.
    ("feeds:\n  # News\n  a: x\n  b: y\n", "feeds:\n  # News\n  b: y\n", "a"),
    ("feeds:\n  # Apart.\n\n  a: x\n\n  b: y\n", "feeds:\n  # Apart.\n\n\n  b: y\n", "a"),
    ("feeds:\n  a: x\n  #old: z\n  b: y\n", "feeds:\n  a: x\n  #old: z\n", "b"),
    // Lines that are indented deeper belong to the feed.
    ("feeds:\n  a:\n    url: x\n    #tags: []\n  b: y\n", "feeds:\n  b: y\n", "a"),
    ("feeds: {a: x, b: y, c: z}\n", "feeds: {b: y, c: z}\n", "a"),
    ("feeds: {a: x, b: y, c: z}\n", "feeds: {a: x, c: z}\n", "b"),
    ("feeds: {a: x, b: y, c: z}\n", "feeds: {a: x, b: y}\n", "c"), ("feeds: {a: x,}\n", "feeds: {}\n", "a"),
    ("feeds: { a: x } # a\n", "feeds: {} # a\n", "a"),
    ("feeds: {\n  a: x,\n  b: y # b\n}\n", "feeds: {\n  a: x # b\n}\n", "b"),
    ("feeds: {\n  a: x,\n  b: y, # b\n}\n", "feeds: {\n  b: y, # b\n}\n", "a"),
  ])
  func `exactly one feed goes`(before: String, after: String, name: String) throws {
    let complete = { (text: String) in
      ["x", "y", "z"].reduce(text) { $0.replacing(": \($1)", with: ": https://\($1).example/") }
    }

    let text = try removed(name, from: complete(before))

    #expect(text == complete(after))
    #expect(reading(text).settings?.feeds.contains { $0.name.text == name } == false, "\(problems(text))")
  }

  @Test(arguments: [
    "feeds:\n  a: https://a.example/\n",
    "feeds: {\n  a: https://a.example/, # whose?\n  b: https://b.example/\n}\n",
  ])
  func `a feed that is not in the text, or has a comment between braces, is refused`(text: String) {
    #expect(throws: Refusal.self) { try removed("b", from: text) }
  }

  @Test func `a file says whether it has a feed`() throws {
    let text = Array("feeds: {a: https://a.example/}\nhooks: {b: {}}\n".utf8)

    #expect(hasFeed(try #require(FeedName("a")), in: text))
    #expect(!hasFeed(try #require(FeedName("b")), in: text))
  }
}

// A new name of a feed in the text of a configuration.

import Config
import Core
import Testing

@Suite struct FeedRenamingTests {
  private func renamed(_ former: String, _ name: String, in text: String) throws -> String {
    let rename = FeedRename(try #require(FeedName(former)), try #require(FeedName(name)))
    return String(decoding: try renaming(rename, in: Array(text.utf8)), as: UTF8.self)
  }

  @Test(arguments: [
    ("feeds:\n  # A.\n  a: x # a\n  b: y\n", "feeds:\n  # A.\n  new: x # a\n  b: y\n"),
    ("feeds:\r\n  \"a\": {url: x, title: a}\r\n", "feeds:\r\n  \"new\": {url: x, title: a}\r\n"),
    ("\u{FEFF}feeds: {'a' : x, aa: y}", "\u{FEFF}feeds: {'new' : x, aa: y}"),
    ("# ä a\nfeeds:\n  ? a\n  : x\n", "# ä a\nfeeds:\n  ? new\n  : x\n"),
    // Lists of feeds, wherever they are; tags, globs and other texts stay.
    (
      "hooks:\n  a:\n    run: [a]\n    feeds: [a, \"@a\", 'a', \"a*\"]\nfeeds: {a: {url: a, tags: [a]}}\n",
      "hooks:\n  a:\n    run: [a]\n    feeds: [new, \"@a\", 'new', \"a*\"]\nfeeds: {new: {url: a, tags: [a]}}\n"
    ),
    (
      "outputs:\n  a:\n    feeds:\n    - b\n    - a # a\n",
      "outputs:\n  a:\n    feeds:\n    - b\n    - new # a\n"
    ),
    ("hooks: {b: {feeds: &f [a]}, c: {feeds: *f}}\n", "hooks: {b: {feeds: &f [new]}, c: {feeds: *f}}\n"),
    ("x-feeds: {a: x}\ndefaults: {tags: [a]}\n", "x-feeds: {a: x}\ndefaults: {tags: [a]}\n"),
    ("", ""),
  ])
  func `the name of a feed changes, and the rest stays`(before: String, after: String) throws {
    #expect(try renamed("a", "new", in: before) == after)
    #expect(try renamed("new", "a", in: after) == before)
  }

  @Test func `a name that YAML would read as something else gets quotes`() throws {
    #expect(try renamed("a", "12", in: "feeds: {a: x}\n") == "feeds: {\"12\": x}\n")
  }

  @Test(arguments: ["feeds: [", "feeds:\n  \"\\x61\": x\n"])
  func `a text that cannot be edited safely is refused`(text: String) {
    #expect(throws: Refusal.self) { try renamed("a", "new", in: text) }
  }

  @Test(arguments: ["", "state: {postgres: dbname=bgfetch}\n"])
  func `the name of a feed is the only difference, also where machines share the state`(more: String) throws {
    let text =
      more
      + "hooks: {say: {events: [new-item], run: [/bin/say], feeds: [a, b]}}\nfeeds: {a: https://a.example/, b: https://b.example/}\n"
    let (former, name) = (try #require(FeedName("a")), try #require(FeedName("new")))
    let before = try #require(reading(text).settings)
    let after = try #require(reading(try renamed("a", "new", in: text)).settings)

    func isOnly(_ rename: FeedRename?) -> Bool {
      differ(before, after, onlyByAdding: [name], removing: [former], renaming: rename)
    }
    #expect(isOnly(FeedRename(former, name)))
    #expect(!isOnly(nil))
  }
}

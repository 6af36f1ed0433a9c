// Pages whose text is watched: when there is an item, and its content.

import Core
import Testing

@Suite struct PageChangeTests {
  private let now = Instant(secondsSince1970: 1_800_000_000)

  private func page(_ lines: [String], title: String? = "Harbour") -> ParsedFeed {
    var item = ParsedItem()
    item.content = pageContent(lines)
    var feed = ParsedFeed(format: .page)
    feed.title = title
    feed.items = [item]
    return feed
  }

  private func change(
    _ lines: [String], since former: String?, limit: Int64 = 64 << 10, at moment: Instant? = nil
  ) -> ParsedItem? {
    pageChange(
      page(lines), since: FormerPage(number: 1, content: former), limit: ByteCount(limit), at: moment ?? now)?
      .items.first
  }

  @Test func `the first text is an item without a difference`() throws {
    let first = pageChange(page(["a", "b"]), since: nil, limit: ByteCount(1 << 16), at: now)

    let item = try #require(first?.items.first)
    #expect(item.title == "Harbour")
    #expect(item.content == "<pre>a\nb</pre>")
    #expect(item.summary == nil)
    #expect(item.published == now)
  }

  @Test func `the same text is not an item`() {
    let lines = ["<b> & \"q\" 'x'", "&amp; &lt;pre&gt;", "</pre><pre>"]

    #expect(change(lines, since: pageContent(lines)) == nil)
  }

  @Test(arguments: ["\u{600}<a> \u{600}& b>", "\u{301}a", "a\u{600}", "<\u{301}>\u{301}&\u{301}"])
  func `a sign that joins the characters beside it changes no text`(line: String) throws {
    let first = try #require(change([line], since: nil))

    #expect(first.content == pageContent([line]))
    #expect(change([line], since: first.content) == nil)
    #expect(change([line], since: pageContent(["before"]))?.title == "Harbour: " + line)
  }

  @Test func `a change says which lines, and keeps the whole text for the next one`() throws {
    let first = try #require(change(["a", "late", "c"], since: pageContent(["a", "on <time>", "c"])))

    #expect(first.title == "Harbour: late")
    #expect(first.summary == "- on &lt;time&gt;\n+ late")
    #expect(first.content == "<pre>- on &lt;time&gt;\n+ late</pre><hr><pre>a\nlate\nc</pre>")
    #expect(change(["a", "late", "c"], since: first.content) == nil)
    #expect(change(["a", "c"], since: first.content)?.title == "Harbour: removed: late")
  }

  @Test func `a page that changes back is news again`() throws {
    let there = try #require(change(["b"], since: pageContent(["a"])))
    let back = try #require(change(["a"], since: there.content, at: now + .hours(1)))
    let again = try #require(change(["b"], since: back.content, at: now + .hours(2)))

    #expect(Set([there.id, back.id, again.id]).count == 3)
  }

  @Test func `without the stored text the page itself is the item`() {
    #expect(change(["a"], since: nil)?.content == "<pre>a</pre>")
    #expect(change(["a"], since: "<p>something else</p>")?.title == "Harbour: a")
  }

  @Test func `the text is compared as far as it is stored`() throws {
    let lines = (0..<1000).map { "line \($0)" }
    let first = try #require(change(lines, since: nil, limit: 4000)?.content)

    #expect(first.utf8.count <= 4000)
    #expect(change(lines + ["more"], since: first, limit: 4000) == nil)
    let replaced = try #require(change(["new"] + lines, since: first, limit: 4000))
    #expect((replaced.content?.utf8.count ?? .max) <= 4000)
    #expect(change(["new"] + lines, since: replaced.content, limit: 4000) == nil)
  }

  @Test(
    arguments: [
      (["a", "b", "c"], ["a", "b", "c", "d"], "+ d"), (["a", "b"], ["b"], "- a"),
      (["a", "b", "c", "d", "e"], ["a", "x", "c", "d", "y"], "- b\n+ x\n\n- e\n+ y"),
      (["a", "a", "b"], ["a", "b", "b"], "- a\n+ b"), ([], ["a"], "+ a"), (["x"], [], "- x"),
    ])
  func `a difference has the lines of each place`(old: [String], new: [String], text: String) {
    #expect(change(new, since: pageContent(old))?.summary == text)
  }

  @Test func `a long difference is cut after whole lines, and a longer one is not compared line by line`()
    throws
  {
    let old = (0..<3000).map { "old \($0)" }
    let new = (0..<3000).map { "new \($0)" }

    let summary = try #require(change(new, since: pageContent(old))?.summary)

    #expect(summary.hasPrefix("- old 0\n- old 1\n"))
    #expect(summary.hasSuffix(" more changed lines"))
    #expect(summary.utf8.count <= 16 << 10)
  }

  @Test func `each change is a new item, whatever came before`() throws {
    var spec = try feed()
    spec.kind = .html(HTMLMapping())
    var known: [KnownItem] = []
    var state = FeedState()
    var former: FormerPage?
    for step in 0..<12 {
      let moment = now + .hours(Int64(step))
      let document = try #require(
        pageChange(page(["line \(step % 3)"]), since: former, limit: ByteCount(1 << 16), at: moment))
      let found = classify(document, known: known, feed: spec, state: state, at: moment)
      #expect(found.newItems.count == 1)
      #expect(found.announcedItems.count == (step == 0 ? 0 : 1))
      let record = try #require(found.newItems.first)
      known.append(
        KnownItem(
          number: Int64(step + 1), keys: record.keys, published: record.published, editHash: record.editHash,
          postponedEdit: nil, updatedAt: nil, isFiltered: false))
      former = FormerPage(number: Int64(step + 1), content: record.details?.content)
      (state.hasBaseline, state.lastSuccess) = (true, moment)
    }
  }

  @Test func `an unchanged page keeps its newest item`() {
    let found = classifyUnchanged(FormerPage(number: 7, content: "x"), state: FeedState())

    #expect(found.recognised == [7])
    #expect(found.count == 0)
  }
}

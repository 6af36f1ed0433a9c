// Pages whose text is watched: when there is an item, and its content.

import Core
import Testing

@Suite struct PageChangeTests {

  private func page(_ lines: [String], title: String? = "Harbour") -> ParsedFeed {
    let item = with(ParsedItem()) { $0.content = pageContent(lines) }
    return with(ParsedFeed(format: .page)) { ($0.title, $0.items) = (title, [item]) }
  }

  private func pageContent(_ lines: [String]) -> String {
    var content = PageContent()
    for line in lines { content.add(line: line.utf8) }
    return content.text
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

  @Test func `the same text is not an item, without the stored text the page itself is one`() {
    let lines = ["<b> & \"q\" 'x'", "&amp; &lt;pre&gt;", "</pre><pre>"]

    #expect(change(lines, since: pageContent(lines)) == nil)
    #expect(change(["a"], since: nil)?.content == "<pre>a</pre>")
    #expect(change(["a"], since: "<p>something else</p>")?.title == "Harbour: a")
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

  /// A page of which about half can be kept.
  private let lines = (0..<1000).map { "line \($0)" }

  private func first(_ lines: [String], limit: Int64 = 4000) throws -> String {
    let content = try #require(change(lines, since: nil, limit: limit)?.content)
    #expect(content.utf8.count <= limit)
    return content
  }

  @Test func `a page longer than what is kept is compared to its end, also under another limit`() throws {
    let content = try first(lines)

    #expect(content.contains(" more lines, compared but not kept ["))
    #expect(change(lines, since: content, limit: 4000) == nil)
    #expect(change(lines, since: content, limit: 64 << 10) == nil)
    #expect(change(lines, since: try first(lines, limit: 64 << 10), limit: 1024) == nil)
  }

  @Test(
    arguments: [
      ("a line is replaced at the end", 999..<1000, ["new"]),
      ("lines come at the end", 1000..<1000, ["new", "more"]), ("lines go at the end", 990..<1000, []),
      ("a line is replaced in the middle", 500..<501, ["new"]), ("all but ten lines go", 10..<1000, []),
      ("everything is another page", 0..<1000, ["a", "b"]),
    ] as [(String, Range<Int>, [String])], [4000, 1024] as [Int64])
  func `a change beyond what is kept is news, and the words do not claim more`(
    change: (name: String, range: Range<Int>, new: [String]), limit: Int64
  ) throws {
    var changed = lines
    changed.replaceSubrange(change.range, with: change.new)

    let item = try #require(self.change(changed, since: first(lines, limit: limit), limit: limit))

    #expect(
      item.title?.contains(change.range.lowerBound < 100 ? "Harbour: " : "something changed after line ")
        == true)
    #expect(item.summary?.contains(" lines before, ") == true)
    #expect((item.content?.utf8.count ?? .max) <= limit)
    #expect(self.change(changed, since: item.content, limit: limit) == nil)
    #expect(self.change(lines, since: item.content, limit: limit) != nil)
  }

  @Test func `a change in the kept part of a long page is exact, and nothing seems to move out of it`() throws
  {
    let content = try first(lines)
    let longer = try #require(change(["new"] + lines, since: content, limit: 4000))
    let shorter = try #require(change(Array(lines.dropFirst(3)), since: content, limit: 4000))

    #expect(longer.summary == "+ new")
    #expect(shorter.summary == "- line 0\n- line 1\n- line 2")
    #expect(change(["new"] + lines, since: longer.content, limit: 4000) == nil)
  }

  @Test func `a page that grows beyond what can be kept shows its new lines`() throws {
    let short = Array(lines.prefix(10))

    let grown = try #require(change(lines, since: first(short), limit: 4000))
    let back = try #require(change(short, since: grown.content, limit: 4000))

    #expect(grown.summary?.hasPrefix("+ line 10\n+ line 11\n") == true)
    #expect(back.summary?.contains("- line 10\n") == true)
  }

  @Test func `changes at both sides of the end are both told`() throws {
    var changed = lines
    changed[3] = "three"
    changed[999] = "last"

    let item = try #require(change(changed, since: first(lines), limit: 4000))

    #expect(item.title == "Harbour: three")
    #expect(item.summary?.hasPrefix("- line 3\n+ three\n\nsomething changed after line ") == true)
  }

  @Test func `a text that looks like a note about more lines is text`() throws {
    let note = "… and 5 more lines, compared but not kept [0]"
    let content = try first([note, "<p>\(note)</p>"])

    #expect(change([note, "<p>\(note)</p>"], since: content) == nil)
    #expect(change([note], since: content)?.summary == "- &lt;p&gt;\(note)&lt;/p&gt;")
  }

  @Test(arguments: [
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
    let spec = with(try feed()) { $0.kind = .html(HTMLMapping()) }
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
      known.append(KnownItem(record, number: Int64(step + 1)))
      former = FormerPage(number: Int64(step + 1), content: record.details?.content)
      state.hasBaseline = true
      state.lastSuccess = moment
    }
  }

  @Test func `an unchanged page keeps its newest item`() {
    let found = classifyUnchanged(FormerPage(number: 7, content: "x"), state: FeedState())

    #expect(found.recognised == [7])
    #expect(found.count == 0)
  }
}

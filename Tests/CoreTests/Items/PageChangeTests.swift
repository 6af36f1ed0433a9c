// Pages whose text is watched: when there is an item, and its content.

import Testing

@testable import Core

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
    _ lines: [String], since former: String?, at moment: Instant? = nil
  ) -> ParsedItem? {
    pageChange(page(lines), since: FormerPage(number: 1, content: former), at: moment ?? now)?.items.first
  }

  @Test func `the first text is an item without a difference`() throws {
    let first = pageChange(page(["a", "b"]), since: nil, at: now)

    let item = try #require(first?.items.first)
    #expect(item.title == "Harbour")
    #expect(item.content == "<pre>a\nb</pre>")
    #expect(item.change == nil)
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
    #expect(first.difference == "- on &lt;time&gt;\n+ late")
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

  @Test(arguments: [
    (["a", "b", "c"], ["a", "b", "c", "d"], "+ d"), (["a", "b"], ["b"], "- a"),
    (["a", "b", "c", "d", "e"], ["a", "x", "c", "d", "y"], "- b\n+ x\n\n- e\n+ y"),
    (["a", "a", "b"], ["a", "b", "b"], "- a\n+ b"), ([], ["a"], "+ a"), (["x"], [], "- x"),
  ])
  func `a difference has the lines of each place`(old: [String], new: [String], text: String) {
    #expect(change(new, since: pageContent(old))?.difference == text)
  }

  @Test func `a long difference is cut after whole lines, and a longer one is not compared line by line`()
    throws
  {
    let old = (0..<3000).map { "old \($0)" }
    let new = (0..<3000).map { "new \($0)" }

    let difference = try #require(change(new, since: pageContent(old))?.difference)

    #expect(difference.hasPrefix("- old 0\n- old 1\n"))
    #expect(difference.hasSuffix(" more changed lines"))
    #expect(difference.utf8.count <= 16 << 10)
  }

  @Test(
    arguments: [Interval.zero, .seconds(1), .hours(1)], IdentityRule.allCases)
  func `each change is a new item, whatever came before`(interval: Interval, identity: IdentityRule) throws {
    let spec = with(try feed()) { ($0.kind, $0.identity) = (.html(HTMLMapping()), identity) }
    var state = FeedState()
    var former: FormerPage?
    var ids: Set<String> = []
    var moment = now
    for step in 0..<12 {
      let document = with(page(["line \(step % 3)"])) { $0.items[0].link = "https://harbour.example/" }
      let found = classifyPage(document, since: former, feed: spec, state: state, at: moment)
      #expect(found.newItems.count == 1)
      #expect(found.announcedItems.count == (step == 0 ? 0 : 1))
      let record = try #require(found.newItems.first)
      ids.insert(try #require(record.guid))
      former = FormerPage(number: Int64(step + 1), content: record.details?.content)
      state.hasBaseline = true
      state.lastSuccess = moment
      state.identity = found.identity
      moment = moment + interval
    }
    #expect(ids.count == 12)
  }

  @Test(
    arguments: [
      ("the configured title", "Warnings", "Harbour", nil, ["x"], "Warnings: x"),
      ("the page's title", nil, "Harbour", nil, ["x"], "Harbour: x"),
      ("the name of a text without a title", nil, nil, nil, ["x"], "planet: x"),
      (
        "the first line that the filter wants", "Warnings", nil, "WARN", ["x", "WARN y", "WARN z"],
        "Warnings: WARN y"
      ),
      ("an added line before a removed one", "Warnings", nil, "old|new", ["x", "new"], "Warnings: new"),
      ("a removed line", "Warnings", nil, "old", ["x"], "Warnings: removed: old"),
    ] as [(String, String?, String?, String?, [String], String)])
  func `a change is titled by the configuration, the page or the name, and by the line that counts`(
    row: String, configured: String?, own: String?, pattern: String?, lines: [String], title: String
  ) throws {
    let feed = with(try feed()) {
      ($0.kind, $0.title) = (.html(HTMLMapping()), configured)
      if let pattern { $0.filter.include = [ItemCondition(any: pattern)] }
    }
    let former = FormerPage(number: 1, content: pageContent(["old"]))

    let found = classifyPage(page(lines, title: own), since: former, feed: feed, state: FeedState(), at: now)

    #expect(found.newItems.first?.title == title, "\(row)")
  }

  @Test func `an unchanged page keeps its newest item`() throws {
    let former = FormerPage(number: 7, content: pageContent(["a"]))
    let feed = with(try feed()) { $0.kind = .html(HTMLMapping()) }

    let found = classifyPage(page(["a"]), since: former, feed: feed, state: FeedState(), at: now)

    #expect(found.recognised == [7])
    #expect(found.articles.isEmpty)
    #expect(found.newItems.isEmpty)
  }

  // MARK: Messages

  private func numbered(_ count: Int, _ word: String = "line") -> [String] {
    (0..<count).map { "\(word) \($0)" }
  }

  @Test(
    arguments: [
      ("one line", ["On time"], ["Late"], ["- On time", "+ Late"]),
      ("only order", ["a", "b"], ["b", "a"], nil),
      ("two places", ["a", "x", "b"], ["c", "x", "d"], ["- a", "+ c", "- b", "+ d"]),
      ("words like signs", ["+ a", "- b"], ["+ a"], ["- - b"]), ("all is gone", ["a"], [], ["- a"]),
    ] as [(String, [String], [String], [String]?)])
  func `a message has the changed lines`(name: String, old: [String], new: [String], told: [String]?) throws {
    let change = try #require(change(new, since: pageContent(old))?.change)

    let lines = change.message.split(separator: "\n").map(String.init)
    if let told { #expect(lines == told) } else { #expect(lines.count == 2) }
    #expect(change.lines == lines)
  }

  @Test func `a message has ten lines, of both kinds, and says how many more there are`() throws {
    let replaced = try #require(
      change(numbered(300, "new"), since: pageContent(numbered(300, "old")))?.change)
    let added = try #require(change(numbered(12), since: pageContent([]))?.change)
    let mostlyAdded = try #require(change(numbered(12), since: pageContent(["old"]))?.change)

    let both = (0..<5).map { "- old \($0)" } + (0..<5).map { "+ new \($0)" }
    #expect(replaced.message == (both + ["… and 590 more changed lines"]).joined(separator: "\n"))
    #expect(replaced.lines.count == 600)
    #expect(added.message.hasSuffix("\n+ line 9\n… and 2 more changed lines"))
    #expect(mostlyAdded.message.hasPrefix("- old\n+ line 0\n"))
    #expect(mostlyAdded.message.hasSuffix("\n+ line 8\n… and 3 more changed lines"))
  }

  @Test func `a long line is cut where it differs`() throws {
    let start = String(repeating: "word ", count: 100)

    let change = try #require(change([start + "late"], since: pageContent([start + "on time"]))?.change)

    let told = change.message.split(separator: "\n").map(String.init)
    #expect(told.count == 2)
    #expect(told[0].hasPrefix("- … word "))
    #expect(told[0].hasSuffix(" word on time"))
    #expect(told[1].hasPrefix("+ … word "))
    #expect(told[1].hasSuffix(" word late"))
    #expect(told[1].utf8.count < 100)
    #expect(change.lines == ["- " + start + "on time", "+ " + start + "late"])
  }

  @Test func `in ten thousand lines only those are told that changed`() throws {
    let old = numbered(10_000)
    var new = old
    new.insert("first", at: 0)
    new[9_000] = "changed"
    let moved = Array(old[5000...]) + old[..<5000]
    let doubled = old.flatMap { [$0, "Buy"] }
    let without = Array(doubled[2...].dropLast(2))

    func told(_ new: [String], _ old: [String]) -> String? {
      change(new, since: pageContent(old))?.change?.message
    }

    #expect(told(new, old) == "+ first\n- line 8999\n+ changed")
    #expect(told(moved, old) == "the order of the lines changed")
    #expect(told(without, doubled) == "- line 0\n- Buy\n- Buy\n- line 9999")
  }

  @Test func `hostile text in a message cannot leave its line`() throws {
    let change = try #require(
      change(["\u{1B}]0;x\u{7}a\u{202E}b\nc", "<b>&amp;"], since: pageContent([]))?.change)

    #expect(change.message == "+ ab c\n+ <b>&amp;")
  }

  // MARK: Changes that count

  @Test(
    arguments: [
      ("additions, of an addition", .added, "", ["a"], ["a", "b"], ["+ b"]),
      ("additions, of a removal", .added, "", ["a", "b"], ["a"], nil),
      ("additions, of both", .added, "", ["a"], ["b"], ["+ b"]),
      ("removals, of both", .removed, "", ["a"], ["b"], ["- a"]),
      ("removals, of an addition", .removed, "", ["a"], ["a", "b"], nil),
      ("a word that disappears", nil, "^- .*sold out", ["sold out"], ["12 €"], ["- sold out", "+ 12 €"]),
      ("a word that appears", nil, "^- .*sold out", ["12 €"], ["sold out"], nil),
      ("any line", nil, "€", ["x"], ["y", "12 €"], ["- x", "+ y", "+ 12 €"]),
    ] as [(String, LineChange?, String, [String], [String], [String]?)])
  func `only some changes are items, and the text is kept of all`(
    name: String, only: LineChange?, pattern: String, old: [String], new: [String], told: [String]?
  ) throws {
    let text = with(ItemCondition()) { $0.patterns = [.text: [pattern]] }
    let feed = with(try feed()) {
      $0.kind = .html(with(HTMLMapping()) { $0.onlyChanges = only })
      if !pattern.isEmpty { $0.filter.include = [text] }
    }
    let former = FormerPage(
      number: 7, content: "<pre>+ z</pre><hr>" + pageContent(old), summary: "+ z")

    let found = classifyPage(page(new), since: former, feed: feed, state: FeedState(), at: now)

    if let told {
      let item = try #require(found.newItems.first)
      #expect(item.summary?.split(separator: "\n").map(String.init) == told)
    } else {
      #expect(found.newItems.isEmpty)
      #expect(found.filtered == 1)
      #expect(found.recognised == [7])
      let kept = try #require(found.articles[7])
      #expect(kept.details?.content == "<pre>+ z</pre><hr>" + pageContent(new))
      #expect(kept.summary == "+ z")
      let again = FormerPage(number: 7, content: kept.details?.content)
      let next = classifyPage(page(new), since: again, feed: feed, state: FeedState(), at: now)
      #expect(next.filtered == 0)
    }
  }

  @Test func `the first text is no change, so no filter leaves it out`() throws {
    let feed = with(try feed()) {
      $0.kind = .html(HTMLMapping())
      $0.filter.include = [ItemCondition(any: "never")]
    }

    let found = classifyPage(page(["a"]), since: nil, feed: feed, state: FeedState(), at: now)

    #expect(found.newItems.map(\.isFiltered) == [false])
  }
}

extension ParsedItem {
  /// The changed lines in the content, as HTML.
  fileprivate var difference: String? {
    content.flatMap(changedLines(ofContent:)).map { String($0.dropFirst("<pre>".count)) }
  }
}

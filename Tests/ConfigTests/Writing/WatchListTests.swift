// Lists of urlwatch and webchanges.

import Config
import Core
import Testing

@Suite struct WatchListTests {
  /// The entries of a list as short texts: `line: url selector -ignored /lines/`, or the remark.
  private func read(_ text: String) throws(SubscriptionListFailure) -> [String] {
    try readWatchList(Array(text.utf8)).map { entry in
      switch entry {
      case .feed(let feed, let line):
        ([
          "\(line): \(feed.url)\(feed.command)", feed.title ?? "-", feed.watched ?? "no page", feed.ignored,
        ] + feed.ignoredLines).joined(separator: "|")
      case .remark(let remark): "\(remark.line): \(remark.kind.text)"
      }
    }
  }

  @Test func `each document is a page, with its name`() throws {
    let entries = try read(
      """
      # comment
      name: "A: page"
      url: "https://a.example/"
      filter:
        - css: main
        - html2text
      ---
      kind: url
      url: https://b.example/
      ---
      ---
      - url: https://c.example/
      - {url: "https://d.example/", name: D}
      """)

    #expect(
      entries == [
        "2: https://a.example/[]|A: page|main|", "8: https://b.example/[]|-||",
        "12: https://c.example/[]|-||",
        "13: https://d.example/[]|D||",
      ])
  }

  @Test(arguments: [
    ("[{element-by-id: news}]", "#news|"), ("[{element-by-class: a b}]", ".a.b|"),
    ("[{element-by-tag: {tag: main}}]", "main|"), ("[{css: {selector: .x, exclude: .ads}}]", ".x|.ads"),
    ("[{element-by-id: a}, {css: \"li > b\"}, strip]", "#a li > b|"), ("css:main,html2text", "main|"),
    ("[{grepi: \"^[0-9]+ views$\"}, {grepi: {re: ads}}]", "||^[0-9]+ views$|ads"),
    ("[html2text, beautify]", "|"),
    ("[]", "|"),
  ])
  func `a filter is a selector or a pattern`(filter: String, written: String) throws {
    #expect(
      try read("url: https://a.example/\nfilter: \(filter)\n") == ["1: https://a.example/[]|-|" + written])
  }

  @Test(arguments: [
    (
      "filter: [{grep: Sale}]",
      "1: imported without grep Sale; write filter: {include: {text: …}} for the lines that count"
    ),
    ("filter: [sort]", "1: imported without sort; all lines are watched; see html: {ignore-lines: […]}"),
    ("filter: [{grepi: '(?!a)'}]", "1: imported without grepi (?!a); write other html: {ignore-lines: […]}"),
    ("ssl_no_verify: true", "1: imported without ssl_no_verify"),
    ("headers: {A: b}", "1: imported without headers"),
    ("additions_only: true", "1: imported without additions_only; write html: {only: added}"),
  ])
  func `what a page is watched without is named`(line: String, remark: String) throws {
    let entries = try read("url: https://a.example/\n\(line)\n")

    #expect(entries.count == 2)
    #expect(entries.last == remark)
  }

  @Test(arguments: [
    ("url: https://a.example/\nfilter: [{xpath: //h1}]", "xpath //h1"),
    ("url: https://a.example/\nfilter: [{shellpipe: wc}]", "filter shellpipe"),
    ("url: https://a.example/\nfilter: [{css: \"a:hover\"}]", "the selector a:hover"),
    ("url: https://a.example/\nfilter: [{css: \"a, b\"}, {css: c}]", "the selector a, b c"),
    ("navigate: https://a.example/?key=geheim", "https://a.example/?key=*** needs a browser"),
    ("url: https://a.example/\nuse_browser: yes", "https://a.example/ needs a browser"),
    ("url: https://a.example/\ndata: {a: b}", "it sends a body"),
    ("command: ls | wc", "command: needs a shell"),
    ("name: nothing", "it has no address"),
  ])
  func `what cannot be watched is left out, with the reason`(job: String, reason: String) throws {
    let entries = try read(job + "\n")

    #expect(entries.count == 1)
    #expect(entries.first?.hasPrefix("1: left out: " + reason) == true, "\(entries)")
  }

  @Test func `a command without a shell is watched`() throws {
    #expect(try read("command: df -h /\n") == [#"1: ["df", "-h", "/"]|-||"#])
  }

  @Test(arguments: ["url: [", "url: a\n  b: c: d\n", "url: \u{7}\n"])
  func `a list that is not YAML names the line`(text: String) {
    #expect {
      _ = try read(text)
    } throws: { error in
      (error as? SubscriptionListFailure)?.text.hasPrefix("is not YAML (line ") == true
    }
  }

  @Test func `a billion laughs end`() {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1...9 {
      text +=
        "a\(level): &a\(level) [" + (0..<10).map { _ in "*a\(level - 1)" }.joined(separator: ", ") + "]\n"
    }
    #expect(throws: SubscriptionListFailure.self) { try read(text + "url: https://a.example/\n") }
  }
}

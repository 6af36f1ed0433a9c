// Lists of urlwatch and webchanges.

import Config
import Core
import Testing

@Suite struct WatchListTests {
  /// The entries of a list as short texts: `line: the feed's line in the configuration`, or `line: the remark`.
  private func read(_ text: String) throws(SubscriptionListFailure) -> [String] {
    try readWatchList(Array(text.utf8)).map { entry in
      switch entry {
      case .feed(let subscription, let line):
        let feed = FeedName("x").map { NamedSubscription(name: $0, subscription: subscription) }
        return "\(line): " + feedsText(feed.map { [$0] } ?? []).split(separator: "\n").dropFirst().joined()
      case .remark(let remark): return "\(remark.line): \(remark.kind.text)"
      }
    }
  }

  /// The keys of a job beside its address and kind, and the remark on it.
  private func job(_ lines: String, url: String = "https://a.example/") throws -> (
    written: String, said: String
  ) {
    let entries = try read("url: \(url)\n\(lines)\n")
    let feed = entries.first { !$0.hasPrefix("1: left out") && !$0.hasPrefix("1: imported") } ?? ""
    let said = entries.first { $0.hasPrefix("1: left out") || $0.hasPrefix("1: imported") } ?? ""
    let keys = feed.replacing("1:   x: {url: \"\(url)\", ", with: "").replacing("kind: html", with: "")
    return (
      keys.hasSuffix("}") ? String(keys.dropLast().drop { $0 == "," || $0 == " " }) : keys,
      String(said.dropFirst(3))
    )
  }

  /// Whether the feed of a job makes a configuration without mistakes.
  private func isReadable(_ lines: String) throws -> Bool {
    let entries = try readWatchList(Array("url: https://a.example/\n\(lines)\n".utf8))
    let feeds = entries.compactMap { entry -> NamedSubscription? in
      guard case .feed(let subscription, _) = entry, let name = FeedName("x") else { return nil }
      return NamedSubscription(name: name, subscription: subscription)
    }
    return reading(feedsText(feeds)).settings != nil
  }

  @Test(arguments: [("false", true), ("true", false)])
  func `a job that is not enabled is paused`(value: String, isPaused: Bool) throws {
    let entries = try readWatchList(Array("url: https://a.example/\nenabled: \(value)\n".utf8))

    guard case .feed(let subscription, _)? = entries.first else {
      Issue.record("no feed: \(value)")
      return
    }
    #expect(subscription.isPaused == isPaused, "\(value)")
  }

  @Test func `each document is a page, with its name`() throws {
    let entries = try read(
      """
      # comment
      name: "A: page"
      url: "https://a.example/"
      tags: [Ferries, 新闻]
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
        #"2:   x: {url: "https://a.example/", title: "A: page", tags: [Ferries, "新闻"], kind: html, html: {text: main}}"#,
        #"9:   x: {url: "https://b.example/", kind: html}"#,
        #"13:   x: {url: "https://c.example/", kind: html}"#,
        #"14:   x: {url: "https://d.example/", title: D, kind: html}"#,
      ])
  }

  /// Every directive of urlwatch 2.25 and webchanges 3.37, with what is written for it and what is said.
  static let directives: [(line: String, written: String, said: String)] = [
    ("headers: {Accept-Language: de, X-A: \"1\"}", "headers: {Accept-Language: de, X-A: \"1\"}", ""),
    ("user_agent: Me/1", "headers: {User-Agent: Me/1}", ""),
    ("cookies: {a: b, c: d e}", "headers: {Cookie: \"a=b; c=d e\"}", ""),
    ("data: {a: b c, d: ü}", "body: \"a=b%20c&d=%C3%BC\"", ""),
    ("data: a=b", "body: a=b", ""),
    ("method: POST\ndata: a", "body: a", ""),
    ("data: {a: 1, b: [c]}\ndata_as_json: true", "body: {a: 1, b: [c]}", ""),
    ("method: GET", "", ""),
    ("timeout: 30", "network: {timeout: \"30s\"}", ""),
    ("proxy: http://p.example:3128", "network: {proxy: \"http://p.example:3128\"}", ""),
    ("http_proxy: http://p.example:3128", "", ""),
    ("https_proxy: http://p.example:3128", "network: {proxy: \"http://p.example:3128\"}", ""),
    ("max_tries: 5", "notify: {failures: 5}", ""),
    ("suppress_errors: true", "notify: {failures: 0}", ""),
    ("enabled: false", "", ""),
    ("enabled: true", "", ""),
    ("additions_only: true", "html: {only: added}", ""),
    ("deletions_only: true", "html: {only: removed}", ""),
    ("deletions_only: false", "", ""),
    ("comparison_filter: additions", "html: {only: added}", ""),
    (
      "timeout: 30\nproxy: http://p.example:3128",
      "network: {proxy: \"http://p.example:3128\", timeout: \"30s\"}", ""
    ),
    ("ssl_no_verify: true", "", "ssl_no_verify"),
    ("ssl_no_verify: false", "", ""),
    ("ignore_https_errors: true", "", "ignore_https_errors"),
    ("ignore_dh_key_too_small: true", "", "ignore_dh_key_too_small"),
    ("ignore_connection_errors: true", "", "ignore_connection_errors"),
    ("ignore_timeout_errors: true", "", "ignore_timeout_errors"),
    ("ignore_too_many_redirects: true", "", "ignore_too_many_redirects"),
    ("ignore_http_error_codes: 404, 5xx", "", "ignore_http_error_codes"),
    ("ignore_cached: true", "", "ignore_cached"),
    ("no_conditional_request: true", "", "no_conditional_request"),
    ("encoding: latin1", "", "encoding"),
    ("no_redirects: true", "", "no_redirects"),
    ("initialization_url: https://a.example/x", "", "initialization_url"),
    ("impersonate: chrome", "", "impersonate"),
    (
      "fingerprints: {ja3: x}", "", "fingerprints"
    ),
    ("diff_tool: wdiff", "", "diff_tool"),
    ("differ: {name: table}", "", "differ"),
    ("diff_filter: [{grep: x}]", "", "diff_filter"),
    ("diff_filters: [{grep: x}]", "", "diff_filters"),
    ("compared_versions: 3", "", "compared_versions"),
    ("note: call Ada", "", "note"),
    ("user_visible_url: https://b.example/", "", "user_visible_url"),
    ("url_for_human: https://b.example/", "", "url_for_human"),
    ("referer: https://b.example/", "", "referer"),
    ("wait_until: load", "", "wait_until"),
    ("contextlines: 3\nindex_number: 1\nguid: x\nkind: url\nstderr: fail", "", ""),
    ("is_markdown: true\nmarkdown_padded_tables: true\nmonospace: true", "", ""),
    ("http_client: requests\nhttp_version: 2\nretries: 3\nsame_site_delay: 1", "", ""),
    ("suppress_error_ended: true\nsuppress_repeated_errors: true\nempty_as_transient: true", "", ""),
    ("treat_new_as_changed: true\nhook_data: x", "", ""),
    ("use_browser: false", "", ""),
    ("filter: css:main,html2text,grepi:ads", "html: {text: main, ignore-lines: [ads]}", ""),
    ("filter: html2text", "", ""),
  ]

  @Test(arguments: directives)
  func `a directive is written as a key, or named with the reason`(
    line: String, written: String, said: String
  )
    throws
  {
    let job = try job(line)

    #expect(try isReadable(line), "\(line)")
    #expect(job.written == written, "\(line)")
    #expect(job.said == (said.isEmpty ? "" : "imported without " + said), "\(line)")
  }

  /// Every filter of urlwatch 2.25 and webchanges 3.37 that does not leave a job out.
  static let filters: [(filter: String, written: String, said: String)] = [
    ("{css: main}", "html: {text: main}", ""), ("{element-by-id: news}", "html: {text: \"#news\"}", ""),
    ("{element-by-class: a b}", "html: {text: \".a.b\"}", ""),
    ("{element-by-tag: {tag: main}}", "html: {text: main}", ""),
    ("{element-by-style: \"color:red\"}", #"html: {text: "[style=\"color:red\"]"}"#, ""),
    ("{css: {selector: .x, exclude: .ads}}", "html: {text: \".x\", ignore: \".ads\"}", ""),
    (
      "{css: {selector: p, method: xml, maxitems: 1}}", "html: {text: p}",
      "css maxitems"
    ),
    ("{element-by-id: a}, {css: \"li > b\"}, strip", "html: {text: \"#a li > b\"}", ""),
    (
      "{grepi: \"^[0-9]+ views$\"}, {grepi: {re: ads}}", "html: {ignore-lines: [\"^[0-9]+ views$\", ads]}", ""
    ),
    ("{delete_lines_containing: 1+1?}", #"html: {ignore-lines: ["1\\+1\\?"]}"#, ""),
    ("{delete_lines_containing: {text: a.b}}", #"html: {ignore-lines: ["a\\.b"]}"#, ""),
    ("{delete_lines_containing: {re: a.b}}", "html: {ignore-lines: [a.b]}", ""),
    ("{grep: Sale}", "filter: {include: {text: Sale}}", ""),
    ("{grep: ^Price|^Cost}", "", "grep ^Price|^Cost"),
    ("{grep: ^Price}", "filter: {include: {text: \"^[-+] Price\"}}", ""),
    ("{grep: \"^[^a]\"}", "filter: {include: {text: \"^[-+] [^a]\"}}", ""),
    ("{grep: \"-\"}", "filter: {include: {text: \"^[-+] .*(?:-)\"}}", ""),
    ("{grep: \"[^a-z]\"}", "filter: {include: {text: \"^[-+] .*(?:[^a-z])\"}}", ""),
    ("{grep: \"-10 %\"}", "filter: {include: {text: \"-10 %\"}}", ""),
    ("{keep_lines_containing: a.b}", #"filter: {include: {text: "a\\.b"}}"#, ""),
    ("{grep: a}, {grep: b}", "filter: {include: {text: a}}", "grep b"),
    (
      "{grep: a}, {css: main}", "html: {text: main}, filter: {include: {text: a}}",
      "the order of grep and css"
    ),
    (
      "{grepi: a}, {element-by-id: b}", "html: {text: \"#b\", ignore-lines: [a]}",
      "the order of grepi and element-by-id"
    ),
    ("{css: main}, {grep: a}", "html: {text: main}, filter: {include: {text: a}}", ""),
    ("{grepi: \"(?!a)\"}", "", "grepi (?!a)"),
    ("{grepi: \"<b>\"}", "", "grepi <b>"),
    ("html2text, beautify, strip, striplines, absolute_links, pretty-xml, format-xml", "", ""),
    ("{strip_each_line: x}", "", ""),
    ("sort", "", "sort"), ("reverse", "", "reverse"),
    ("{re.sub: a}", "", "re.sub"), ("{re.findall: a}", "", "re.findall"),
    ("{between: {start: a, end: b}}", "", "between"), ("sha1sum", "", "sha1sum"),
    ("sha256sum", "", "sha256sum"), ("remove_repeated", "", "remove_repeated"),
    ("remove-duplicate-lines", "", "remove-duplicate-lines"),
    ("format-json", #"command: [jq, "."]"#, ""),
    ("{format-json: {indentation: 2}}", #"command: [jq, "."]"#, ""),
    ("jsontoyaml", #"command: [jq, "."]"#, ""), ("format-json, {jq: .a}", #"command: [jq, ".a"]"#, ""),
    ("pdf2text", "command: [pdftotext, \"-\", \"-\"]", ""),
    ("pypdf", "command: [pdftotext, \"-\", \"-\"]", ""),
    ("{execute: tr a b}", "command: [tr, a, b]", ""),
    ("{shellpipe: {command: wc -l}}", "command: [wc, -l]", ""),
    ("{execute: tr a b}, {css: main}", "command: [tr, a, b], html: {text: main}", ""),
  ]

  @Test(arguments: filters)
  func `a filter is written as a key, or named with the reason`(filter: String, written: String, said: String)
    throws
  {
    let job = try job("filter: [\(filter)]")

    #expect(try isReadable("filter: [\(filter)]"), "\(filter)")
    let keys = job.written.replacing(", ,", with: ",")
    #expect(keys == written || keys == written + ", ", "\(filter)")
    #expect(job.said == (said.isEmpty ? "" : "imported without " + said), "\(filter)")
  }

  @Test(arguments: [
    ("headers: {Host: b.example}", "headers.Host (header \"Host\" is set by bgfetch itself)"),
    ("timeout: 0", "network.timeout ("), ("timeout: soon", "network.timeout ("),
    ("max_tries: many", "notify.failures ("), ("max_tries: \"3}, x: {\"", "notify.failures ("),
    ("filter: [{css: {selector: a, exclude: \"a:hover\"}}]", "html.ignore ("),
  ])
  func `a value that a configuration cannot have is named, not written`(line: String, said: String) throws {
    let job = try job(line)

    #expect(try isReadable(line), "\(line)")
    #expect(job.said.hasPrefix("imported without " + said), "\(job)")
  }

  @Test func `parts that are missing are in one line for each job`() throws {
    #expect(
      try job("encoding: x\nssl_no_verify: true\nsomething: new").said
        == "imported without encoding, ssl_no_verify, something")
  }

  @Test func `parameters belong to the address`() throws {
    #expect(
      try read("url: https://a.example/?x=1\nparams: {q: a b}\n")
        == [#"1:   x: {url: "https://a.example/?x=1&q=a%20b", kind: html}"#])
  }

  /// Filters and directives with which bgfetch cannot watch a page.
  @Test(arguments: [
    ("url: https://a.example/\nfilter: [{xpath: //h1}]", "xpath //h1"),
    ("url: https://a.example/\nfilter: [{shellpipe: \"a | b\"}]", "shellpipe: needs a shell"),
    ("url: https://a.example/\nfilter: [{execute: {command: \"$x\"}}]", "execute: needs a shell"),
    ("url: https://a.example/\nfilter: [html2text, {execute: wc}]", "filter execute after others"),
    ("url: https://a.example/\nfilter: [{css: a}, format-json]", "filter format-json after others"),
    ("command: ls\nfilter: [{shellpipe: wc}]", "filter shellpipe after others"),
    ("url: https://a.example/\nfilter: [{pdf2text: {password: a}}]", "filter pdf2text"),
    ("url: https://a.example/\nfilter: [{csv2text: a}]", "filter csv2text"),
    ("url: https://a.example/\nfilter: [ical2text]", "filter ical2text"),
    ("url: https://a.example/\nfilter: [ocr]", "filter ocr"),
    ("url: https://a.example/\nfilter: [hexdump]", "filter hexdump"),
    ("url: https://a.example/\nfilter: [ascii85]", "filter ascii85"),
    ("url: https://a.example/\nfilter: [base64]", "filter base64"),
    ("url: https://a.example/\nfilter: [my-own]", "filter my-own"),
    ("url: https://a.example/\nfilter: [{css: {selector: a, namespaces: {b: c}}}]", "css with namespaces"),
    ("url: https://a.example/\nfilter: [{css: \"a:hover\"}]", "the selector a:hover"),
    ("url: https://a.example/\nfilter: [{css: \"a, b\"}, {css: c}]", "the selector a, b c"),
    ("navigate: https://a.example/?key=geheim", "https://a.example/?key=*** needs a browser"),
    ("url: https://a.example/\nuse_browser: yes", "https://a.example/ needs a browser"),
    ("use_browser: yes\nurl: https://a.example/", "https://a.example/ needs a browser"),
    ("url: https://a.example/\nkind: browser", "https://a.example/ needs a browser"),
    ("url: https://a.example/\nkind: mine", "kind mine is a program in hooks.py"),
    ("url: https://a.example/\nmethod: PUT", "method PUT: requests are GET, or POST with data"),
    ("url: https://a.example/\nmethod: POST", "method POST: requests are GET, or POST with data"),
    ("url: https://a.example/\nmethod: PUT\ndata: a", "method PUT: requests are GET, or POST with data"),
    ("command: ls | wc", "command: needs a shell"), ("name: nothing", "it has no address"),
  ])
  func `what cannot be watched is left out, with the reason`(job: String, reason: String) throws {
    let entries = try read(job + "\n")

    #expect(entries.count == 1)
    #expect(entries.first?.hasPrefix("1: left out: " + reason) == true, "\(entries)")
  }

  @Test func `a command without a shell is watched`() throws {
    #expect(try read("command: df -h /\n") == ["1:   x: {command: [df, -h, /], kind: html}"])
  }

  @Test(arguments: ["url: [", "url: a\n  b: c: d\n", "url: \u{7}\n"])
  func `a list that is not YAML names the line`(text: String) {
    #expect {
      _ = try read(text)
    } throws: { error in
      (error as? SubscriptionListFailure)?.text.hasPrefix("is not YAML (line ") == true
    }
  }

  @Test func `the settings of urlwatch are no list`() {
    #expect(throws: SubscriptionListFailure.other("a file of settings")) {
      try read("display: {new: true}\njob_defaults:\n  all: {}\n  url: {timeout: 5}\n")
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

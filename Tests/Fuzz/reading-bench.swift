// Measures how fast hostile documents are read, and the memory that this takes, in multiples of the document.
// `scripts/bench-reading` starts a process for each document, with its name.

import Core
import Formats
import Glibc

/// A hostile document, and how it is read.
private struct Nasty {
  let name: String
  var start = ""
  let piece: String
  var end = ""
  var address = "https://a.example/feed"
  var kind = FeedKind.feed
  var include: [String] = []
  var exclude: [String] = []
  var isList = false

  func document(_ size: Int) -> [UInt8] {
    var bytes = Array(start.utf8)
    bytes.reserveCapacity(size + 4096)
    let parts = piece.utf8.split(separator: UInt8(ascii: "#"), omittingEmptySubsequences: false)
    var number = 0
    while bytes.count < size {
      bytes += parts.count == 1 ? Array(parts[0]) : Array(parts.joined(separator: String(number).utf8))
      number += 1
    }
    bytes += end.utf8
    return bytes
  }
}

private func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

private let longBase = "https://a.example/" + times(1980, "a/")

private func mapping(_ items: [String], _ parts: [JSONMapping.Part: [String]]) -> FeedKind {
  func pointers(_ texts: [String]) -> [JSONPointer] { texts.compactMap { try? JSONPointer(parsing: $0) } }
  return .json(
    JSONMapping(items: pointers(items), parts: parts.mapValues { pointers($0).map(JSONSource.pointer) }))
}

private func page(_ items: String, _ parts: [JSONMapping.Part: String] = [:]) -> FeedKind {
  .html(
    HTMLMapping(
      items: try? SelectorList(parsing: items), parts: parts.compactMapValues { try? PageValue(parsing: $0) })
  )
}

private let stars = Dictionary(
  uniqueKeysWithValues: JSONMapping.Part.allCases.map { ($0, ["/*", "/*/*", "/a/*", "/a/*/*", "/b/0"]) })

private let family: [Nasty] = [
  Nasty(
    name: "plain", start: "<rss><channel>",
    piece: "<item><title>A title #</title><link>https://a.example/#</link><description>"
      + times(30, "Some words of text. ") + "</description></item>", end: "</channel></rss>"),
  Nasty(
    name: "base-references", start: "<feed xml:base=\"\(longBase)\"><entry>", piece: "<link href=\"#\"/>",
    end: "</entry></feed>"),
  Nasty(
    name: "base-enclosures", start: "<rss xml:base=\"\(longBase)\"><channel>",
    piece: "<item>" + (0..<60).map { "<enclosure url=\"#\($0)\"/>" }.joined() + "</item>",
    end: "</channel></rss>"),
  Nasty(
    name: "base-up", start: "<rss xml:base=\"\(longBase)\"><channel>",
    piece: "<item><link>../../#</link></item>",
    end: "</channel></rss>"),
  Nasty(
    name: "address-references", start: "<rss><channel>", piece: "<item><link>#</link></item>",
    end: "</channel></rss>", address: longBase + times(4000, "b/")),
  Nasty(name: "bases", start: "<rss><channel>", piece: "<a xml:base=\"b/\"><item><link>#</link></item></a>"),
  Nasty(
    name: "attributes", start: "<rss \(times(120, "xmlns:n#='u' "))><channel>",
    piece: "<item><link " + times(60, "x:href='a' ") + "/></item>", end: "</channel></rss>"),
  Nasty(
    name: "namespaces", start: "<rss><channel>", piece: "<a " + times(60, "xmlns:b='c' ") + "/>",
    end: "</channel></rss>"),
  Nasty(
    name: "stray-ends", start: "<rss><channel>" + times(250, "<a>"), piece: "</z>", end: ""),
  Nasty(
    name: "categories", start: "<rss><channel>",
    piece: "<item>" + (0..<250).map { "<category>same beginning of \($0)</category>" }.joined() + "</item>",
    end: "</channel></rss>"),
  Nasty(
    name: "accents", start: "<rss><channel>",
    piece: "<item>"
      + (0..<200).map { "<category>\($0 % 2 == 0 ? "é" : "e\u{301}")\(times(200, "é"))\($0)</category>" }
      .joined()
      + "</item>", end: "</channel></rss>"),
  Nasty(
    name: "enclosures", start: "<rss><channel><item>", piece: "<enclosure url=\"http://a/#\"/>",
    end: "</item></channel></rss>"),
  Nasty(name: "items", start: "<rss><channel>", piece: "<item/>", end: "</channel></rss>"),
  Nasty(
    name: "guids", start: "<rss><channel>", piece: "<item><guid>#</guid></item>", end: "</channel></rss>"),
  Nasty(
    name: "titles", start: "<rss><channel>",
    piece: "<item><title>#" + times(600, "&lt;zz") + "</title></item>"),
  Nasty(name: "one-title", start: "<rss><channel><item><title>", piece: "&lt;<b>x</b>&amp;&#x41;", end: ""),
  Nasty(
    name: "steering", start: "<rss><channel>",
    piece: "<item><link>#" + times(1000, "\u{85}") + "</link></item>"),
  Nasty(
    name: "blanks", start: "<rss><channel><item><link>x", piece: " ", end: "x</link></item></channel></rss>"),
  Nasty(name: "escapes", start: "<rss><channel><item><title>", piece: "\u{1B}]x\u{7}\u{1B}[1m", end: ""),
  Nasty(name: "utf16", start: "\u{FEFF}<rss><channel>", piece: "<item><title>a#</title></item>", end: ""),
  Nasty(
    name: "gb18030", start: "<?xml version='1.0' encoding='iso-8859-2'?><rss><channel><item><title>",
    piece: "\u{E9}x", end: ""),
  Nasty(
    name: "pointers", start: "[[", piece: "\"a#\",", end: "\"\"]]", kind: mapping(["", "/*"], stars)),
  Nasty(
    name: "pointer-arrays", start: "[", piece: "{\"a\":[[1],[\"x#\"]],\"b\":[3]},", end: "{}]",
    kind: mapping([""], stars)),
  Nasty(
    name: "assets", start: "[{\"id\":1,\"a\":[", piece: "\"/#\",", end: "\"\"]}]",
    kind: mapping([""], [.id: ["/id"], .assets: ["/a/*"]])),
  Nasty(
    name: "patterns", start: "<rss><channel>",
    piece: "<item><title>#" + times(400, "abcdefg h ") + "</title></item>",
    end: "</channel></rss>",
    include: ["(?i)breaking|urgent|release [0-9]+", "(x|y|z)+q"], exclude: ["foo.*bar$"]),
  Nasty(
    name: "long-pattern", start: "<rss><channel>",
    piece: "<item><title>#" + times(400, "abcdefg h ") + "</title></item>",
    end: "</channel></rss>",
    include: [(0..<500).map { "word\($0)" }.joined(separator: "|")]),
  Nasty(
    name: "short-categories", start: "<rss><channel>",
    piece: "<item>" + times(50, "<category>#</category>") + "</item>", end: "</channel></rss>",
    include: ["(a|b|c|d){900}", "\\w{500}x"]),
  Nasty(
    name: "page", start: "<main>",
    piece: "<article class=post><h2><a href=\"/#\">A title #</a></h2><p class=text>"
      + times(30, "Some words of text. ") + "</p></article>", kind: page("article.post", [.summary: ".text"])),
  Nasty(name: "page-nesting", piece: "<div>", kind: page("div div div > div", [.title: "div ~ p"])),
  Nasty(name: "page-attributes", start: "<p", piece: " a=#", end: ">x", kind: page("p[a]")),
  Nasty(name: "page-classes", piece: "<p class='a b c d e f g h'>x", kind: page(".h.g.f ~ .e + .d")),
  Nasty(name: "page-ends", start: times(500, "<b>"), piece: "</i></b><b>", kind: page("i")),
  Nasty(name: "page-lists", start: "<li><ul>" + times(60, "<i>"), piece: "<li></li>", kind: page("li")),
  Nasty(name: "page-text", piece: "<p>Line # of &amp; text</p>", kind: .html(HTMLMapping())),
  Nasty(
    name: "opml-nesting", start: "<opml>" + times(250, "<outline text='\(times(200, "folder "))'>"),
    piece: "<outline xmlUrl='http://a/#'/>", end: "", isList: true),
  Nasty(
    name: "opml-categories", start: "<opml>" + times(30, "<outline text='f\(times(30, "older "))'>"),
    piece: "<outline xmlUrl='http://a/#' category='a'/>", end: "", isList: true),
  Nasty(name: "opml-line", start: "<opml>", piece: "<outline/>", end: "", isList: true),
  Nasty(name: "newsboat-lines", start: "http://a/\n", piece: "\n", end: "", isList: true),
]

@main
struct ReadingBench {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let size = Int(arguments[2]),
      let nasty = family.first(where: { $0.name == arguments[1] })
    else {
      for nasty in family { print(nasty.name) }
      return
    }
    var document = nasty.document(size)
    if nasty.name == "utf16" {
      document =
        [0xFF, 0xFE]
        + String(decoding: document, as: UTF8.self).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }
    if nasty.name == "gb18030" { document = document.map { $0 == 0xC3 ? 0xE9 : $0 } }
    let before = memory()
    let begun = processorTime()
    if nasty.isList {
      let entries = (try? readSubscriptions(document)) ?? []
      let (read, readPeak) = (processorTime(), peak())
      let plan = importPlan(entries, takingFiles: true)
      let planned = processorTime() - read
      report(nasty.name, document.count, read - begun, planned, before, plan.feeds.count, readPeak)
      return
    }
    guard let feed = try? readFeed(document, as: nasty.kind, contentType: nil, address: nasty.address) else {
      return report(nasty.name, document.count, processorTime() - begun, 0, before, 0)
    }
    let read = processorTime()
    let readPeak = peak()
    guard let name = FeedName("a") else { return }
    var spec = FeedSpec(name: name, url: .plain("https://a.example/feed"))
    (spec.filter.include, spec.filter.exclude) = (nasty.include, nasty.exclude)
    let found = classify(feed, known: [], feed: spec, state: FeedState(), at: Instant(secondsSince1970: 0))
    report(
      nasty.name, document.count, read - begun, processorTime() - read, before, found.newItems.count, readPeak
    )
  }
}

private func report(
  _ name: String, _ size: Int, _ reading: Double, _ deciding: Double, _ before: Int, _ count: Int,
  _ readPeak: Int? = nil
) {
  func tenths(_ value: Double) -> String { String(Double(Int(value * 10)) / 10) }
  let fields = [
    name, "\(size >> 10) KiB", tenths(Double(size) / reading / 1e6) + " MB/s",
    tenths(Double((readPeak ?? peak()) - before) / Double(size)) + " x",
    "whole " + tenths(Double(size) / (reading + deciding) / 1e6) + " MB/s",
    tenths(Double(peak() - before) / Double(size)) + " x", "\(count)",
  ]
  print(fields.joined(separator: "\t"))
}

private func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The memory of this process in bytes, whose peak is forgotten.
private func memory() -> Int {
  if let file = fopen("/proc/self/clear_refs", "w") {
    fputs("5", file)
    fclose(file)
  }
  return statusBytes("VmRSS:")
}

/// The peak memory of this process in bytes, since `memory()`.
private func peak() -> Int { statusBytes("VmHWM:") }

private func statusBytes(_ key: String) -> Int {
  guard let file = fopen("/proc/self/status", "r") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  while fgets(&line, Int32(line.count), file) != nil {
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let words = text.split(whereSeparator: \.isWhitespace)
    if words.count > 1, words[0] == key, let count = Int(words[1]) { return count << 10 }
  }
  return 0
}

// Watching the text of a page: each change of it is an item that says which lines are new.
//
// The text itself is stored in the content of the newest item, after the changed lines, so that the next fetch can
// compare. The id contains the time, so that a page that changes back is a new item too.

/// The stored text that a page is compared with.
public struct FormerPage: Hashable, Sendable {
  /// The newest item of the feed.
  public var number: Int64
  /// Its content; nil if that is not stored any more.
  public var content: String?

  public init(number: Int64, content: String?) {
    self.number = number
    self.content = content
  }
}

/// The items of a page whose text is watched: one if the text has changed.
///
/// - Parameters:
///   - page: the page, with one item whose content `pageContent` made.
///   - former: the newest item; nil at the first fetch.
///   - limit: the most content to store of an item; only lines that fit into three quarters of it are compared.
///   - now: the time of the change.
/// - Returns: the page with one item, or nil if the text is the same.
public func pageChange(
  _ page: ParsedFeed, since former: FormerPage?, limit: ByteCount, at now: Instant
) -> ParsedFeed? {
  guard var item = page.items.first else { return nil }
  let lines = bounded(pageLines(ofContent: item.content ?? ""), bytes: Int(limit.bytes) / 4 * 3)
  let before = former?.content.map(pageLines)
  guard before != lines else { return nil }
  let title = page.title ?? item.title ?? "page"
  item.title = title
  item.content = pageContent(lines)
  if let before {
    let change = LineDifference(from: before, to: lines)
    if let line = change.firstAdded ?? change.firstRemoved {
      let verb = change.firstAdded == nil ? "removed: " : ""
      item.title = title + ": " + verb + graphemePrefix(of: line, limit: 200)
    }
    let summary = change.text(limit: min(Int(limit.bytes) / 5, 16 << 10))
    item.summary = escapedMarkup(summary)
    item.content = "<pre>" + escapedMarkup(summary) + "</pre><hr>" + pageContent(lines)
  }
  // Two changes may fall into one second.
  item.id = now.rfc3339 + "/" + String(former?.number ?? 0)
  item.published = now
  var result = page
  result.items = [item]
  return result
}

/// The classification of a page whose text is the same: its newest item stays, and nothing is new.
public func classifyUnchanged(_ page: FormerPage, state: FeedState) -> Classification {
  var result = Classification()
  result.identity = state.identity
  result.recognised = [page.number]
  return result
}

/// Lines of a page as the content of an item.
public func pageContent(_ lines: [String]) -> String {
  var content = PageContent()
  for line in lines { content.add(line) }
  return content.text
}

/// The content of an item, made of the lines of a page one by one: a page may have hundreds of thousands.
public struct PageContent {
  private var escaped = ""
  public private(set) var isEmpty = true

  public init() {}

  public mutating func add(_ line: String) {
    if !isEmpty { escaped += "\n" }
    escaped += escapedMarkup(line)
    isEmpty = false
  }

  /// The content so far.
  public var text: String { "<pre>" + escaped + "</pre>" }
}

/// The lines of a page in the content of an item; none if the content is something else.
func pageLines(ofContent content: String) -> [String] {
  // Bytes, because U+0600 and a `<` after it are one Character.
  let (whole, begin, end) = (content.utf8, "<pre>".utf8, "</pre>".utf8)
  // Escaped text contains no tag, so the last tag begins the page.
  guard whole.suffix(end.count).elementsEqual(end),
    let open = whole.dropLast(end.count).lastIndex(of: UInt8(ascii: "<")), whole[open...].starts(with: begin)
  else { return [] }
  let text = whole[open...].dropFirst(begin.count).dropLast(end.count)
  return text.split(separator: UInt8(ascii: "\n")).map { line in
    var plain = Array(line)
    for (escape, character) in [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
    ] {
      if plain.contains(UInt8(ascii: "&")) { plain = plain.replacing(escape.utf8, with: character.utf8) }
    }
    return String(decoding: plain, as: UTF8.self)
  }
}

/// The first lines that are not longer than the limit, as content.
private func bounded(_ lines: [String], bytes: Int) -> [String] {
  var left = bytes
  return Array(
    lines.prefix { line in
      left -= escapedMarkup(line).utf8.count + 1
      return left >= 0
    })
}

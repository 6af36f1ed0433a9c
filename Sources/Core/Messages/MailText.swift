// The text of mails, plain and as HTML: articles, and the items of a digest.

/// The width of plain text, with room for the marks of a reply.
let columns = 74

/// Text in lines of a mail: an address stays whole, and what belongs to an entry of a list is indented.
func inLines(_ text: String, _ columns: Int = columns) -> String {
  splitLines(text).flatMap { line in
    let margin = ["- ", "+ ", "  "].contains(line.prefix(2)) ? line.prefix(2) : ""
    let lines = wrapped(String(line.dropFirst(margin.count)), columns - margin.count)
    return [margin + lines[0]] + lines.dropFirst().map { (margin.isEmpty ? "" : "  ") + $0 }
  }.joined(separator: "\n")
}

extension StoredItem {
  /// The article as plain text, and then the addresses of its links; the summary if there is no article.
  func mailText(_ columns: Int) -> String {
    let article =
      record.details?.content.map { ArticleText(html: $0, numbersLinks: true, page: record.link) }
      ?? ArticleText(lines: inLines(record.summary ?? "", columns))
    let links = article.links.enumerated().map { "[\($0 + 1)] " + terminalSafeAddress($1) }
    return [article.text(columns), restNote ?? "", links.joined(separator: "\n")].filter { !$0.isEmpty }
      .joined(separator: "\n\n")
  }

  /// The article as markup without scripts; the summary if there is no article.
  var mailHTML: String {
    guard let content = record.details?.content else { return paragraph(record.summary ?? "") }
    return harmlessMarkup(content, showsImages: true) + "\n" + paragraph(restNote ?? "")
  }
}

/// A text as a paragraph of HTML with the same lines; empty for an empty text.
func paragraph(_ text: String) -> String {
  guard !text.isEmpty else { return "" }
  let lines = splitLines(text).map { escapedMarkup(String($0)) }
  return "<p>" + lines.joined(separator: "<br>\n") + "</p>\n"
}

/// A text as a link to a page, or the text alone if there is no page.
func linked(_ text: String, _ link: String) -> String {
  let text = escapedMarkup(text)
  return link.isEmpty ? text : "<a href=\"\(escapedMarkup(link))\">\(text)</a>"
}

/// Items under the titles of their feeds, then other messages, and numbers last.
struct NewsList {
  var items: [EventItem]
  /// The number of items in all; more than `items` if there are very many.
  var count: Int
  /// Other messages, such as `Planet is failing: …`, one line each.
  var messages: [String] = []
  /// The items with an article or a summary that is shown.
  var mailed: [StoredItem] = []

  /// The items of each feed, in the order of their newest items.
  private var feeds: [(title: String, items: [EventItem])] {
    items.grouped(by: \.feed).map { ($0[0].feedTitle, $0) }
  }

  private var mailedByNumber: [Int64: StoredItem] {
    Dictionary(mailed.map { ($0.number, $0) }) { first, _ in first }
  }

  /// The last line: `12 new in 4 feeds`.
  private func total(_ feeds: Int) -> String {
    let rest = count - items.count
    return "\(count) new in \(counted(feeds, "feed"))" + (rest > 0 ? ", \(rest) of them not listed" : "")
  }

  /// The list as plain text, in lines of a mail if `isMail`.
  func text(isMail: Bool) -> String {
    let (feeds, mailed) = (feeds, mailedByNumber)
    // Articles are in lines already, and code must not be wrapped.
    func wrapped(_ text: String, _ columns: Int = columns) -> String {
      isMail ? inLines(text, columns) : text
    }
    func entry(_ item: EventItem) -> String {
      let head = wrapped("- " + item.title + (item.link.isEmpty ? "" : "\n  " + item.link))
      let changes = item.changes.joined(separator: "\n")
      let text =
        changes.isEmpty ? mailed[item.number]?.mailText(columns - 2) ?? "" : wrapped(changes, columns - 2)
      guard !text.isEmpty else { return head }
      let lines = splitLines(text)
      return head + "\n\n" + lines.map { $0.isEmpty ? "" : "  " + $0 }.joined(separator: "\n") + "\n"
    }
    var parts = feeds.map { feed in
      ([wrapped(feed.title)] + feed.items.map(entry)).joined(separator: "\n")
    }
    if !messages.isEmpty { parts.append(wrapped(messages.joined(separator: "\n"))) }
    if count > 0 { parts.append(total(feeds.count)) }
    return parts.map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }.joined(separator: "\n\n")
  }

  /// The content of an HTML body; every text is escaped, and links are http or https.
  func html(in zone: Zone) -> String {
    let (feeds, mailed) = (feeds, mailedByNumber)
    var html = ""
    for feed in feeds {
      html += "<h2 style=\"font-size:1.1em;margin:1.2em 0 .3em\">\(escapedMarkup(feed.title))</h2>\n<ul>\n"
      for item in feed.items {
        let date = time(item.published, "%e %b, %H:%M", in: zone)
        let note = date.isEmpty ? "" : " <small style=\"opacity:.7\">\(date)</small>"
        let changes = paragraph(item.changes.joined(separator: "\n"))
        let text = changes.isEmpty ? mailed[item.number]?.mailHTML ?? "" : changes
        html += "<li>\(linked(item.title, item.link))\(note)\(text.isEmpty ? "" : "\n" + text)</li>\n"
      }
      html += "</ul>\n"
    }
    for message in messages { html += "<p>\(escapedMarkup(message))</p>\n" }
    if count > 0 { html += "<p style=\"opacity:.7\">\(total(feeds.count))</p>\n" }
    return html
  }
}

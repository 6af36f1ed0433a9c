// An HTML page of items and their articles, for a browser.
//
// The page has no script and requests nothing. Its Content-Security-Policy enforces that even if an escape is missing.

public import Core

/// Writes a page with the items of a publication and their articles, by feed.
///
/// - Parameters:
///   - publication: the items, newest first.
///   - zone: the zone of its dates.
/// - Returns: a complete HTML document.
public func newsPage(_ publication: Publication, in zone: Zone) -> String {
  var page = NewsPage(publication, zone)
  return page.written()
}

struct NewsPage {
  /// The maximum lengths of a title, an excerpt and the name of a file, in bytes.
  static let longestTitle = 300
  static let longestExcerpt = 320
  static let longestFileName = 120
  /// The maximum length of all articles of a page.
  static let longestArticles = 4 << 20

  private let publication: Publication
  private let zone: Zone
  private var output = ""
  /// How much room is left for articles.
  private var articlesLeft = longestArticles

  init(_ publication: Publication, _ zone: Zone) {
    (self.publication, self.zone) = (publication, zone)
  }

  mutating func written() -> String {
    // The feeds in the order of their newest items.
    let sections = publication.items.grouped(by: \.item.feed)
    addHead()
    addHeader(feedCount: sections.count)
    if sections.count > 1 { addIndex(sections) }
    output += "<main id=\"news\">\n"
    if sections.isEmpty {
      output +=
        "<p class=\"none\">\(publication.isUnseen ? "You have seen everything." : "No items yet.")</p>\n"
    }
    for (number, section) in sections.enumerated() { add(section, number: number + 1) }
    output += "</main>\n"
    addFooter(left: publication.total - publication.items.count)
    return output
  }

  // MARK: Frame

  private mutating func addHead() {
    output = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src \
      'sha256-\(NewsPageStyle.checksum)'; base-uri 'none'; form-action 'none'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <meta name="generator" content="bgfetch">
      <title>\(escaped(heading))</title>
      <style>\(NewsPageStyle.sheet)</style>
      </head>
      <body>
      <a class="skip" href="#news">Skip to the news</a>

      """
  }

  private var heading: String {
    publication.hasStandardTitle ? count : cleanText(publication.title, limit: Self.longestTitle)
  }

  /// How many items were selected, for example `12 new items`.
  private var count: String {
    if publication.total == 0 { return publication.isUnseen ? "Nothing new" : "No items" }
    return counted(publication.total, publication.isUnseen ? "new item" : "item")
  }

  private mutating func addHeader(feedCount: Int) {
    // Only the day, so that the page stays the same until something changes.
    let made = time(publication.updated, "%A %e %B %Y", in: zone).replacing("  ", with: " ")
    var parts: [String] = publication.hasStandardTitle ? [] : [count]
    if feedCount > 1 { parts.append("in \(feedCount) feeds") }
    let text = parts.isEmpty ? "" : parts.joined(separator: " ") + ", "
    output += "<header><h1 dir=\"auto\">\(escaped(heading))</h1><p>\(text)\(made)</p></header>\n"
  }

  private mutating func addIndex(_ sections: [[PublishedItem]]) {
    output += "<nav aria-label=\"Sections\"><ul>\n"
    for (number, section) in sections.enumerated() {
      output +=
        "<li><a href=\"#part-\(number + 1)\"><bdi lang=\"\">\(escaped(section[0].feed.title))</bdi> <b>\(section.count)</b></a></li>\n"
    }
    output += "</ul></nav>\n"
  }

  private mutating func addFooter(left: Int) {
    let more = left > 0 ? "\(counted(left, "older item")) \(left == 1 ? "is" : "are") not shown. " : ""
    output += "<footer>\(more)Made by bgfetch.</footer>\n</body>\n</html>\n"
  }

  // MARK: Sections

  /// Adds the items of a feed.
  private mutating func add(_ section: [PublishedItem], number: Int) {
    let title = escaped(section[0].feed.title)
    let link = webLink(section[0].feed.link)
    let heading =
      link.isEmpty ? title : "<a href=\"\(escaped(link))\" rel=\"noopener noreferrer\">\(title)</a>"
    output +=
      "<section id=\"part-\(number)\" aria-labelledby=\"title-\(number)\"><h2 id=\"title-\(number)\" dir=\"auto\" lang=\"\">\(heading)</h2>\n<ol>\n"
    for item in section { add(item) }
    output += "</ol>\n</section>\n"
  }

  // MARK: Items

  private mutating func add(_ published: PublishedItem) {
    let item = published.item
    let title = escaped(cleanText(itemTitle(item.record), limit: Self.longestTitle))
    let link = webLink(item.record.link)
    output += """
      <li class="item"><time datetime="\(item.date.rfc3339)">\(shortDate(item.date))</time><div>
      """
    output +=
      link.isEmpty
      ? "<span class=\"title\" dir=\"auto\" lang=\"\">\(title)</span>"
      : "<a class=\"title\" href=\"\(escaped(link))\" rel=\"noopener noreferrer\" dir=\"auto\" lang=\"\">\(title)</a>"
    let facts = [item.record.author ?? "", item.record.details?.duration?.playingTime ?? ""].filter {
      !$0.isEmpty
    }
    .map { "<bdi>\(escaped(cleanText($0, limit: Self.longestTitle)))</bdi>" }
    if !facts.isEmpty { output += "<p class=\"facts\" lang=\"\">\(facts.joined(separator: " · "))</p>" }
    addText(of: item)
    addFiles(of: published)
    output += "</div></li>\n"
  }

  /// Adds the excerpt, and the article if it says more: beside it if it is short.
  private mutating func addText(of item: StoredItem) {
    let excerpt = escaped(excerpt(of: item.record))
    let text = excerpt.isEmpty ? "" : "<span class=\"text\" dir=\"auto\" lang=\"\">\(excerpt)</span>"
    guard let content = item.record.details?.content, content.utf8.count <= articlesLeft else {
      return output += text
    }
    let changes = changedLines(ofContent: content)
    let start = plainText(fromHTML: content, limit: 2 * Self.longestExcerpt)
    let isShort = changes == nil && start.utf8.count <= Self.longestExcerpt
    var article = changes.map(marked) ?? markup(content)
    guard !isShort || hasParts(article) else { return output += text }
    if let note = item.restNote, changes == nil { article += "<p>\(escaped(note))</p>" }
    article = "<div class=\"article\" dir=\"auto\" lang=\"\">\(article)</div>"
    output +=
      isShort
      ? article
      : "<details><summary>\(text)<span class=\"more\">Read on</span><span class=\"less\">Close</span></summary>\(article)</details>"
  }

  /// Whether an article has what an excerpt loses.
  private func hasParts(_ article: String) -> Bool {
    let parts = ["<a ", "<li>", "<pre>", "<code>", "<td>", "<th>", "<dd>", "<blockquote>", "<br>"]
    return article.ranges(of: "<p").count > 1 || parts.contains(where: article.contains)
  }

  /// The changed lines of a watched page.
  private func marked(_ changes: String) -> String {
    let lines = ArticleText(html: changes, numbersLinks: false).text.split(separator: "\n").map { line in
      switch line.first {
      case "+": "<ins>\(escaped(String(line)))</ins>"
      case "-": "<del>\(escaped(String(line)))</del>"
      default: escaped(String(line))
      }
    }
    return "<pre>" + lines.joined(separator: "\n") + "</pre>"
  }

  /// The time of an item of today, else its day.
  private func shortDate(_ moment: Instant) -> String {
    String(Core.shortDate(moment, now: publication.updated, in: zone).drop { $0 == " " })
  }

  /// An article as harmless HTML.
  private mutating func markup(_ content: String) -> String {
    let markup = withoutControls(harmlessMarkup(content, showsImages: false))
    articlesLeft -= markup.utf8.count
    return markup
  }

  /// The beginning of the item's text, without markup; empty if the title says the same.
  private func excerpt(of item: ItemRecord) -> String {
    let text =
      item.summary
      ?? item.details?.content.map { plainText(fromHTML: $0, limit: 4 * Self.longestExcerpt) } ?? ""
    let whole = cleanText(text, limit: 4 * Self.longestExcerpt)
    let cut = cleanText(whole, limit: Self.longestExcerpt)
    if cut == itemTitle(item) || item.title?.isEmpty != false { return "" }
    guard cut.utf8.count < whole.utf8.count else { return cut }
    // Cut between two words, if there are words.
    let end = cut.lastIndex(of: " ") ?? cut.endIndex
    return cut[..<end] + " …"
  }

  private mutating func addFiles(of published: PublishedItem) {
    let files = (published.item.record.details?.enclosures ?? []).filter { !webLink($0.url).isEmpty }.prefix(
      5)
    let local = published.file.map { FileAddress(path: $0).text }
    guard !files.isEmpty || local != nil else { return }
    let links = (local.map { [$0] } ?? []) + files.map(\.url)
    let shown = links.map { url in
      let path = url == local ? published.file ?? "" : String(url.prefix { $0 != "?" && $0 != "#" })
      let name = cleanText(
        path.split(separator: "/").last.map(String.init) ?? "", limit: Self.longestFileName)
      let note = url == local ? " (on this machine)" : ""
      return "<a href=\"\(escaped(url))\" rel=\"noopener noreferrer\"><bdi>\(escaped(name))</bdi></a>\(note)"
    }
    output += "<p class=\"files\" lang=\"\">\(shown.joined(separator: " · "))</p>"
  }

  /// Text escaped for an element or a quoted attribute.
  private func escaped(_ text: String) -> String { escapedMarkup(withoutControls(text), for: .xml) }

  /// Without the characters that HTML forbids or that could reorder the text around them; lines stay.
  private func withoutControls(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.controlsTerminal) else { return text }
    let kept = text.unicodeScalars.filter { !$0.controlsTerminal || $0 == "\n" || $0 == "\t" }
    return String(String.UnicodeScalarView(kept))
  }
}

enum NewsPageStyle {
  /// The SHA-256 of `sheet` in Base64 (CSP Level 3 section 2.3.1); a test compares the two.
  static let checksum = "nW3ko4pyokRxBN7+EPl/OTWMhdiKfz2uTQpHynSyy/U="

  static let sheet = String(decoding: PackageResources.NewsPage_css, as: UTF8.self)
}

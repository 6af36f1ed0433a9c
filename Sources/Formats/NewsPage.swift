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
  static let checksum = "msx9oRU87mS+wMyqqdF3zy2+5UlZD0QLQyadOV7Pepo="

  static let sheet = """
    :root {
      color-scheme: light dark;
      --paper: #fcfbf8; --ink: #22211e; --soft: #6b6860; --line: #d8d4c8; --link: #1c4f82; --mark: #b4552d; --plus: #2c6e3f;
    }
    @media (prefers-color-scheme: dark) {
      :root { --paper: #18181b; --ink: #e8e6e0; --soft: #9c998f; --line: #44444b; --link: #9cc4ec; --mark: #e39a74; --plus: #8fcf9f; }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 46rem; background: var(--paper); color: var(--ink);
      font: 1.0625rem/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
      overflow-wrap: anywhere; -webkit-text-size-adjust: 100%;
    }
    a { color: inherit; text-decoration: underline 1px var(--line); text-underline-offset: 0.25em; }
    a:hover { color: var(--link); text-decoration-color: currentcolor; }
    :focus-visible { outline: 2px solid var(--mark); outline-offset: 3px; border-radius: 2px; }
    .skip { position: absolute; left: -99rem; }
    .skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: 0.5rem; }
    h1 { margin: 0; font-size: 2rem; line-height: 1.15; font-weight: 650; letter-spacing: -0.02em; }
    header p, nav b, time, .facts, .article blockquote, .article del, .none, .text, footer { color: var(--soft); }
    time, .facts, .more, .less, .files, footer, .article pre, .article table { font-size: 0.875rem; }
    header p { margin: 0.35rem 0 0; font-size: 0.9375rem; }
    nav { margin: 1.75rem 0 0; padding: 0.9rem 0; border: solid var(--line); border-width: 1px 0; }
    nav ul { display: flex; flex-wrap: wrap; gap: 0.35rem 1.35rem; margin: 0; padding: 0; list-style: none; }
    nav a { font-size: 0.9375rem; }
    nav b { font-weight: 400; font-variant-numeric: tabular-nums; }
    section { margin-top: 2.75rem; }
    h2 { margin: 0; font-size: 1.25rem; line-height: 1.3; font-weight: 650; letter-spacing: -0.01em; }
    section > ol { margin: 0.35rem 0 0; padding: 0; list-style: none; }
    li.item { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); padding: 0.5rem 0; }
    time { line-height: 1.6rem; font-variant-numeric: tabular-nums; }
    .facts { margin: 0.1rem 0 0; }
    summary { cursor: pointer; padding-bottom: 0.25rem; list-style: none; }
    summary::-webkit-details-marker { display: none; }
    summary:hover { color: var(--link); }
    .more, .less, .article a, .files a { color: var(--link); }
    .more::before { content: "▸ "; }
    .less::before { content: "▾ "; }
    details[open] summary .text, details[open] .more, details:not([open]) .less { display: none; }
    .article { margin: 0.75rem 0 1.5rem; }
    .article h1, .article h2, .article h3, .article h4, .article h5, .article h6 { margin: 1.25rem 0 0.5rem; font-size: 1.0625rem; }
    .article blockquote { margin: 0.75rem 0; padding-left: 0.9rem; border-left: 3px solid var(--line); }
    .article pre, .article table { overflow-x: auto; }
    .article pre { white-space: pre-wrap; }
    .article table { display: block; border-collapse: collapse; overflow-wrap: normal; }
    .article td, .article th { padding: 0.2rem 0.6rem; border: 1px solid var(--line); text-align: start; }
    .article :is(table[role], table:has(table)) > * > tr > td { padding: 0; border: 0; }
    .article ins { color: var(--plus); text-decoration: none; }
    .none { margin: 3rem 0; }
    .title { display: block; }
    .text { display: block; margin: 0.15rem 0 0; font-size: 0.9375rem; line-height: 1.45; }
    summary .text { overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
    .files { margin: 0.25rem 0 0; }
    footer { margin-top: 3.5rem; padding-top: 0.9rem; border-top: 1px solid var(--line); }
    @media (max-width: 30rem) {
      body { padding-top: 1.5rem; }
      h1 { font-size: 1.625rem; }
      li.item { grid-template-columns: minmax(0, 1fr); padding: 0.6rem 0; }
      time { line-height: 1.4; }
    }
    """
}

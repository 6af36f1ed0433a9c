// `bgfetch parse`: prints the contents of a feed document.

import ArgumentParser
import Core
import Formats
import Machine

struct ParseCommand: ProgramCommand {
  static let heading = ("parse", "Print the contents of a feed document, without storing it")
  static let isListed = false

  @OptionGroup var common: CommonOptions

  @Argument(
    help: "The document: a file, an http or https address, or - for standard input.", completion: .file())
  var file: String

  @Option(help: ArgumentHelp("The document's address, for resolving relative links.", valueName: "url"))
  var base: String?

  @Option(
    help: ArgumentHelp("The configured feed that the document belongs to.", valueName: "name"),
    completion: .feedNames
  )
  var feed: String?

  @Flag(help: "Print the article of a page, as content.page takes it.")
  var article = false

  @Flag(name: .shortAndLong, help: "Print all parts of items, and what filters do with them.")
  var verbose = false

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    var source: FeedSpec?
    if let feed { source = try await invocation.feed(named: feed) }
    let page = (source?.articlePage).map(FeedKind.html) ?? .html(HTMLMapping(isArticle: true))
    var kind = article ? page : source?.kind ?? .feed
    let response = try await invocation.response(from: file, as: kind)
    let address = [base, response.address, source?.address?.text].lazy.compactMap(\.self).first {
      !$0.isEmpty
    }
    func read() throws(FeedReadingFailure) -> ParsedFeed {
      try readFeed(response.body, as: kind, contentType: response.type, address: address)
    }
    func readFeedOrPage() throws(FeedReadingFailure) -> ParsedFeed {
      do throws(FeedReadingFailure) {
        return try read()
      } catch {
        // A page on the web may be one to watch.
        let isPage = error == .html || response.type?.lowercased().hasPrefix("text/html") ?? false
        guard isPage, response.address != nil, source == nil else { throw error }
        kind = .html(HTMLMapping())
        return try read()
      }
    }
    let document = try restating(readFeedOrPage()) { (error: FeedReadingFailure) in
      ProgramFailure.notFound("\(file): \(FetchFailure.notAFeed(error).text)")
    }
    if article {
      let html = document.items.first?.content ?? ""
      invocation.console.print(
        json: [JSONValue(["title": document.title, "html": html])],
        text: articleLines(html, title: document.title))
      return .success
    }
    let text = kind.isPageText ? FoundFeed(address: address ?? "", document).text : []
    invocation.console.print(
      json: [parseReport(document)],
      text: kind.isPageText
        ? [
          cleanText(document.title ?? "(untitled)", limit: 200)
            + "  html, \(counted(text.count, "line")) of text"
        ] + text
        : parsedLines(document, of: source, isVerbose: verbose))
    return .success
  }
}

extension Invocation {
  /// The document in a file, on standard input or at an address, with the media type and the address that a server gives.
  fileprivate func response(
    from place: String, as kind: FeedKind
  ) async throws -> (body: [UInt8], type: String?, address: String?) {
    guard let addresses = webAddresses(place) else {
      return (try read(place, limit: ByteCount(1 << 30), purpose: "the document"), nil, nil)
    }
    let answer = try await withFeedFinder(NetworkSettings()) { finder throws(FindingFailure) in
      try await finder.answer(of: addresses, as: kind)
    }
    return (answer.response.body, answer.response["Content-Type"], answer.route.end.text)
  }
}

/// The addresses that a text may mean, as those of `add`; nil for a file.
///
/// Without a scheme, it needs a port or a path after a host: a word such as `planet.xml` is a file, even if it is missing.
private func webAddresses(_ text: String) -> [WebAddress]? {
  if let address = WebAddress(text) { return [address] }
  let isLikeHost = text.contains(":") || text.contains("/") && text.prefix { $0 != "/" }.contains(".")
  guard isLikeHost, fileSize(text) == nil, case .web(let addresses)? = try? TypedAddress(text) else {
    return nil
  }
  return addresses
}

/// The title and the text of an article as lines.
private func articleLines(_ html: String, title: String?) -> [String] {
  let text = ArticleText(html: html, numbersLinks: false).text
  return (title.map { [cleanText($0, limit: 500), ""] } ?? [])
    + text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
}

/// The contents of a document as lines: the feed, then each item with its enclosures below.
///
/// `isVerbose` adds id, update time, author and summary, and whether the filter leaves an item out. A document without a title is shown
/// with the title or name of its configured feed.
func parsedLines(_ feed: ParsedFeed, of source: FeedSpec?, isVerbose: Bool) -> [String] {
  let filter = source.map { CompiledFilter($0.filter) }
  let title = feed.title ?? source?.title ?? source?.name.text ?? "(untitled)"
  var lines = [
    "\(cleanText(title, limit: 200))  \(feed.format.rawValue), \(counted(feed.items.count, "item"))"
  ]
  if let link = feed.link { lines.append("  " + cleanText(link, limit: 2000)) }
  if feed.leftOut > 0 { lines.append("  \(counted(feed.leftOut, "more item")) not read") }
  if feed.partsLeftOut > 0 {
    lines.append(
      "  \(counted(feed.partsLeftOut, "part")) left out or cut: too long, too many, or nested too deep")
  }
  if !feed.isComplete { lines.append("  the document is truncated") }
  for item in feed.items {
    let date = (item.published ?? item.updated).map { $0.rfc3339 } ?? "no date"
    lines.append("\(date)  \(cleanText(item.title ?? item.link ?? item.id ?? "(untitled)", limit: 200))")
    if let link = item.link { lines.append("  " + cleanText(link, limit: 2000)) }
    if isVerbose { lines += partLines(item, isFiltered: filter.map { !$0.accepts(item) } ?? false) }
    for enclosure in item.enclosures {
      let facts = [enclosure.type, enclosure.length.map { ByteCount($0).text }].compactMap { $0 }
      lines.append(
        "  "
          + cleanText(
            enclosure.url + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))"), limit: 2000))
    }
  }
  return lines
}

/// The parts of an item that are shown only with `--verbose`.
private func partLines(_ item: ParsedItem, isFiltered: Bool) -> [String] {
  let summary = (item.summary ?? item.content).map { plainText(fromHTML: $0, limit: 1000) }
  let parts: [(name: String, text: String?)] = [
    ("id", item.id), ("updated", item.updated?.rfc3339), ("author", item.author), ("summary", summary),
    ("categories", item.categories.isEmpty ? nil : item.categories.joined(separator: ", ")),
    ("comments", item.comments), ("image", item.images.first?.url), ("duration", item.duration?.playingTime),
    ("season", item.season.map(String.init)), ("episode", item.episode.map(String.init)),
    ("filter", isFiltered ? "left out" : nil),
  ]
  return parts.compactMap { name, text in text.map { "  \(name): " + cleanText($0, limit: 500) } }
}

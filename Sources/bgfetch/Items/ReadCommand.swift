// `bgfetch read`: articles as text.

import ArgumentParser
import Core
import Machine
import Store

struct ReadCommand: ProgramCommand {
  static let heading = ("read", "Read items as text, and mark them as seen")
  static let discussion =
    "On a terminal $PAGER shows them, or less. A [1] in the text is a link; its address is at the end."

  @OptionGroup var common: CommonOptions

  @OptionGroup var chosen: ChosenItems

  @Flag(help: "Leave the items unseen.")
  var peek = false

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: peek ? .reading : .writing)
    let store = state.store
    let items = try await store.withDetails(
      try await state.itemsToRead(chosen, limit: 20))
    let page = try await state.articlePage(of: items)
    let (stops, reader) = (try StopSignals(), SeenItems(state, of: items.count))
    StandardStream.output.limitPipe()
    var hasShown = false
    for (index, item) in items.enumerated() {
      if hasShown {
        let answer = invocation.isNext(item, "\(index + 1) of \(items.count)", page, unless: stops)
        guard answer != .stop else { break }
        if answer == .skip { continue }
      }
      guard invocation.show(page, item, unless: stops) else { break }
      hasShown = true
      if !peek { try await reader.record(item) }
    }
    try await reader.end()
    await store.close()
    if items.isEmpty { invocation.console.say("nothing to read: \(chosen.nothingFound)") }
    return stops.received().first.map(ExitStatus.stopped) ?? .success
  }
}

/// The person's answer about the next article.
private enum NextArticle { case read, skip, stop }

extension Invocation {
  /// Asks on a terminal whether to go on with an article; elsewhere it only separates articles.
  fileprivate func isNext(
    _ item: StoredItem, _ place: String, _ page: ArticlePage, unless stops: StopSignals
  ) -> NextArticle {
    guard !console.isJSON else { return .read }
    guard console.output.isTerminal, StandardStream.output.isForeground, let keys = TerminalKeys() else {
      return Console.write(page.rule, to: .output) ? .read : .stop
    }
    let (start, end) = ("\(place): ", ". return reads it, s skips it, q stops")
    let columns = console.output.columns ?? 80
    let room = max(columns - start.count - end.count - 1, 10)
    let title = fitted(
      cleanText(itemTitle(item.record), limit: 1024), room)
    let question = wrapped(start + title + end, columns).joined(separator: "\n")
    Console.write("\n" + question + " ", to: .output)
    defer { Console.write("\n", to: .output) }
    while let key = keys.next(unless: stops) {
      switch key {
      case "\r", "\n", " ": return .read
      case "s", "S": return .skip
      // Ctrl-D ends a text that is typed; one that came before the question is read as 0.
      case "q", "Q", "\u{4}", "\0": return .stop
      default: break
      }
    }
    return .stop
  }

  /// Shows an article; false if the person stopped that, or nobody reads the output any more.
  ///
  /// With a pager, one that ended by the person's key has shown it. Without, all of it was taken by the file, or by the reader of
  /// the pipe.
  fileprivate func show(_ page: ArticlePage, _ item: StoredItem, unless stops: StopSignals) -> Bool {
    guard !console.isJSON else {
      return Console.write(page.json(item).text + "\n", to: .output)
        && StandardStream.output.isTaken(unless: stops)
    }
    // ^C ends less.
    let isPaged = startPager(" -K")
    // Code and addresses may be wider than the terminal.
    let isWritten = Console.write(page.lines(item).map { $0 + "\n" }.joined(), to: .output)
    if isPaged { return OutputPager.finish() == .exited(0) && StandardStream.output.isTaken(unless: stops) }
    return isWritten && StandardStream.output.isTaken(unless: stops)
  }
}

extension OpenedState {
  /// The page with the articles of items, which have their details.
  func articlePage(of items: [StoredItem]) async throws -> ArticlePage {
    ArticlePage(
      console: console, zone: try zone(), labels: try await labels(of: items),
      files: try await ItemAssets(of: items.map(\.number), in: store, withBucket: true),
      pages: Set(settings.feeds.named(items.map(\.feed)).filter(\.kind.isPageText).map(\.name)))
  }
}

/// Articles as they are printed.
struct ArticlePage {
  let console: Console
  let zone: Zone
  let labels: ItemLabels
  let files: ItemAssets
  /// The watched pages, whose items show what has changed.
  let pages: Set<FeedName>

  /// The widest line that is read with ease.
  private static let widest = 80

  private var columns: Int { min(console.output.textColumns ?? Self.widest, Self.widest) }

  /// The lines between two articles.
  var rule: String {
    "\n" + String(repeating: "─", count: columns) + "\n\n"
  }

  func json(_ item: StoredItem) -> JSONValue {
    let article = text(item)
    return JSONValue([
      "type": "article", "number": item.number, "feed": item.feed, "title": itemTitle(item.record),
      "link": item.record.link, "published": item.record.published, "author": item.record.author,
      "text": article.text, "links": article.links,
      "rest": item.record.details?.rest(item.pageCommand),
    ])
  }

  func lines(_ item: StoredItem) -> [String] {
    let record = item.record
    let article = text(item)
    var lines = wrapped(cleanText(itemTitle(record), limit: 1024), columns).map { console.emphasized($0) }
    lines += wrapped(origin(of: item), columns)
    if let link = record.link.map(terminalSafeAddress), !link.isEmpty {
      lines.append(console.link(link, to: link))
    }
    let text = article.lines(columns, tables: max(columns, console.output.textColumns ?? Self.widest))
    lines.append("")
    lines += text.map { linked($0, article.links) }
    if text.isEmpty {
      let cure = record.link == nil ? "" : "; bgfetch open \(item.number) opens its page"
      lines += wrapped("(no text\(cure))", columns)
    }
    if let note = item.restNote { lines += [""] + wrapped("(\(note))", columns) }
    let addresses = addresses(of: item, article).enumerated().map { index, address in
      ("[\(index + 1)] " + (index < article.links.count ? "" : "file: "), address)
    }
    if !addresses.isEmpty { lines.append("") }
    return lines
      + addresses.map { mark, address in
        mark + console.link(terminalSafeAddress(address), to: address)
      }
  }

  /// The addresses below an article, in the order of their numbers: those of links and media, then those of files.
  func addresses(of item: StoredItem) -> [String] { addresses(of: item, text(item)) }

  private func addresses(of item: StoredItem, _ article: ArticleText) -> [String] {
    article.links
      + (files.firstPath(of: item).map { [$0] }
        ?? (item.record.details?.enclosures ?? []).map(\.url).filter { !article.links.contains($0) })
  }

  /// The number, the feed, the date, the author and the playing time.
  private func origin(of item: StoredItem) -> String {
    [
      "#\(item.number)", labels[item.feed]?.title ?? item.feed.text,
      time(item.date, "%Y-%m-%d %H:%M", in: zone),
      item.record.author ?? "",
      item.record.details?.duration?.playingTime ?? "",
    ].filter { !$0.isEmpty }.map { cleanText($0, limit: 1024) }.joined(separator: " · ")
  }

  /// A line with its numbers as links.
  private func linked(_ line: ArticleText.Line, _ links: [String]) -> String {
    let parts = line.text.unicodeScalars.split(
      separator: ArticleText.linkMark, omittingEmptySubsequences: false)
    let texts = parts.enumerated().map { number, part in
      let part = Substring(part)
      guard number > 0, let end = part.firstIndex(of: "]"), let link = Int(part[..<end].dropFirst()) else {
        return String(part)
      }
      return console.link(String(part[...end]), to: links[link - 1]) + part[part.index(after: end)...]
    }
    return line.isHeading ? console.emphasized(texts.joined()) : texts.joined()
  }

  /// The content of an item, or its summary; of a watched page the changed lines.
  private func text(_ item: StoredItem) -> ArticleText {
    guard let content = item.record.details?.content else {
      return ArticleText(lines: item.record.summary ?? "")
    }
    let changes = pages.contains(item.feed) ? changedLines(ofContent: content) : nil
    return ArticleText(html: changes ?? content, numbersLinks: changes == nil, page: item.record.link)
  }
}

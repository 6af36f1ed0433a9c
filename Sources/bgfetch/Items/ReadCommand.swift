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

  func validate() throws { try chosen.requireNames() }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: peek ? .reading : .writing)
    let store = state.store
    let items = try await store.withDetails(
      try await state.items(chosen, ItemQuery(unseenOnly: true, limit: 20)))
    let page = ArticlePage(
      console: invocation.console, zone: try state.zone(), labels: try await state.labels(of: items),
      files: try await ItemAssets(of: items.map(\.number), in: store, withBucket: true),
      pages: Set(state.settings.feeds.named(items.map(\.feed)).filter(\.kind.isPageText).map(\.name)))
    if invocation.console.isJSON {
      for item in items { invocation.console.print(page.json(item)) }
    } else if !items.isEmpty {
      invocation.startPager()
      for line in page.lines(items) { invocation.console.print(line) }
    }
    if !peek, !items.isEmpty {
      try await state.recordReading(of: items)
    }
    await store.close()
    if items.isEmpty { invocation.console.say("nothing to read: \(chosen.nothingFound)") }
    return .success
  }
}

/// Articles below one another.
private struct ArticlePage {
  let console: Console
  let zone: Zone
  let labels: ItemLabels
  let files: ItemAssets
  /// The watched pages, whose items show what has changed.
  let pages: Set<FeedName>

  /// The widest line that is read with ease.
  private static let widest = 80

  private var columns: Int { min(console.page.columns ?? Self.widest, Self.widest) }

  func lines(_ items: [StoredItem]) -> [String] {
    let rule = String(repeating: console.page.showsUnicode ? "─" : "-", count: columns)
    return Array(items.map(lines).joined(separator: ["", rule, ""]))
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

  private func lines(_ item: StoredItem) -> [String] {
    let page = Page(columns: columns, showsUnicode: console.page.showsUnicode)
    let record = item.record
    let article = text(item)
    var lines = wrapped(cleanText(itemTitle(record), limit: 1024), columns).map { console.emphasized($0) }
    lines += wrapped(origin(of: item), columns)
    if let link = record.link.map(terminalSafeAddress), !link.isEmpty {
      lines.append(console.link(link, to: link))
    }
    for block in article.blocks {
      if block.isApart || block == article.blocks.first { lines.append("") }
      lines += self.lines(of: block, article.links, on: page)
    }
    if article.blocks.isEmpty { lines += ["", "(no text; bgfetch open \(item.number) opens its page)"] }
    if let note = item.restNote { lines += ["", "(\(note))"] }
    let files =
      files.firstPath(of: item).map { [$0] }
      ?? (record.details?.enclosures ?? []).map(\.url).filter { !article.links.contains($0) }
    let addresses = article.links.enumerated().map { ("[\($0 + 1)] ", $1) } + files.map { ("file: ", $0) }
    if !addresses.isEmpty { lines.append("") }
    return lines
      + addresses.map { mark, address in
        mark + console.link(terminalSafeAddress(address), to: address)
      }
  }

  /// The feed, the date, the author and the playing time.
  private func origin(of item: StoredItem) -> String {
    [
      labels[item.feed]?.title ?? item.feed.text, time(item.date, "%Y-%m-%d %H:%M", in: zone),
      item.record.author ?? "",
      item.record.details?.duration?.playingTime ?? "",
    ].filter { !$0.isEmpty }.map { cleanText($0, limit: 1024) }.joined(separator: " · ")
  }

  /// A line with its numbers in brackets as links.
  private func linked(_ line: String, _ links: [String]) -> String {
    guard console.hasLinks, line.contains("[") else { return line }
    let parts = line.split(separator: "[", omittingEmptySubsequences: false)
    return parts[0]
      + parts.dropFirst().map { part -> String in
        let digits = part.prefix { $0.isNumber }
        guard part.dropFirst(digits.count).hasPrefix("]"), let number = Int(digits),
          links.indices.contains(number - 1)
        else { return "[" + part }
        return console.link("[\(number)]", to: links[number - 1]) + part.dropFirst(digits.count + 1)
      }.joined()
  }

  private func lines(of block: ArticleText.Block, _ links: [String], on page: Page) -> [String] {
    let width = columns - displayWidth(block.prefix)
    let parts = block.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let shown = block.kind == .code ? parts : parts.flatMap { wrapped($0, max(20, width)) }
    return shown.enumerated().map { number, line in
      let text =
        switch block.kind {
        case .heading: console.emphasized(line)
        case .paragraph: linked(line, links)
        case .code, .rule: line
        }
      return (number == 0 ? block.firstPrefix : block.prefix) + text
    }
  }

  /// The content of an item, or its summary; of a watched page the changed lines.
  private func text(_ item: StoredItem) -> ArticleText {
    guard let content = item.record.details?.content else {
      return ArticleText(lines: item.record.summary ?? "")
    }
    let changes = pages.contains(item.feed) ? changedLines(ofContent: content) : nil
    return ArticleText(html: changes ?? content, numbersLinks: changes == nil)
  }
}

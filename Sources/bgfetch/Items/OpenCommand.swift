// `bgfetch open`: items in the browser.

import ArgumentParser
import Core
import Machine
import Store

struct OpenCommand: ProgramCommand {
  static let heading = ("open", "Open items in the browser, and mark them as seen")
  static let discussion =
    "Without $BROWSER, xdg-open chooses the browser. Of an item without a link, its file is opened."

  @OptionGroup var common: ConfigurationOption

  @OptionGroup var chosen: ChosenItems

  @Flag(help: "Open the pages with the comments.")
  var comments = false

  @Option(
    help: ArgumentHelp(
      "Open the link, picture or file with this number in bgfetch read.", valueName: "number"))
  var link: Int?

  func validate() throws {
    try chosen.requireNames()
    try requirePositive(link, "--link")
    if comments, link != nil { throw ValidationError("write --comments or --link, not both") }
  }

  /// The name of the address that an item does not have.
  private var lack: String {
    link.map { "link \($0) for a browser" } ?? (comments ? "page for comments" : "link and no file")
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .writing)
    let store = state.store
    let items = try await state.itemsToRead(chosen, limit: 5)
    let pages = try await state.pages(of: try await store.withDetails(items), comments: comments, link: link)
    for (item, page) in pages where page.isEmpty {
      invocation.console.say("item \(item.number) has no \(lack)", .warning)
    }
    let found = pages.filter { !$0.page.isEmpty }
    let (stops, reader) = (try StopSignals(), SeenItems(state, of: items.count))
    var opened = 0
    // All start before the first is waited for, in their order, unless each needs the terminal.
    var started = (invocation.browsesOnTerminal ? [] : found).map { BrowserTries($0.page, invocation) }[...]
    for (item, page) in found {
      var browser = started.popFirst() ?? BrowserTries(page, invocation)
      let failure = await browser.failure()
      if let stop = stops.received().first {
        try await reader.end()
        return .stopped(stop)
      }
      if let failure {
        invocation.console.say("item \(item.number) was not opened: \(failure)", .error)
        continue
      }
      try await reader.record(item)
      opened += 1
      invocation.console.print("opened \(item.number): \(itemTitle(item.record))")
    }
    try await reader.end()
    await store.close()
    guard found.isEmpty else { return opened == found.count ? .success : .internalError }
    if items.isEmpty { invocation.console.say("nothing to open: \(chosen.nothingFound)") }
    return items.isEmpty ? .success : .someFailed
  }
}

extension OpenedState {
  /// The address of each item: its link, or without one the address of its first file, on this machine or on its server;
  /// empty if there is neither.
  ///
  /// - Parameter link: the number of the address below the article to take instead.
  fileprivate func pages(
    of items: [StoredItem], comments: Bool, link: Int?
  ) async throws -> [(item: StoredItem, page: String)] {
    if let link {
      let articles = try await articlePage(of: items)
      return items.map { item in
        guard let address = articles.addresses(of: item).dropFirst(link - 1).first else { return (item, "") }
        return (item, address == articles.files.firstPath(of: item) ? address : webLink(address))
      }
    }
    let pages = items.map { item in
      (item: item, page: webLink(comments ? item.record.details?.comments : item.record.link))
    }
    let without = comments ? [] : pages.filter(\.page.isEmpty).map(\.item.number)
    guard !without.isEmpty else { return pages }
    let files = try await ItemAssets(of: without, in: store, withAssets: true)
    return pages.map { item, page in
      guard page.isEmpty else { return (item, page) }
      let assets =
        (files.assets[item.number] ?? []).map(\.url) + (item.record.details?.enclosures ?? []).map(\.url)
      let addresses = assets.lazy.map { webLink($0) }
      return (item, files.firstPath(of: item) ?? addresses.first { !$0.isEmpty } ?? "")
    }
  }
}

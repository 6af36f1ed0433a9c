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
    let articles = link == nil ? nil : try await articlePage(of: items)
    let files = try await ItemAssets(of: items.map(\.number), in: store, withAssets: true)
    return items.map { item in
      if let link, let articles {
        let address = articles.addresses(of: item).dropFirst(link - 1).first ?? ""
        return (item, address == articles.files.firstPath(of: item) ? address : webLink(address))
      }
      let details = item.record.details
      let page = webLink(comments ? details?.comments : item.record.link)
      guard page.isEmpty, !comments else { return (item, page) }
      let assets = (files.assets[item.number] ?? []).map(\.url) + (details?.enclosures ?? []).map(\.url)
      return (item, files.firstPath(of: item) ?? assets.map { webLink($0) }.first { !$0.isEmpty } ?? "")
    }
  }
}

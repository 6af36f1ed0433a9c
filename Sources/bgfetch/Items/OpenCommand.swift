// `bgfetch open`: items in the browser.

import ArgumentParser
import Core
import Machine
import Store

struct OpenCommand: ProgramCommand {
  static let heading = ("open", "Open items in the browser, and mark them as seen")
  static let discussion =
    "Without $BROWSER, xdg-open chooses the browser. Of an item without a link, its file is opened."

  @OptionGroup var common: CommonOptions

  @OptionGroup var chosen: ChosenItems

  @Flag(help: "Open the pages with the comments.")
  var comments = false

  func validate() throws { try chosen.requireNames() }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .writing)
    let store = state.store
    let items = try await state.items(chosen, ItemQuery(unseenOnly: true, limit: 5))
    let pages = try await state.pages(of: try await store.withDetails(items), comments: comments)
    for (item, page) in pages where page.isEmpty {
      invocation.console.say(
        "item \(item.number) has no \(comments ? "page for comments" : "link and no file")", .warning)
    }
    let found = pages.filter { !$0.page.isEmpty }
    var opened: [StoredItem] = []
    // All start before the first is waited for, in their order.
    var browsers = found.map { BrowserTries($0.page, invocation) }
    for (index, (item, page)) in found.enumerated() {
      if let reason = await browsers[index].failure() {
        invocation.console.say("item \(item.number) was not opened: \(reason)", .error)
        continue
      }
      opened.append(item)
      invocation.console.print(
        json: [JSONValue(["type": "opened-item", "number": item.number, "link": page])],
        text: ["opened \(item.number): \(itemTitle(item.record))"])
    }
    if !opened.isEmpty { try await state.recordReading(of: opened) }
    await store.close()
    guard found.isEmpty else { return opened.count == found.count ? .success : .internalError }
    if items.isEmpty { invocation.console.say("nothing to open: \(chosen.nothingFound)") }
    return items.isEmpty ? .success : .someFailed
  }
}

extension OpenedState {
  /// The address of each item: its link, or without one the address of its first file, on this machine or on its server;
  /// empty if there is neither.
  fileprivate func pages(
    of items: [StoredItem], comments: Bool
  ) async throws -> [(item: StoredItem, page: String)] {
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

/// The browsers that are tried for one page, one after the other, until one does not fail.
///
/// A browser outlives this process. Without a display, one in text mode gets this terminal until it ends.
private struct BrowserTries {
  private let invocation: Invocation
  private var commands: ArraySlice<[String]>
  private var failures: [String] = []
  /// The browser that was started last, unless it could not be.
  private var browser: (name: String, program: DetachedProgram)?
  private var hasOpened = false

  /// Starts the first browser that can be started.
  init(_ page: String, _ invocation: Invocation) {
    self.invocation = invocation
    commands = browserCommands(invocation.environment["BROWSER"], page)[...]
    start()
  }

  /// Why no browser shows the page; nil if one does.
  mutating func failure() async -> String? {
    while let (name, program) = browser {
      guard let ending = await program.failure() else { return nil }
      failures.append("\(name) \(endingText(ending))")
      start()
    }
    return hasOpened ? nil : "\(failures.joined(separator: "; ")); set BROWSER"
  }

  private mutating func start() {
    browser = nil
    while !hasOpened, browser == nil, let words = commands.popFirst() {
      let command = Command(
        words[0], Array(words.dropFirst()), environment: invocation.environment, directory: invocation.home,
        limit: nil)
      do throws(StartFailure) {
        let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains {
          !invocation.environment[$0, default: ""].isEmpty
        }
        if invocation.console.output.isTerminal, !hasDisplay {
          let ending = try runOnTerminal(command)
          hasOpened = ending == .exited(0)
          if !hasOpened { failures.append("\(words[0]) \(endingText(ending))") }
        } else {
          browser = (words[0], try DetachedProgram(command))
        }
      } catch {
        failures.append(startText(error))
      }
    }
  }
}

/// The commands that show an address, in the order to try them.
///
/// `BROWSER` is a list with colons, whose entries may have arguments and `%s` for the address (xdg-open(1)).
func browserCommands(_ variable: String?, _ link: String) -> [[String]] {
  let named = (variable ?? "").split(separator: ":").map { $0.split(separator: " ").map(String.init) }
  let commands = named.filter { !$0.isEmpty }
  return (commands.isEmpty ? [["xdg-open"]] : commands).map { words in
    words.contains { $0.contains("%s") } ? words.map { $0.replacing("%s", with: link) } : words + [link]
  }
}

// `bgfetch open` and `unseen`: single items, by the numbers that `items` shows.

import ArgumentParser
import Core
import Machine
import Store

/// The items that a command shows.
struct ChosenItems: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Items by number, or the unseen items of feeds by name, glob or @tag.", valueName: "item"),
    completion: .feedNames)
  var words: [String] = []

  func validate() throws {
    if words.isEmpty { throw ValidationError("name items by number, or feeds; bgfetch items shows both") }
  }
}

struct OpenCommand: ProgramCommand {
  static let heading = ("open", "Open items in the browser, and mark them as seen")
  static let discussion =
    "Without $BROWSER, xdg-open chooses the browser. Of an item without a link, its file is opened."

  @OptionGroup var common: CommonOptions

  @OptionGroup var chosen: ChosenItems

  @Flag(help: "Print the addresses; open nothing, and leave the items unseen.")
  var print = false

  @Flag(help: "Open the pages with the comments.")
  var comments = false

  @Option(help: ArgumentHelp("The most unseen items of feeds to open; default: 5.", valueName: "number"))
  var limit = 5

  func validate() throws {
    try requirePositive(limit, "--limit")
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: print ? .reading : .writing)
    let store = state.store
    let items = try await state.items(chosen.words, limit: limit)
    let pages = try await state.pages(of: try await store.withDetails(items), comments: comments)
    for (item, page) in pages where page.isEmpty {
      invocation.console.say(
        "item \(item.number) has no \(comments ? "page for comments" : "link and no file")", .warning)
    }
    let found = pages.filter { !$0.page.isEmpty }
    var opened: [StoredItem] = []
    // All start before the first is waited for, in their order.
    var browsers = print ? [] : found.map { BrowserTries($0.page, invocation) }
    for (index, (item, page)) in found.enumerated() {
      if !print, let reason = await browsers[index].failure() {
        invocation.console.say("item \(item.number) was not opened: \(reason)", .error)
        continue
      }
      opened.append(item)
      let title = "opened \(item.number): \(itemTitle(item.record))"
      invocation.console.print(
        json: [JSONValue(["type": "opened-item", "number": item.number, "link": page])],
        text: [print ? terminalSafeAddress(page) : title])
    }
    if !print, !opened.isEmpty {
      try await state.recordReading(of: opened)
    }
    await store.close()
    guard found.isEmpty else { return opened.count == found.count ? .success : .internalError }
    if items.isEmpty { invocation.console.say("nothing to open: these feeds have no unseen items") }
    return items.isEmpty ? .success : .someFailed
  }
}

struct UnseenCommand: ProgramCommand {
  static let heading = ("unseen", "Mark items as unseen again, and raise the badge")

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("Items by number, as bgfetch items shows them.", valueName: "item"))
  var words: [String] = []

  func validate() throws {
    if words.isEmpty { throw ValidationError("name items by number; bgfetch items shows them") }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .writing)
    let items = try await state.items(numbered: words)
    let count = try await state.store.markUnseen(items.map(\.number), configured: state.settings.feedNames)
    let badge = try await state.updateBadge()
    invocation.console.print(
      json: [JSONValue(["type": "unseen", "items": count, "badge": badge])],
      text: ["\(counted(count, "item")) unseen" + badgeWords(badge)])
    return .success
  }
}

/// The number of an item as people write it: `1234` or `#1234`; nil for a word.
///
/// A feed may be named `1234`; the number of an item then needs its `#`.
func itemNumber(_ word: String, _ settings: Settings) -> Int64? {
  if let name = FeedName(word), settings.feedNames.contains(name) { return nil }
  return digits(ofNumber: word).flatMap { Int64($0) }
}

extension OpenedState {
  /// Marks items as seen that the person reads now.
  func recordReading(of items: [StoredItem]) async throws {
    _ = try await store.markSeen(.numbers(items.map(\.number)), configured: settings.feedNames)
    try await recordOpening(of: Array(Set(items.map(\.feed))))
    _ = try await updateBadge()
  }

  /// The items with these numbers.
  func items(numbered words: [String]) async throws -> [StoredItem] {
    for word in words where itemNumber(word, settings) == nil {
      throw ProgramFailure.usage(
        "\"\(cleanText(word, limit: 100))\" is not the number of an item; bgfetch items shows the numbers")
    }
    return try await items(words, limit: words.count)
  }

  /// The items with these numbers, and the newest unseen items of the feeds that other words select.
  func items(_ words: [String], limit: Int) async throws -> [StoredItem] {
    var items: [StoredItem] = []
    for number in words.compactMap({ itemNumber($0, settings) }) {
      guard let item = try await store.item(number), settings.feedNames.contains(item.feed) else {
        throw ProgramFailure.usage("there is no item \(number); bgfetch items shows the numbers")
      }
      items.append(item)
    }
    let names = words.filter { itemNumber($0, settings) == nil }
    if !names.isEmpty {
      items += try await store.items(
        feeds: try selectedFeeds(names, from: settings.feeds).map(\.name), unseenOnly: true, since: nil,
        limit: limit, among: settings.feedNames)
    }
    return items
  }

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
    return hasOpened
      ? nil : "\(failures.joined(separator: "; ")); set BROWSER, or use bgfetch open --print"
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

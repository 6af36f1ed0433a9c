// The list of `bgfetch browse` as a menu for any terminal: a page of items, and a line in which the person writes.

import Core
import Machine

/// The list as a menu.
struct NumberedMenu: ItemScreen {
  private let console: Console
  /// The items on a page; with the hints they fit on a screen of 24 lines.
  private static let length = 18
  /// The index of the first item of the page.
  private var start = 0

  init(_ console: Console) { self.console = console }

  mutating func choose(from items: inout BrowsedItems, note: String) async throws -> BrowseWish? {
    var note = note
    while true {
      let count = items.numbers.count
      let page = items.numbers[start..<min(start + Self.length, count)]
      try await items.show(page, within: console.page.columns) { lines in
        for line in lines { console.unwrapped.print(line.text) }
        return true
      }
      console.print("\(start + 1) to \(page.endIndex) of \(count)")
      for line in hintLines(menuHints, console.page.columns) { console.unwrapped.print(line) }
      if !note.isEmpty { console.print(note) }
      Console.write("> ", to: .output)
      guard let line = readLine() else { return nil }
      switch MenuAnswer(line) {
      case .end: return nil
      case .more:
        start = page.endIndex < count ? page.endIndex : 0
        note = ""
      case .mistake(let text): note = text
      case .wish(let wish):
        if wish.action == .order { start = 0 }
        return wish
      }
    }
  }

  func leave() {}
}

/// The possible answers; N is the number of an item.
private let menuHints =
  ["N read"]
  + BrowseAction.allCases.filter { $0 != .read }.map {
    "\($0.rawValue) \($0.needsItem ? "N " : "")\($0.words)"
  }
  + ["Enter more", "q end"]

/// The answer of a person in the menu.
enum MenuAnswer: Equatable {
  case wish(BrowseWish)
  /// Enter alone: the next page.
  case more
  case end
  case mistake(String)

  init(_ line: String) {
    let text = line.filter { !$0.isWhitespace }.lowercased()
    guard let letter = text.first else {
      self = .more
      return
    }
    let action = BrowseAction(rawValue: letter)
    let range = numberRange(action == nil ? text : String(text.dropFirst()))
    if text == "q" {
      self = .end
    } else if let action, !action.needsItem, text.count == 1 {
      self = .wish(BrowseWish(action: action))
    } else if action?.needsItem != false, let range {
      self = .wish(BrowseWish(action: action ?? .read, range: range))
    } else {
      self = .mistake("write the number of an item, or one of these letters, such as s 12")
    }
  }
}

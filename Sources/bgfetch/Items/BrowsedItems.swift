// The list that `bgfetch browse` shows: which items, in which order, and how they are marked now.

import Core
import Machine
import Store

/// The items to browse.
///
/// They are chosen once: an item that is read meanwhile stays in the list. Their texts are read when they are shown first.
struct BrowsedItems {
  private let state: OpenedState
  /// The numbers of the items, in their order.
  private(set) var numbers: [Int64]
  private let columns: ItemColumns
  private var rows: [Int64: ItemColumns.Row] = [:]
  private var unseen: Set<Int64> = []
  private var starred: Set<Int64> = []

  /// Chooses items of an opened state, and closes its store.
  init(_ numbers: [Int64], _ state: OpenedState) async throws {
    (self.state, self.numbers) = (state, numbers)
    // The newest ones and the oldest have the widths of all, or nearly.
    let sample = try await state.store.items(numbered: Array(numbers.prefix(200) + numbers.suffix(1)))
    columns = ItemColumns(
      for: sample, now: state.clock.now(), in: try state.zone(), on: state.console.page,
      hasColor: state.console.hasColor)
    await state.store.close()
  }

  /// A line of the list.
  typealias Line = (number: Int64, text: String)

  /// Reads some of the items and how all are marked, and shows their lines in portions, as long as that returns true.
  ///
  /// - Parameter width: the columns that a line may take; nil means any.
  mutating func show(
    _ shown: ArraySlice<Int64>, within width: Int?, with show: ([Line]) -> Bool
  ) async throws {
    // A person may look at the list for hours.
    let store = try await state.invocation.open(state.settings, for: .reading).store
    let names = state.settings.feedNames
    unseen = Set(try await store.itemNumbers(ItemQuery(numbers: numbers, unseenOnly: true), among: names))
    starred = Set(try await store.itemNumbers(ItemQuery(numbers: numbers, starredOnly: true), among: names))
    for portion in Array(shown).parts(of: 500) {
      for item in try await store.items(numbered: portion.filter { rows[$0] == nil }) {
        rows[item.number] = columns.row(item)
      }
      guard show(portion.compactMap { line($0, within: width) }) else { break }
    }
    await store.close()
  }

  /// The line of an item; nil if the item is not in the store any more.
  private func line(_ number: Int64, within width: Int?) -> Line? {
    guard let row = rows[number] else { return nil }
    let marks = (unseen.contains(number) ? "*" : " ") + (starred.contains(number) ? "★" : " ")
    return (number, columns.line(row, marks: marks, isSeen: !unseen.contains(number), within: width))
  }

  /// Turns the order around.
  mutating func reverse() { numbers.reverse() }

  /// Whether some of these items are unseen.
  func haveUnseen(_ items: [Int64]) -> Bool { items.contains(where: unseen.contains) }

  /// Whether all of these items are starred.
  func areStarred(_ items: [Int64]) -> Bool { items.allSatisfy(starred.contains) }
}

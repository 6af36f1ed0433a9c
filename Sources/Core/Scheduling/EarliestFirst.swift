// A binary heap of values that wait for a moment.

/// Values that wait for a moment, the earliest first; of those with the same moment, the one with the lower
/// ticket.
struct EarliestFirst<Value: Sendable>: Sendable {
  /// A value, its moment in milliseconds, and its ticket.
  struct Entry: Sendable {
    var moment: Int64
    var ticket: Int
    var value: Value

    func comesBefore(_ other: Entry) -> Bool {
      (moment, ticket) < (other.moment, other.ticket)
    }
  }

  private var entries: [Entry] = []

  /// Whether nothing waits.
  var isEmpty: Bool { entries.isEmpty }

  /// The earliest, nil if nothing waits.
  var first: Entry? { entries.first }

  /// Adds a value, in logarithmic time.
  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].comesBefore(entries[parent]) else { return }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes the earliest out, in logarithmic time; nil if nothing waits.
  @discardableResult
  mutating func removeFirst() -> Entry? {
    guard let last = entries.popLast() else { return nil }
    guard let first = entries.first else { return last }
    entries[0] = last
    var parent = 0
    while true {
      var earliest = parent
      for child in (2 * parent + 1)...(2 * parent + 2) where child < entries.count {
        if entries[child].comesBefore(entries[earliest]) { earliest = child }
      }
      guard earliest != parent else { return first }
      entries.swapAt(parent, earliest)
      parent = earliest
    }
  }

  /// Takes all out, earliest first.
  mutating func removeAll() -> [Value] {
    defer { entries = [] }
    return entries.sorted { $0.comesBefore($1) }.map(\.value)
  }
}

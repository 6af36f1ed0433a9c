// Which columns of bars a terminal has room for, and how wide they are.

/// The columns of bars on a terminal of some width.
struct ProgressLayout: Hashable {
  /// A column.
  enum Column: Hashable {
    /// What is downloaded.
    case name
    /// The bar itself.
    case bar
    /// Bytes that are there, and in all.
    case size
    /// The same in percent.
    case percent
    /// Bytes a second.
    case rate
    /// The time that is left.
    case left
  }

  /// The columns, from left to right.
  let columns: [Column]
  /// The width of the name.
  let nameWidth: Int
  /// The width of the bar; 0 where there is none.
  let barWidth: Int

  /// Blanks between two columns.
  static let gap = 2

  /// The width of a column that is as wide everywhere; nothing wanders while its numbers change.
  static func width(of column: Column) -> Int {
    switch column {
    case .name, .bar: 0
    // 999.9 of 999.9 MB
    case .size: 17
    case .percent: 5
    // 999.9 MB/s
    case .rate: 10
    // 99h59m
    case .left: 6
    }
  }

  /// From the richest to the poorest: what tells least goes first.
  private static let choices: [[Column]] = [
    [.name, .bar, .size, .percent, .rate, .left], [.name, .bar, .percent, .rate, .left],
    [.name, .percent, .rate, .left], [.name, .percent, .left], [.name, .percent], [.name],
  ]

  /// The richest columns that a line of some width has room for.
  ///
  /// - Parameters:
  ///   - longestName: the width of the widest name that is to be shown.
  ///   - width: the width of a line.
  init(longestName: Int, width: Int) {
    let leastBar = 10
    let fitting = Self.choices.first { choice in
      let leastName = min(longestName, choice.count > 2 ? 16 : 8)
      let least = leastName + (choice.contains(.bar) ? leastBar : 0)
      return Self.room(beside: choice, width) >= least
    }
    columns = fitting ?? [.name]
    let room = max(1, Self.room(beside: columns, width))
    barWidth = columns.contains(.bar) ? min(40, max(leastBar, room / 3, room - longestName)) : 0
    nameWidth = min(longestName, room - barWidth)
  }

  /// What the columns of fixed width leave to name and bar.
  private static func room(beside columns: [Column], _ width: Int) -> Int {
    width - columns.reduce(0) { $0 + Self.width(of: $1) } - (columns.count - 1) * gap
  }
}

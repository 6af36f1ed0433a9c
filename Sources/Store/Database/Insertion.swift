// Adding many rows to a table: several by one statement, because a statement by itself costs as much as half a row.

import Core

/// A new row of a table, which binds the values of its columns in the order of the insertion.
protocol NewRow: Bindable {
  static var insertion: Insertion { get }
}

/// The statements that add rows to a table.
struct Insertion {
  /// How many rows the larger statement adds.
  static let rows = 10
  let single: String
  let several: String

  init(into table: String, _ columns: [String]) {
    let row = "(" + columns.map { _ in "?" }.joined(separator: ", ") + ")"
    let start = "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES "
    single = start + row
    several = start + Array(repeating: row, count: Self.rows).joined(separator: ", ")
  }
}

extension Database {
  /// Adds rows in their order, and returns their numbers.
  func addNumbered<Row: NewRow>(_ rows: [Row]) throws(StoreFailure) -> [Int64] {
    guard connection.lastInserted != nil else {
      var numbers: [Int64] = []
      for row in rows { numbers.append(try insert(Row.insertion.single, row)) }
      return numbers
    }
    try add(rows)
    // AUTOINCREMENT: within a transaction, numbers follow one another.
    let last = connection.lastInserted ?? 0
    return rows.indices.map { last - Int64(rows.count - 1 - $0) }
  }

  /// Adds rows in their order.
  func add<Row: NewRow>(_ rows: [Row]) throws(StoreFailure) { try add(rows, by: Row.insertion) }

  /// Adds rows in their order, by an insertion into their table.
  func add<Row: Bindable>(_ rows: [Row], by insertion: Insertion) throws(StoreFailure) {
    var rest = rows[...]
    while !rest.isEmpty {
      let isSingle = rest.count < Insertion.rows
      let part = rest.prefix(isSingle ? 1 : Insertion.rows)
      try run(isSingle ? insertion.single : insertion.several, Values(list: Array(part)))
      rest.removeFirst(part.count)
    }
  }
}

// Adding many rows to a table: several by one statement, because a statement by itself costs as much as half a row.

import Core

/// A new row of a table.
protocol NewRow {
  static var insertion: Insertion { get }
  /// Binds the values of the columns, in the order of `insertion`.
  func bind(to binder: inout ColumnBinder)
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
  /// Adds rows in their order.
  func add<Row: NewRow>(_ rows: [Row]) throws(StoreFailure) {
    var rest = rows[...]
    while !rest.isEmpty {
      let isSingle = rest.count < Insertion.rows
      let part = rest.prefix(isSingle ? 1 : Insertion.rows)
      try run(isSingle ? Row.insertion.single : Row.insertion.several, Rows(rows: part))
      rest.removeFirst(part.count)
    }
  }
}

/// The values of rows, one row after the other.
private struct Rows<Row: NewRow>: Bindable {
  let rows: ArraySlice<Row>

  func bind(to statement: OpaquePointer, from index: inout Int32) -> Int32 {
    var binder = ColumnBinder(statement: statement, index: index)
    for row in rows { row.bind(to: &binder) }
    index = binder.index
    return binder.code
  }
}

// Tables row by row from one database to another.

import Core

package enum TableCopy {
  package struct Table {
    package let name: String
    let columns: [String]
    /// Whether it numbers its rows, in a column `number`.
    package let isNumbered: Bool

    package var sqlName: String { "\"\(name)\"" }
  }

  /// The tables of a file of SQLite, a table before the tables that refer to it.
  package static func tables(of model: borrowing Database) throws -> [Table] {
    let found: [String] = try model.rows(
      """
      SELECT name FROM sqlite_schema
      WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY rowid
      """)
    return try found.map { name in
      let columns: [(String, Bool)] = try model.rows(
        "SELECT name, name = 'number' AND pk = 1 FROM pragma_table_info(?1) ORDER BY cid", name)
      return Table(name: name, columns: columns.map(\.0), isNumbered: columns.contains { $0.1 })
    }
  }

  /// Copies all rows of a table into the same table of another database, and returns their number; both in transactions.
  @discardableResult
  package static func copy(
    _ table: Table, from source: borrowing Database, to target: borrowing Database
  ) throws -> Int {
    let columns = table.columns.map { "\"\($0)\"" }.joined(separator: ", ")
    let insertion = Insertion(into: table.sqlName, table.columns.map { "\"\($0)\"" })
    var count = 0
    var waiting: [AnyRow] = []
    func copyRows(_ query: String) throws -> Int {
      let before = count
      try source.each(query) { row in
        var values: [AnyValue] = []
        for _ in table.columns { values.append(try row.next()) }
        waiting.append(AnyRow(values: values))
        count += 1
        if waiting.count == Insertion.rows {
          try target.add(waiting, by: insertion)
          waiting = []
        }
      }
      return count - before
    }
    let query = "SELECT \(columns) FROM \(table.sqlName)"
    try source.connection.readAll(query, copyRows)
    try target.add(waiting, by: insertion)
    if table.isNumbered, let last: Int64 = try target.value("SELECT max(number) FROM \(table.sqlName)") {
      try target.connection.continueNumbers(of: table, after: last)
    }
    return count
  }

  /// Replaces the rows of tables by those of another database; returns the number of rows.
  package static func replaceRows(
    of tables: [Table], from source: borrowing Database, in target: borrowing Database
  ) throws -> Int {
    try source.snapshot {
      try target.transaction(.survivesPowerCut) {
        for table in tables.reversed() { try target.run("DELETE FROM \(table.sqlName)") }
        var count = 0
        for table in tables { count += try copy(table, from: source, to: target) }
        return count
      }
    }
  }
}

// How a file numbers its rows.
extension SQLiteConnection {
  func readAll(_ query: String, _ read: (String) throws -> Int) throws {
    _ = try read(query)
  }

  /// AUTOINCREMENT does it.
  func continueNumbers(of table: TableCopy.Table, after last: Int64) {}
}

/// A row of any table.
private struct AnyRow: Bindable {
  let values: [AnyValue]

  func bind(to parameters: inout Parameters) {
    for value in values { value.bind(to: &parameters) }
  }
}

/// A value of any column.
private enum AnyValue: Storable {
  case null, integer(Int64), real(Double), text(String), bytes([UInt8])

  static var columnType: ColumnType { .unknown }

  init?(_ row: borrowing Row) {
    if row.isNull {
      self = .null
    } else if let value = row.integer {
      self = .integer(value)
    } else if let value = row.text {
      self = .text(value)
    } else if let value = row.bytes {
      self = .bytes(value)
    } else if let value = row.real {
      self = .real(value)
    } else {
      return nil
    }
  }

  func bind(to parameters: inout Parameters) {
    switch self {
    case .null: parameters.bindNull(.unknown)
    case .integer(let value): parameters.bind(value)
    case .real(let value): parameters.bind(value)
    case .text(let value): parameters.bind(value)
    case .bytes(let value): parameters.bind(value)
    }
  }
}

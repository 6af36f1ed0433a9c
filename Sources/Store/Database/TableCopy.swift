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
    let insertion = Insertion(into: table.sqlName, columns)
    var count = 0
    var waiting: [[ColumnValue]] = []
    func copyRows(_ query: String) throws -> Int {
      let before = count
      try source.each(query) { row in
        waiting.append(try table.columns.map { _ in try row.next(ColumnValue.self) })
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

/// A value of any column.
extension ColumnValue: Storable {
  package static var columnType: ColumnType { .unknown }
  package var columnValue: ColumnValue { self }
  package init?(_ value: ColumnValue) { self = value }
}

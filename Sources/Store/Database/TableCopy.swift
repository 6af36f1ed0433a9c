// Tables row by row from one database to another, of either engine.

import Core

enum TableCopy {
  struct Table {
    let name: String
    let columns: [String]
    /// Whether it numbers its rows, in a column `number`.
    let isNumbered: Bool
    /// Whether it never gives a number twice, even if the last row is gone (AUTOINCREMENT).
    let neverRepeats: Bool

    var sqlName: String { "\"\(name)\"" }
  }

  /// The tables of a file of SQLite, a table before the tables that refer to it.
  static func tables(of model: borrowing Database) throws(StoreFailure) -> [Table] {
    let found: [(String, Bool)] = try model.rows(
      """
      SELECT name, sql LIKE '%AUTOINCREMENT%' FROM sqlite_schema
      WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY rowid
      """)
    return try found.map { name, neverRepeats throws(StoreFailure) in
      let columns: [(String, Bool)] = try model.rows(
        "SELECT name, name = 'number' AND pk = 1 FROM pragma_table_info(?1) ORDER BY cid", name)
      return Table(
        name: name, columns: columns.map(\.0), isNumbered: columns.contains { $0.1 },
        neverRepeats: neverRepeats)
    }
  }

  /// Copies all rows of a table into the same table of another database, and returns their number; both in transactions.
  @discardableResult
  static func copy(
    _ table: Table, from source: borrowing Database, to target: borrowing Database
  ) throws(StoreFailure) -> Int {
    let columns = table.columns.map { "\"\($0)\"" }.joined(separator: ", ")
    let insertion = Insertion(into: table.sqlName, table.columns.map { "\"\($0)\"" })
    var count = 0
    var waiting: [AnyRow] = []
    func copyRows(_ query: String) throws(StoreFailure) -> Int {
      let before = count
      try source.each(query) { row throws(StoreFailure) in
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
    if source.isFile {
      _ = try copyRows(query)
    } else {
      // All rows of a query arrive at once, and there may be millions.
      try source.execute("DECLARE copied NO SCROLL CURSOR FOR \(query)")
      while try copyRows("FETCH 1000 FROM copied") == 1000 {}
      try source.execute("CLOSE copied")
    }
    try target.add(waiting, by: insertion)
    if table.isNumbered {
      let last = try lastNumber(of: table, in: source) ?? 0
      try setLastNumber(of: table, to: last, in: target)
    }
    return count
  }

  /// The last number that a table has given to a row.
  private static func lastNumber(
    of table: Table, in database: borrowing Database
  ) throws(StoreFailure) -> Int64? {
    guard database.isFile else {
      return try database.value(
        "SELECT last_value FROM pg_sequences WHERE schemaname = 'bgfetch' AND sequencename = ?1",
        table.name + "_number_seq")
    }
    return table.neverRepeats
      ? try database.value("SELECT seq FROM sqlite_sequence WHERE name = ?1", table.name)
      : try database.value("SELECT max(number) FROM \(table.sqlName)")
  }

  private static func setLastNumber(
    of table: Table, to last: Int64, in database: borrowing Database
  ) throws(StoreFailure) {
    guard last > 0 else { return }
    if !database.isFile {
      // The upper bits of a number may be a day (PostgresPartitions).
      let number = max(1, last & ((1 << PostgresSchema.bitsBelowDay) - 1))
      try database.execute(
        "SELECT setval(pg_get_serial_sequence('bgfetch.\(table.sqlName)', 'number'), \(number))")
    } else if table.neverRepeats {
      // The numbers of rows with a day are beyond it.
      try database.run("DELETE FROM sqlite_sequence WHERE name = ?1", table.name)
      try database.run(
        "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, max(?2, coalesce(max(number), 0)) FROM \(table.sqlName)",
        table.name, last)
    }
  }

  /// Replaces the rows of tables by those of another database; returns the number of rows.
  static func replaceRows(
    of tables: [Table], from source: borrowing Database, in target: borrowing Database
  ) throws(StoreFailure) -> Int {
    try source.snapshot { () throws(StoreFailure) in
      try target.transaction(.survivesPowerCut) { () throws(StoreFailure) in
        for table in tables.reversed() { try target.run("DELETE FROM \(table.sqlName)") }
        var count = 0
        for table in tables { count += try copy(table, from: source, to: target) }
        return count
      }
    }
  }
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

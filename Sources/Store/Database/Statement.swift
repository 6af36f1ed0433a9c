// The row that a statement is at.

import Core

/// The current row of a statement; each `next()` reads one more column.
package struct Row {
  private let statement: any PreparedStatement
  private let path: String
  private var column: Int32 = 0

  init(_ statement: any PreparedStatement, path: String) {
    (self.statement, self.path) = (statement, path)
  }

  /// Reads the next column; a value of another type means that the file is damaged.
  package mutating func next<Value: Storable>(
    _ type: Value.Type = Value.self
  ) throws -> Value {
    defer { column += 1 }
    guard let value = Value(statement.value(column)) else {
      throw StoreFailure.corrupt(
        path: path, detail: "column \(statement.columnName(column)) holds no \(type)")
    }
    return value
  }

  /// Reads a value of several columns.
  mutating func next<Value: Record>(_ type: Value.Type = Value.self) throws -> Value {
    var value = Value.blank
    var column = ColumnVisitor(row: self)
    value.visit(&column)
    if let failure = column.failure { throw failure }
    self = column.row ?? self
    return value
  }

  /// Reads a column that says whether a value is present, and then the columns of the value.
  mutating func nextIfPresent<Value: Record>(
    _ type: Value.Type = Value.self
  ) throws -> Value? {
    if try next(Bool.self) { return try next(Value.self) }
    column += Int32(Value.columns.names.count)
    return nil
  }

  /// Reads a size in bytes, or NULL.
  mutating func size() throws -> Int64? { try next(ByteCount?.self)?.bytes }
}

/// The text of a statement, hashed by its length alone: hashing a long statement takes as long as running a short one, and few
/// have the same length.
package struct StatementText: Hashable {
  let sql: String

  package init(sql: String) {
    self.sql = sql
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
}

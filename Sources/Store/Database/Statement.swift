// The values bound to a statement and the row that it is at. Everything else reads and writes columns through these, and does not
// know the database.

import Core

/// The values of a statement's placeholders, bound one after the other.
package struct Parameters: ~Copyable {
  private let statement: any PreparedStatement

  init(of statement: any PreparedStatement) {
    self.statement = statement
  }

  func bind(_ value: Int64) { statement.bind(value) }
  func bind(_ value: Double) { statement.bind(value) }
  func bind(_ value: String) { statement.bind(value) }
  func bind(_ value: [UInt8]) { statement.bind(value) }
  func bind(_ list: [JSONValue], _ type: ColumnType) { statement.bind(list, type) }
  func bindNull(_ type: ColumnType) { statement.bindNull(type) }
  mutating func bind(_ value: some Bindable) { value.bind(to: &self) }
}

/// The current row of a statement; each `next()` reads one more column.
package struct Row: ~Copyable {
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
    guard let value = Value(self) else {
      throw StoreFailure.corrupt(
        path: path, detail: "column \(statement.columnName(column)) holds no \(type)")
    }
    return value
  }

  /// Reads a value of several columns.
  mutating func next<Value: Record>(_ type: Value.Type = Value.self) throws -> Value {
    var value = Value.blank
    try value.visit(&self)
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

// The current column, for values; nil if it holds something else.
extension Row {
  var isNull: Bool { statement.isNull(column) }
  var integer: Int64? { statement.integer(column) }
  var real: Double? { statement.real(column) }
  var text: String? { statement.text(column) }
  var bytes: [UInt8]? { statement.bytes(column) }
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

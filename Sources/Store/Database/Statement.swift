// A prepared statement of either engine, the values bound to it and the row that it is at. Everything else reads and writes
// columns through these, and does not know the engine.

import CSQLite
import Core

/// A prepared statement.
enum Statement {
  case sqlite(OpaquePointer)
  case postgres(PostgresStatement)
}

/// The type of a column.
enum ColumnType: String {
  case integer = "INTEGER"
  case real = "REAL"
  case text = "TEXT"
  case bytes = "BLOB"
  /// A list for `json_each`.
  case integers, texts
  /// The name of its column.
  case unknown
}

/// The values of a statement's placeholders, bound one after the other.
struct Parameters: ~Copyable {
  private let statement: Statement
  private var index: Int32 = 0
  /// The first result code that is an error, in the numbers of SQLite.
  private(set) var code = SQLITE_OK

  init(of statement: Statement) {
    self.statement = statement
  }

  mutating func bind(_ value: Int64) {
    switch statement {
    case .sqlite(let statement): record(sqlite3_bind_int64(statement, next(), value))
    case .postgres(let statement):
      withUnsafeBytes(of: value.bigEndian) { statement.bind($0, .integer) }
    }
  }

  mutating func bind(_ value: Double) {
    switch statement {
    case .sqlite(let statement): record(sqlite3_bind_double(statement, next(), value))
    case .postgres(let statement):
      withUnsafeBytes(of: value.bitPattern.bigEndian) { statement.bind($0, .real) }
    }
  }

  mutating func bind(_ value: String) {
    switch statement {
    case .sqlite(let statement):
      let index = next()
      var text = value
      record(
        text.withUTF8 { bytes in
          // SQLite stores NULL for a null pointer, so an empty text needs a pointer.
          guard let start = bytes.baseAddress, !bytes.isEmpty else {
            return bgfetch_sqlite_bind_text(statement, index, "", 0)
          }
          return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { start in
            bgfetch_sqlite_bind_text(statement, index, start, Int32(clamping: bytes.count))
          }
        })
    case .postgres(let statement): statement.bind(PostgresText.storable(value).utf8, .text)
    }
  }

  mutating func bind(_ value: [UInt8]) {
    switch statement {
    case .sqlite(let statement):
      let index = next()
      record(
        value.withUnsafeBytes { bytes in
          // SQLite stores NULL for a null pointer.
          guard let start = bytes.baseAddress, !bytes.isEmpty else {
            return sqlite3_bind_zeroblob(statement, index, 0)
          }
          return bgfetch_sqlite_bind_blob(statement, index, start, Int32(clamping: bytes.count))
        })
    case .postgres(let statement): statement.bind(value, .bytes)
    }
  }

  /// Binds a list for `json_each`: to SQLite as JSON, to PostgreSQL as an array.
  mutating func bind(_ list: [JSONValue], _ type: ColumnType) {
    switch statement {
    case .sqlite: bind(JSONValue.array(list).text)
    case .postgres(let statement): statement.bind(PostgresText.array(list).utf8, type)
    }
  }

  mutating func bind(_ value: some Bindable) { value.bind(to: &self) }

  mutating func bindNull(_ type: ColumnType) {
    switch statement {
    case .sqlite(let statement): record(sqlite3_bind_null(statement, next()))
    case .postgres(let statement): statement.bindNull(type)
    }
  }

  private mutating func next() -> Int32 {
    index += 1
    return index
  }

  private mutating func record(_ result: Int32) {
    if code == SQLITE_OK { code = result }
  }
}

/// The current row of a statement; each `next()` reads one more column.
struct Row: ~Copyable {
  private let statement: Statement
  private let path: String
  private var column: Int32 = 0

  init(_ statement: Statement, path: String) {
    (self.statement, self.path) = (statement, path)
  }

  /// Reads the next column; a value of another type means that the file is damaged.
  mutating func next<Value: Storable>(_ type: Value.Type = Value.self) throws(StoreFailure) -> Value {
    defer { column += 1 }
    guard let value = Value(self) else {
      throw .corrupt(path: path, detail: "column \(columnName) holds no \(type)")
    }
    return value
  }

  /// Reads a value of several columns.
  mutating func next<Value: Record>(_ type: Value.Type = Value.self) throws(StoreFailure) -> Value {
    var value = Value.blank
    try value.visit(&self)
    return value
  }

  /// Reads a column that says whether a value is present, and then the columns of the value.
  mutating func nextIfPresent<Value: Record>(
    _ type: Value.Type = Value.self
  ) throws(StoreFailure) -> Value? {
    if try next(Bool.self) { return try next(Value.self) }
    column += Int32(Value.columns.names.count)
    return nil
  }

  /// Reads a size in bytes, or NULL.
  mutating func size() throws(StoreFailure) -> Int64? { try next(ByteCount?.self)?.bytes }
}

// The current column, for values; nil if it holds something else.
extension Row {
  var isNull: Bool {
    switch statement {
    case .sqlite(let statement): sqlite3_column_type(statement, column) == SQLITE_NULL
    case .postgres(let statement): statement.isNull(column)
    }
  }

  var integer: Int64? {
    switch statement {
    case .sqlite(let statement):
      sqlite3_column_type(statement, column) == SQLITE_INTEGER ? sqlite3_column_int64(statement, column) : nil
    case .postgres(let statement): statement.integer(column)
    }
  }

  var real: Double? {
    switch statement {
    case .sqlite(let statement):
      sqlite3_column_type(statement, column) == SQLITE_FLOAT ? sqlite3_column_double(statement, column) : nil
    case .postgres(let statement): statement.real(column)
    }
  }

  var text: String? {
    switch statement {
    case .sqlite(let statement):
      guard sqlite3_column_type(statement, column) == SQLITE_TEXT,
        let start = sqlite3_column_text(statement, column)
      else { return nil }
      let count = Int(sqlite3_column_bytes(statement, column))
      return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    case .postgres(let statement): return statement.text(column)
    }
  }

  var bytes: [UInt8]? {
    switch statement {
    case .sqlite(let statement):
      guard sqlite3_column_type(statement, column) == SQLITE_BLOB else { return nil }
      let start = sqlite3_column_blob(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      return Array(UnsafeRawBufferPointer(start: start, count: count))
    case .postgres(let statement): return statement.bytes(column)
    }
  }

  private var columnName: String {
    switch statement {
    case .sqlite(let statement):
      sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "\(column)"
    case .postgres(let statement): statement.columnName(column)
    }
  }
}

/// The text of a statement, hashed by its length alone: hashing a long statement takes as long as running a short one, and few
/// have the same length.
struct StatementText: Hashable {
  let sql: String

  func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
}

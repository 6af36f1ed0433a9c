// A result row, read column by column in the order of the statement.

import CSQLite
import Core

/// The row a statement stands on; each `next()` reads one more column.
struct Row: ~Copyable {
  private let statement: OpaquePointer
  private let path: String
  private var column: Int32 = 0

  init(_ statement: OpaquePointer, path: String) {
    self.statement = statement
    self.path = path
  }

  /// Reads the next column; a value that cannot stand there means that the file was damaged.
  mutating func next<Value: Storable>(_ type: Value.Type = Value.self) throws(StoreFailure) -> Value {
    defer { column += 1 }
    guard let value = Value(statement, column: column) else {
      let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "\(column)"
      throw .corrupt(path: path, detail: "column \(name) holds no \(type)")
    }
    return value
  }

  /// Reads a size in bytes from the next column.
  mutating func size() throws(StoreFailure) -> Int64 { try next(ByteCount.self).bytes }

  /// Reads a size in bytes, or nothing, from the next column.
  mutating func optionalSize() throws(StoreFailure) -> Int64? { try next(ByteCount?.self)?.bytes }

  /// Passes over so many columns.
  mutating func skip(_ count: Int32) { column += count }
}

// A prepared statement of SQLite: its values and its rows.

import CSQLite
import Core

/// A prepared statement, which its connection keeps and closes.
final class SQLiteStatement: PreparedStatement {
  let handle: OpaquePointer
  private unowned let connection: SQLiteConnection
  private var index: Int32 = 0
  /// The first result code of a value that is an error.
  private var code = SQLITE_OK

  init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
    (self.handle, self.connection) = (handle, connection)
  }

  func bind(_ value: Int64) { record(sqlite3_bind_int64(handle, next(), value)) }
  func bind(_ value: Double) { record(sqlite3_bind_double(handle, next(), value)) }
  func bindNull(_ type: ColumnType) { record(sqlite3_bind_null(handle, next())) }
  func bind(_ list: [JSONValue], _ type: ColumnType) { bind(JSONValue.array(list).text) }

  func bind(_ value: String) {
    let index = next()
    var text = value
    record(
      text.withUTF8 { bytes in
        // SQLite stores NULL for a null pointer, so an empty text needs a pointer.
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
          return bgfetch_sqlite_bind_text(handle, index, "", 0)
        }
        return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { start in
          bgfetch_sqlite_bind_text(handle, index, start, Int32(clamping: bytes.count))
        }
      })
  }

  func bind(_ value: [UInt8]) {
    let index = next()
    record(
      value.withUnsafeBytes { bytes in
        // SQLite stores NULL for a null pointer.
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
          return sqlite3_bind_zeroblob(handle, index, 0)
        }
        return bgfetch_sqlite_bind_blob(handle, index, start, Int32(clamping: bytes.count))
      })
  }

  private func next() -> Int32 {
    index += 1
    return index
  }

  private func record(_ result: Int32) {
    if code == SQLITE_OK { code = result }
  }

  func run() throws {
    guard code == SQLITE_OK else { throw connection.failure(code) }
  }

  func step() throws -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw connection.failure(code)
  }

  func end() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
    index = 0
    code = SQLITE_OK
  }
}

// The columns of the current row.
extension SQLiteStatement {
  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int64? {
    sqlite3_column_type(handle, column) == SQLITE_INTEGER ? sqlite3_column_int64(handle, column) : nil
  }

  func real(_ column: Int32) -> Double? {
    sqlite3_column_type(handle, column) == SQLITE_FLOAT ? sqlite3_column_double(handle, column) : nil
  }

  func text(_ column: Int32) -> String? {
    guard sqlite3_column_type(handle, column) == SQLITE_TEXT, let start = sqlite3_column_text(handle, column)
    else { return nil }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  func bytes(_ column: Int32) -> [UInt8]? {
    guard sqlite3_column_type(handle, column) == SQLITE_BLOB else { return nil }
    let start = sqlite3_column_blob(handle, column)
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }

  func columnName(_ column: Int32) -> String {
    sqlite3_column_name(handle, column).map { String(cString: $0) } ?? "\(column)"
  }
}

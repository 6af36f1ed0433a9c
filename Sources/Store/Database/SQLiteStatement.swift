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

  func bind(_ value: ColumnValue) {
    index += 1
    let result =
      switch value {
      case .null: sqlite3_bind_null(handle, index)
      case .integer(let number): sqlite3_bind_int64(handle, index, number)
      case .real(let number): sqlite3_bind_double(handle, index, number)
      case .text(let text): bind(text)
      case .bytes(let bytes): bind(bytes)
      case .list(let list, _): bind(JSONValue.array(list).text)
      }
    if code == SQLITE_OK { code = result }
  }

  private func bind(_ text: String) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      // SQLite stores NULL for a null pointer, so an empty text needs a pointer.
      guard let start = bytes.baseAddress, !bytes.isEmpty else {
        return bgfetch_sqlite_bind_text(handle, index, "", 0)
      }
      return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { start in
        bgfetch_sqlite_bind_text(handle, index, start, Int32(clamping: bytes.count))
      }
    }
  }

  private func bind(_ bytes: [UInt8]) -> Int32 {
    bytes.withUnsafeBytes { bytes in
      // SQLite stores NULL for a null pointer.
      guard let start = bytes.baseAddress, !bytes.isEmpty else {
        return sqlite3_bind_zeroblob(handle, index, 0)
      }
      return bgfetch_sqlite_bind_blob(handle, index, start, Int32(clamping: bytes.count))
    }
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
  func value(_ column: Int32) -> ColumnValue {
    func buffer(_ start: UnsafeRawPointer?) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }
    return switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer(sqlite3_column_int64(handle, column))
    case SQLITE_FLOAT: .real(sqlite3_column_double(handle, column))
    case SQLITE_TEXT: .text(String(decoding: buffer(sqlite3_column_text(handle, column)), as: UTF8.self))
    case SQLITE_BLOB: .bytes(Array(buffer(sqlite3_column_blob(handle, column))))
    default: .null(.unknown)
    }
  }

  func columnName(_ column: Int32) -> String {
    sqlite3_column_name(handle, column).map { String(cString: $0) } ?? "\(column)"
  }
}

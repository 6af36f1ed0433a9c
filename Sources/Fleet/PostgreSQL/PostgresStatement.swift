// A prepared statement of PostgreSQL with its values and its rows, which arrive all at once.

import CLate
import Core
import Store

/// The functions of libpq, where it is installed.
var libpq: bgfetch_libpq_functions { bgfetch_libpq().pointee }

/// A prepared statement, the values bound to it, and the rows of its last run.
final class PostgresStatement: PreparedStatement {
  let sql: String
  let name: String
  /// Whether it may run twice.
  let onlyReads: Bool
  /// The session that it is prepared in.
  var session: Int?
  private unowned let connection: PostgresConnection
  private var result: OpaquePointer?
  private var row: Int32 = -1

  /// The types, lengths and formats of the values, and their bytes one after the other, each with a NUL after it.
  private(set) var types: [UInt32] = []
  private(set) var lengths: [Int32] = []
  private(set) var formats: [Int32] = []
  private(set) var bytes: [UInt8] = []

  init(_ sql: String, name: String, of connection: PostgresConnection) {
    (self.sql, self.name, self.connection) = (sql, name, connection)
    onlyReads = PostgresText.onlyReads(sql)
  }

  deinit { clear() }

  func end() {
    clear()
    types.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    formats.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  func bind(_ value: ColumnValue) {
    switch value {
    case .null(let type): bind(type, length: -1)
    case .integer(let number): withUnsafeBytes(of: number.bigEndian) { bind($0, .integer) }
    case .real(let number): withUnsafeBytes(of: number.bitPattern.bigEndian) { bind($0, .real) }
    case .text(let text): bind(PostgresText.storable(text).utf8, .text)
    case .bytes(let bytes): bind(bytes, .bytes)
    case .list(let list, let type): bind(PostgresText.array(list).utf8, type)
    }
  }

  /// Binds the next value, of which the server takes less than 2 GiB: numbers as big-endian bytes, lists as text.
  func bind(_ value: some Collection<UInt8>, _ type: ColumnType) {
    let value = value.prefix(Int(Int32.max))
    bind(type, length: Int32(value.count))
    bytes += value
    bytes.append(0)
  }

  private func bind(_ type: ColumnType, length: Int32) {
    types.append(type.number)
    lengths.append(length)
    formats.append(type == .integers || type == .texts ? 0 : 1)
  }

  private func clear() {
    if let result { libpq.PQclear(result) }
    result = nil
  }

  func run() throws { try connection.run(self) }

  /// Takes the rows over.
  func take(_ result: OpaquePointer) {
    clear()
    self.result = result
    row = -1
  }

  /// Steps to the next row; false at the end.
  func step() -> Bool {
    guard let result, row + 1 < libpq.PQntuples(result) else { return false }
    row += 1
    return true
  }
}

// The columns of the current row.
extension PostgresStatement {
  func value(_ column: Int32) -> ColumnValue {
    guard let result, libpq.PQgetisnull(result, row, column) == 0 else { return .null(.unknown) }
    return switch Int(libpq.PQftype(result, column)) {
    case BGFETCH_POSTGRES_FLOAT8:
      .real(Double(bitPattern: UInt64(bitPattern: bgfetch_postgres_integer(result, row, column))))
    case BGFETCH_POSTGRES_TEXT: .text(String(decoding: bytes(result, column), as: UTF8.self))
    case BGFETCH_POSTGRES_INT8, BGFETCH_POSTGRES_INT4, BGFETCH_POSTGRES_INT2, BGFETCH_POSTGRES_BOOL:
      .integer(bgfetch_postgres_integer(result, row, column))
    default: .bytes(Array(bytes(result, column)))
    }
  }

  func columnName(_ column: Int32) -> String {
    result.flatMap { libpq.PQfname($0, column) }.map { String(cString: $0) } ?? "\(column)"
  }

  private func bytes(_ result: OpaquePointer, _ column: Int32) -> UnsafeRawBufferPointer {
    var count: Int32 = 0
    let start = bgfetch_postgres_bytes(result, row, column, &count)
    return UnsafeRawBufferPointer(start: start, count: Int(count))
  }
}

extension ColumnType {
  /// The number of PostgreSQL's type for a value.
  var number: UInt32 {
    let number =
      switch self {
      case .integer: BGFETCH_POSTGRES_INT8
      case .real: BGFETCH_POSTGRES_FLOAT8
      case .text: BGFETCH_POSTGRES_TEXT
      case .bytes: BGFETCH_POSTGRES_BYTEA
      case .integers: BGFETCH_POSTGRES_INT8_ARRAY
      case .texts: BGFETCH_POSTGRES_TEXT_ARRAY
      case .unknown: 0
      }
    return UInt32(number)
  }
}

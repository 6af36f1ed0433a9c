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

  func bind(_ value: Int64) { withUnsafeBytes(of: value.bigEndian) { bind($0, .integer) } }
  func bind(_ value: Double) { withUnsafeBytes(of: value.bitPattern.bigEndian) { bind($0, .real) } }
  func bind(_ value: String) { bind(PostgresText.storable(value).utf8, .text) }
  func bind(_ value: [UInt8]) { bind(value, .bytes) }
  func bind(_ list: [JSONValue], _ type: ColumnType) { bind(PostgresText.array(list).utf8, type) }

  /// Binds the next value, of which the server takes less than 2 GiB: numbers as big-endian bytes, lists as text.
  func bind(_ value: some Collection<UInt8>, _ type: ColumnType) {
    let value = value.prefix(Int(Int32.max))
    bind(type, length: Int32(value.count))
    bytes += value
    bytes.append(0)
  }

  func bindNull(_ type: ColumnType) { bind(type, length: -1) }

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

// The columns of the current row; nil if a column holds something else.
extension PostgresStatement {
  func isNull(_ column: Int32) -> Bool {
    guard let result else { return true }
    return libpq.PQgetisnull(result, row, column) != 0
  }

  func integer(_ column: Int32) -> Int64? {
    value(
      column, BGFETCH_POSTGRES_INT8, BGFETCH_POSTGRES_INT4, BGFETCH_POSTGRES_INT2, BGFETCH_POSTGRES_BOOL
    ) { bgfetch_postgres_integer($0, row, column) }
  }

  func real(_ column: Int32) -> Double? {
    value(column, BGFETCH_POSTGRES_FLOAT8) {
      Double(bitPattern: UInt64(bitPattern: bgfetch_postgres_integer($0, row, column)))
    }
  }

  func text(_ column: Int32) -> String? {
    value(column, BGFETCH_POSTGRES_TEXT) { String(decoding: bytes($0, column), as: UTF8.self) }
  }

  func bytes(_ column: Int32) -> [UInt8]? {
    value(column, BGFETCH_POSTGRES_BYTEA) { Array(bytes($0, column)) }
  }

  func columnName(_ column: Int32) -> String {
    result.flatMap { libpq.PQfname($0, column) }.map { String(cString: $0) } ?? "\(column)"
  }

  private func value<Value>(
    _ column: Int32, _ types: Int..., read: (OpaquePointer) -> Value
  ) -> Value? {
    guard let result, libpq.PQgetisnull(result, row, column) == 0,
      types.contains(Int(libpq.PQftype(result, column)))
    else { return nil }
    return read(result)
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

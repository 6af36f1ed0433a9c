// Rows: reading them column by column, and values of several columns with one list for reading and writing.

import CSQLite
import Core

/// The current row of a statement; each `next()` reads one more column.
struct Row: ~Copyable {
  private let statement: OpaquePointer
  private let path: String
  private var column: Int32 = 0

  init(_ statement: OpaquePointer, path: String) {
    self.statement = statement
    self.path = path
  }

  /// Reads the next column; a value of another type means that the file is damaged.
  mutating func next<Value: Storable>(_ type: Value.Type = Value.self) throws(StoreFailure) -> Value {
    defer { column += 1 }
    guard let value = Value(statement, column: column) else {
      let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "\(column)"
      throw .corrupt(path: path, detail: "column \(name) holds no \(type)")
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

/// A value of several columns, with one list of them for reading and writing.
protocol Record: Bindable {
  /// A value to read columns into.
  static var blank: Self { get }
  static var columns: ColumnList { get }
  /// Shows each column to a visitor, always in the same order.
  mutating func visit<Visitor: ColumnVisitor & ~Copyable>(
    _ visitor: inout Visitor
  ) throws(Visitor.Failure)
}

extension Record {
  func bind(to statement: OpaquePointer, from index: inout Int32) -> Int32 {
    var binder = ColumnBinder(statement: statement, index: index)
    var copy = self
    copy.visit(&binder)
    index = binder.index
    return binder.code
  }
}

/// An operation on each column of a record.
protocol ColumnVisitor: ~Copyable {
  associatedtype Failure: Error
  mutating func column<Value: Storable>(_ name: String, _ value: inout Value) throws(Failure)
}

extension ColumnVisitor where Self: ~Copyable {
  /// Visits a column that holds a size in bytes.
  mutating func size(_ name: String, _ value: inout Int64) throws(Failure) {
    var size = ByteCount(value)
    try column(name, &size)
    value = size.bytes
  }

  /// Visits a column that holds a size in bytes, or NULL.
  mutating func size(_ name: String, _ value: inout Int64?) throws(Failure) {
    var size = value.map(ByteCount.init)
    try column(name, &size)
    value = size?.bytes
  }
}

extension Row: ColumnVisitor {
  mutating func column<Value: Storable>(_ name: String, _ value: inout Value) throws(StoreFailure) {
    value = try next()
  }
}

/// Binds one value after the other.
struct ColumnBinder: ColumnVisitor {
  private let statement: OpaquePointer
  private(set) var index: Int32
  /// The first result code that is an error.
  private(set) var code = SQLITE_OK

  init(statement: OpaquePointer, index: Int32) {
    self.statement = statement
    self.index = index
  }

  mutating func bind<Value: Storable>(_ value: Value) {
    let result = value.bind(to: statement, from: &index)
    if code == SQLITE_OK { code = result }
  }

  mutating func column<Value: Storable>(_ name: String, _ value: inout Value) throws(Never) { bind(value) }
}

/// The names of a record's columns, as SQL.
struct ColumnList: ColumnVisitor, CustomStringConvertible {
  private(set) var names: [String] = []
  /// The names with commas between them.
  private(set) var description = ""
  /// A question mark for each column, with commas between them.
  private(set) var placeholders = ""

  init<Value: Record>(_ type: Value.Type) {
    var value = Value.blank
    value.visit(&self)
    description = names.joined(separator: ", ")
    placeholders = names.map { _ in "?" }.joined(separator: ", ")
  }

  /// The names for a query in which other tables have columns of the same names.
  func of(_ table: String) -> String { names.map { table + "." + $0 }.joined(separator: ", ") }

  mutating func column<Value: Storable>(_ name: String, _ value: inout Value) throws(Never) {
    names.append(name)
  }
}

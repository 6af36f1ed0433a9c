// Values of several columns, with one list of them for reading and writing.

import Core

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
  package func bind(to parameters: inout Parameters) {
    var copy = self
    copy.visit(&parameters)
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

extension Parameters: ColumnVisitor {
  mutating func column<Value: Storable>(_ name: String, _ value: inout Value) throws(Never) {
    value.bind(to: &self)
  }
}

/// The names of a record's columns, as SQL.
struct ColumnList: ColumnVisitor, CustomStringConvertible {
  private(set) var names: [String] = []
  /// The names with commas between them.
  private(set) var description = ""
  /// A question mark for each column, with commas between them.
  private(set) var placeholders = ""
  /// Their values in an upsert: those of the row that could not be inserted.
  private(set) var replacements = ""
  /// The columns with their types, in the statement that makes a table.
  private(set) var definitions = ""

  init<Value: Record>(_ type: Value.Type) {
    var value = Value.blank
    value.visit(&self)
    description = names.joined(separator: ", ")
    placeholders = names.map { _ in "?" }.joined(separator: ", ")
    replacements = names.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
  }

  /// The names for a query in which other tables have columns of the same names.
  func of(_ table: String) -> String { names.map { table + "." + $0 }.joined(separator: ", ") }

  mutating func column<Value: Storable>(_ name: String, _ value: inout Value) throws(Never) {
    let rule = Value.isNullable ? "" : Value.columnType == .integer ? " NOT NULL DEFAULT 0" : " NOT NULL"
    definitions += (names.isEmpty ? "" : ", ") + name + " " + Value.columnType.rawValue + rule
    names.append(name)
  }
}

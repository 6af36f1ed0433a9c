// How values are bound to placeholders and read from columns. Values of one column are Storable; values of several
// columns are Records, which have one list of columns for reading and writing.

package import Core

/// A value for one or more placeholders of a statement.
package protocol Bindable {
  func bind(to statement: any PreparedStatement)
}

/// A value for one placeholder, which may be NULL instead.
package protocol Nullable: Bindable {
  static var columnType: ColumnType { get }
  /// Whether NULL is one of the values.
  static var isNullable: Bool { get }
  var columnValue: ColumnValue { get }
}

extension Nullable {
  package static var isNullable: Bool { false }
  package func bind(to statement: any PreparedStatement) { statement.bind(columnValue) }
}

/// A value of one column.
package protocol Storable: Nullable {
  /// Nil if the column holds something else.
  init?(_ value: ColumnValue)
}

extension Int64: Storable {
  package static var columnType: ColumnType { .integer }
  package var columnValue: ColumnValue { .integer(self) }

  package init?(_ value: ColumnValue) {
    guard case .integer(let number) = value else { return nil }
    self = number
  }
}

extension Double: Storable {
  package static var columnType: ColumnType { .real }
  package var columnValue: ColumnValue { .real(self) }

  package init?(_ value: ColumnValue) {
    guard case .real(let number) = value else { return nil }
    // Sums of damaged values must stay finite.
    self = min(max(number, -0x1p53), 0x1p53)
  }
}

extension String: Storable {
  package static var columnType: ColumnType { .text }
  package var columnValue: ColumnValue { .text(self) }

  package init?(_ value: ColumnValue) {
    guard case .text(let text) = value else { return nil }
    self = text
  }
}

/// Values that are bound one after the other.
struct Values: Bindable {
  let list: [any Bindable]

  func bind(to statement: any PreparedStatement) {
    for value in list { value.bind(to: statement) }
  }
}

/// The values of rows, which are bound one after the other.
struct RowValues: Bindable {
  let list: [ColumnValue]

  func bind(to statement: any PreparedStatement) {
    for value in list { statement.bind(value) }
  }
}

extension Optional: Bindable, Nullable where Wrapped: Nullable {
  package static var columnType: ColumnType { Wrapped.columnType }
  package static var isNullable: Bool { true }
  package var columnValue: ColumnValue { self?.columnValue ?? .null(Wrapped.columnType) }
  // Not the general one, for which the runtime would look up that an optional is Nullable each time.
  package func bind(to statement: any PreparedStatement) { statement.bind(columnValue) }
}

extension Optional: Storable where Wrapped: Storable {
  package init?(_ value: ColumnValue) {
    if case .null = value {
      self = .none
    } else if let value = Wrapped(value) {
      self = .some(value)
    } else {
      return nil
    }
  }
}

/// A value that is stored as a value of another type.
package protocol StoredAs: Storable {
  associatedtype Stored: Storable
  var stored: Stored { get }
  init?(stored: Stored)
}

extension StoredAs {
  package static var columnType: ColumnType { Stored.columnType }
  package var columnValue: ColumnValue { stored.columnValue }

  package init?(_ value: ColumnValue) {
    guard let stored = Stored(value) else { return nil }
    self.init(stored: stored)
  }
}

/// A count, limited to 2^53 in case it is damaged: additions to it must not overflow.
extension Int: StoredAs {
  package var stored: Int64 { Int64(self) }
  package init?(stored: Int64) { self = Int(Swift.min(Swift.max(stored, -1 << 53), 1 << 53)) }
}

extension Int32: StoredAs {
  package var stored: Int64 { Int64(self) }
  package init?(stored: Int64) { self.init(exactly: stored) }
}

/// SQLite has no unsigned numbers; the bits stay the same.
extension UInt64: StoredAs {
  package var stored: Int64 { Int64(bitPattern: self) }
  package init?(stored: Int64) { self.init(bitPattern: stored) }
}

/// A size in bytes, limited to an exbibyte so that additions to it do not overflow.
extension ByteCount: StoredAs {
  package var stored: Int64 { bytes }
  package init?(stored: Int64) { self.init(min(stored, 1 << 60)) }
}

extension Bool: StoredAs {
  package var stored: Int64 { self ? 1 : 0 }
  package init?(stored: Int64) { self = stored != 0 }
}

extension Instant: StoredAs {
  package var stored: Int64 { secondsSince1970 }
  package init?(stored: Int64) { self.init(secondsSince1970: stored) }
}

extension Timestamp: StoredAs {
  package var stored: Int64 { millisecondsSince1970 }
  package init?(stored: Int64) { self.init(millisecondsSince1970: stored) }
}

extension Interval: StoredAs {
  package var stored: Int64 { seconds }
  package init?(stored: Int64) { self.init(seconds: stored) }
}

extension DayKind: StoredAs {
  package var stored: Int64 { Int64(rawValue) }
  package init?(stored: Int64) { self.init(rawValue: Int(clamping: stored)) }
}

extension FeedName: StoredAs {
  package var stored: String { text }
  package init?(stored: String) { self.init(stored) }
}

extension NetworkAddress: StoredAs {
  package var stored: String { description }
  package init?(stored: String) { self.init(stored) }
}

extension StoredAs where Self: RawRepresentable<String> {
  package var stored: String { rawValue }
  package init?(stored: String) { self.init(rawValue: stored) }
}

extension FetchResult: StoredAs {}
extension BackoffClass: StoredAs {}
extension RunCause: StoredAs {}
extension RunEnding: StoredAs {}
extension EventKind: StoredAs {}
extension DeliveryStatus: StoredAs {}
extension TransferStatus: StoredAs {}
extension OmissionRule: StoredAs {}
extension Urgency: StoredAs {}

/// Hours of the day or days of the week, as the bits of one number; other numbers are dropped.
extension Set: Storable, Nullable, Bindable, StoredAs where Element == Int {
  package var stored: Int64 {
    reduce(0) { bits, number in (0..<63).contains(number) ? bits | 1 << Int64(number) : bits }
  }

  package init?(stored: Int64) {
    self = stored == 0 ? [] : Set((0..<63).filter { stored & 1 << Int64($0) != 0 })
  }
}

/// A list for `json_each`.
extension Array: Nullable, Bindable where Element: Storable {
  package static var columnType: ColumnType { Element.columnType == .integer ? .integers : .texts }
  // Not map(\.json): for a generic type each call would make another key path.
  package var columnValue: ColumnValue { .list(map { $0.columnValue.json }, Self.columnType) }
}

extension ColumnValue {
  /// The value as an element of a list.
  fileprivate var json: JSONValue {
    switch self {
    case .integer(let number): .number(number)
    case .text(let text): .string(text)
    case .null, .real, .bytes, .list: .null
    }
  }
}

// MARK: Several columns

/// A value of several columns, with one list of them for reading and writing.
protocol Record: Bindable {
  /// A value to read columns into.
  static var blank: Self { get }
  static var columns: ColumnList { get }
  /// Shows each column to a visitor, always in the same order.
  mutating func visit(_ column: inout ColumnVisitor)
}

extension Record {
  package func bind(to statement: any PreparedStatement) {
    var copy = self
    var column = ColumnVisitor(statement: statement)
    copy.visit(&column)
  }
}

/// An operation on each column of a record: its value is bound or read, or else its name is listed.
struct ColumnVisitor {
  /// The statement to which the values are bound.
  var statement: (any PreparedStatement)?
  /// The row from which the values are read, and why one could not be.
  var row: Row?
  private(set) var failure: (any Error)?
  private(set) var list = ColumnList()

  mutating func callAsFunction<Value: Storable>(_ name: String, _ value: inout Value) {
    if let statement {
      statement.bind(value.columnValue)
    } else if row != nil {
      do {
        value = try row?.next(Value.self) ?? value
      } catch {
        failure = failure ?? error
      }
    } else {
      list.add(name, Value.self)
    }
  }

  /// Visits a column that holds a size in bytes.
  mutating func size(_ name: String, _ value: inout Int64) {
    var size = ByteCount(value)
    self(name, &size)
    value = size.bytes
  }

  /// Visits a column that holds a size in bytes, or NULL.
  mutating func size(_ name: String, _ value: inout Int64?) {
    var size = value.map(ByteCount.init)
    self(name, &size)
    value = size?.bytes
  }
}

/// The names of a record's columns, as SQL.
struct ColumnList: CustomStringConvertible {
  private(set) var names: [String] = []
  /// The names with commas between them.
  private(set) var description = ""
  /// A question mark for each column, with commas between them.
  private(set) var placeholders = ""
  /// Their values in an upsert: those of the row that could not be inserted.
  private(set) var replacements = ""
  /// The columns with their types, in the statement that makes a table.
  private(set) var definitions = ""

  fileprivate init() {}

  init<Value: Record>(_ type: Value.Type) {
    var value = Value.blank
    var column = ColumnVisitor()
    value.visit(&column)
    self = column.list
    description = names.joined(separator: ", ")
    placeholders = names.map { _ in "?" }.joined(separator: ", ")
    replacements = names.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
  }

  /// The names for a query in which other tables have columns of the same names.
  func of(_ table: String) -> String { names.map { table + "." + $0 }.joined(separator: ", ") }

  fileprivate mutating func add<Value: Storable>(_ name: String, _ type: Value.Type) {
    let rule = Value.isNullable ? "" : Value.columnType == .integer ? " NOT NULL DEFAULT 0" : " NOT NULL"
    definitions += (names.isEmpty ? "" : ", ") + name + " " + Value.columnType.rawValue + rule
    names.append(name)
  }
}

// How values are bound to placeholders and read from columns. Values of one column are Storable; values of several
// columns are Records, which have one list of columns for reading and writing.

import Core

/// A value for one or more placeholders of a statement.
protocol Bindable {
  func bind(to parameters: inout Parameters)
}

/// A value for one placeholder, which may be NULL instead.
protocol Nullable: Bindable {
  static var columnType: ColumnType { get }
  /// Whether NULL is one of the values.
  static var isNullable: Bool { get }
}

extension Nullable {
  static var isNullable: Bool { false }
}

/// A value of one column.
protocol Storable: Nullable {
  /// Reads the value from the current column; nil if the column holds something else.
  init?(_ row: borrowing Row)
}

extension Int64: Storable {
  static var columnType: ColumnType { .integer }
  func bind(to parameters: inout Parameters) { parameters.bind(self) }

  init?(_ row: borrowing Row) {
    guard let value = row.integer else { return nil }
    self = value
  }
}

extension Double: Storable {
  static var columnType: ColumnType { .real }
  func bind(to parameters: inout Parameters) { parameters.bind(self) }

  init?(_ row: borrowing Row) {
    guard let value = row.real else { return nil }
    // Sums of damaged values must stay finite.
    self = min(max(value, -0x1p53), 0x1p53)
  }
}

extension String: Storable {
  static var columnType: ColumnType { .text }
  func bind(to parameters: inout Parameters) { parameters.bind(self) }

  init?(_ row: borrowing Row) {
    guard let value = row.text else { return nil }
    self = value
  }
}

/// Values that are bound one after the other.
struct Values: Bindable {
  let list: [any Bindable]

  func bind(to parameters: inout Parameters) {
    for value in list { value.bind(to: &parameters) }
  }
}

extension Optional: Bindable where Wrapped: Nullable {
  func bind(to parameters: inout Parameters) {
    switch self {
    case .some(let value): value.bind(to: &parameters)
    case .none: parameters.bindNull(Wrapped.columnType)
    }
  }
}

extension Optional: Nullable where Wrapped: Nullable {
  static var columnType: ColumnType { Wrapped.columnType }
  static var isNullable: Bool { true }
}

extension Optional: Storable where Wrapped: Storable {
  init?(_ row: borrowing Row) {
    if row.isNull {
      self = .none
    } else if let value = Wrapped(row) {
      self = .some(value)
    } else {
      return nil
    }
  }
}

/// A value that is stored as a value of another type.
protocol StoredAs: Storable {
  associatedtype Stored: Storable
  var stored: Stored { get }
  init?(stored: Stored)
}

extension StoredAs {
  static var columnType: ColumnType { Stored.columnType }
  func bind(to parameters: inout Parameters) { stored.bind(to: &parameters) }

  init?(_ row: borrowing Row) {
    guard let stored = Stored(row) else { return nil }
    self.init(stored: stored)
  }
}

/// A count, limited to 2^53 in case it is damaged: additions to it must not overflow.
extension Int: StoredAs {
  var stored: Int64 { Int64(self) }
  init?(stored: Int64) { self = Int(Swift.min(Swift.max(stored, -1 << 53), 1 << 53)) }
}

extension Int32: StoredAs {
  var stored: Int64 { Int64(self) }
  init?(stored: Int64) { self.init(exactly: stored) }
}

/// SQLite has no unsigned numbers; the bits stay the same.
extension UInt64: StoredAs {
  var stored: Int64 { Int64(bitPattern: self) }
  init?(stored: Int64) { self.init(bitPattern: stored) }
}

/// A size in bytes, limited to an exbibyte so that additions to it do not overflow.
extension ByteCount: StoredAs {
  var stored: Int64 { bytes }
  init?(stored: Int64) { self.init(min(stored, 1 << 60)) }
}

extension Bool: StoredAs {
  var stored: Int64 { self ? 1 : 0 }
  init?(stored: Int64) { self = stored != 0 }
}

extension Instant: StoredAs {
  var stored: Int64 { secondsSince1970 }
  init?(stored: Int64) { self.init(secondsSince1970: stored) }
}

extension Timestamp: StoredAs {
  var stored: Int64 { millisecondsSince1970 }
  init?(stored: Int64) { self.init(millisecondsSince1970: stored) }
}

extension Interval: StoredAs {
  var stored: Int64 { seconds }
  init?(stored: Int64) { self.init(seconds: stored) }
}

extension DayKind: StoredAs {
  var stored: Int64 { Int64(rawValue) }
  init?(stored: Int64) { self.init(rawValue: Int(clamping: stored)) }
}

extension FeedName: StoredAs {
  var stored: String { text }
  init?(stored: String) { self.init(stored) }
}

extension NetworkAddress: StoredAs {
  var stored: String { description }
  init?(stored: String) { self.init(stored) }
}

extension StoredAs where Self: RawRepresentable<String> {
  var stored: String { rawValue }
  init?(stored: String) { self.init(rawValue: stored) }
}

extension FetchResult: StoredAs {}
extension BackoffClass: StoredAs {}
extension IdentityRule: StoredAs {}
extension RunCause: StoredAs {}
extension RunEnding: StoredAs {}
extension EventKind: StoredAs {}
extension DeliveryStatus: StoredAs {}
extension TransferStatus: StoredAs {}
extension OmissionRule: StoredAs {}
extension Urgency: StoredAs {}

/// Hours of the day or days of the week, as the bits of one number; other numbers are dropped.
extension Set: Storable, Nullable, Bindable, StoredAs where Element == Int {
  var stored: Int64 {
    reduce(0) { bits, number in (0..<63).contains(number) ? bits | 1 << Int64(number) : bits }
  }

  init?(stored: Int64) { self = stored == 0 ? [] : Set((0..<63).filter { stored & 1 << Int64($0) != 0 }) }
}

/// A list for `json_each`.
extension Array: Nullable, Bindable where Element: ListElement {
  static var columnType: ColumnType { Element.listType }
  // Not map(\.json): for a generic type each call would make another key path.
  func bind(to parameters: inout Parameters) { parameters.bind(map { $0.json }, Element.listType) }
}

/// An element of a list for `json_each`.
protocol ListElement {
  static var listType: ColumnType { get }
  var json: JSONValue { get }
}

extension Int64: ListElement {
  static var listType: ColumnType { .integers }
  var json: JSONValue { .number(self) }
}

extension StoredAs where Stored == String {
  static var listType: ColumnType { .texts }
  var json: JSONValue { .string(stored) }
}

extension FeedName: ListElement {}
extension EventKind: ListElement {}
extension DeliveryStatus: ListElement {}
extension TransferStatus: ListElement {}

extension String: ListElement {
  static var listType: ColumnType { .texts }
  var json: JSONValue { .string(self) }
}

// How values are bound to placeholders and read from columns. Values of one column are Storable; values of several
// columns are Records, which have one list of columns for reading and writing.

import CSQLite
import Core

/// A value for one or more placeholders of a statement.
protocol Bindable {
  /// Binds the value to the placeholders from `index` on and advances `index`; returns SQLite's result code.
  func bind(to statement: OpaquePointer, from index: inout Int32) -> Int32
}

/// A value of one column.
protocol Storable: Bindable {
  /// Binds the value to a placeholder, counted from 1; returns SQLite's result code.
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32
  /// Reads the value from a column, counted from 0; nil if the column holds something else.
  init?(_ statement: OpaquePointer, column: Int32)
}

extension Storable {
  func bind(to statement: OpaquePointer, from index: inout Int32) -> Int32 {
    defer { index += 1 }
    return bind(to: statement, at: index)
  }
}

extension Int64: Storable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, self)
  }

  init?(_ statement: OpaquePointer, column: Int32) {
    guard sqlite3_column_type(statement, column) == SQLITE_INTEGER else { return nil }
    self = sqlite3_column_int64(statement, column)
  }
}

extension Double: Storable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_double(statement, index, self)
  }

  init?(_ statement: OpaquePointer, column: Int32) {
    guard sqlite3_column_type(statement, column) == SQLITE_FLOAT else { return nil }
    // Sums of damaged values must stay finite.
    self = min(max(sqlite3_column_double(statement, column), -0x1p53), 0x1p53)
  }
}

extension String: Storable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    var text = self
    return text.withUTF8 { bytes in
      // SQLite stores NULL for a null pointer, so an empty text needs a pointer.
      guard let start = bytes.baseAddress, !bytes.isEmpty else {
        return bgfetch_sqlite_bind_text(statement, index, "", 0)
      }
      return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { start in
        bgfetch_sqlite_bind_text(statement, index, start, Int32(clamping: bytes.count))
      }
    }
  }

  init?(_ statement: OpaquePointer, column: Int32) {
    guard sqlite3_column_type(statement, column) == SQLITE_TEXT,
      let start = sqlite3_column_text(statement, column)
    else { return nil }
    let count = Int(sqlite3_column_bytes(statement, column))
    self = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }
}

extension Optional: Bindable where Wrapped: Bindable {
  func bind(to statement: OpaquePointer, from index: inout Int32) -> Int32 {
    if let value = self { return value.bind(to: statement, from: &index) }
    defer { index += 1 }
    return sqlite3_bind_null(statement, index)
  }
}

extension Optional: Storable where Wrapped: Storable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    switch self {
    case .some(let value): value.bind(to: statement, at: index)
    case .none: sqlite3_bind_null(statement, index)
    }
  }

  init?(_ statement: OpaquePointer, column: Int32) {
    if sqlite3_column_type(statement, column) == SQLITE_NULL {
      self = .none
    } else if let value = Wrapped(statement, column: column) {
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
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    stored.bind(to: statement, at: index)
  }

  init?(_ statement: OpaquePointer, column: Int32) {
    guard let stored = Stored(statement, column: column) else { return nil }
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

/// Hours of the day or days of the week, as the bits of one number; other numbers are dropped.
extension Set: Storable, Bindable, StoredAs where Element == Int {
  var stored: Int64 {
    reduce(0) { bits, number in (0..<63).contains(number) ? bits | 1 << Int64(number) : bits }
  }

  init?(stored: Int64) { self = stored == 0 ? [] : Set((0..<63).filter { stored & 1 << Int64($0) != 0 }) }
}

/// A list for `json_each`.
extension Array: Bindable where Element: ListElement {
  func bind(to statement: OpaquePointer, from index: inout Int32) -> Int32 {
    JSONValue.array(map(\.json)).text.bind(to: statement, from: &index)
  }
}

/// An element of a list for `json_each`.
protocol ListElement {
  var json: JSONValue { get }
}

extension Int64: ListElement { var json: JSONValue { .number(self) } }
extension StoredAs where Stored == String { var json: JSONValue { .string(stored) } }
extension FeedName: ListElement {}
extension EventKind: ListElement {}
extension DeliveryStatus: ListElement {}
extension TransferStatus: ListElement {}
extension String: ListElement { var json: JSONValue { .string(self) } }

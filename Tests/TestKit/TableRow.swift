// The rows of a table whose elements cannot be arguments of a test themselves, for example because they contain functions.

/// A row of a table: its place, and in reports its content.
public struct TableRow: Sendable, CustomStringConvertible {
  public let index: Int
  public let description: String
}

extension Array {
  /// The rows, as arguments of a test.
  public var rows: [TableRow] {
    enumerated().map { TableRow(index: $0, description: "\($0): \(String(describing: $1).prefix(160))") }
  }
}

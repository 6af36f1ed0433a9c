// The door to a database: SQLite comes through it here, and a server that machines share in the module Fleet.
//
// Statements are SQLite's, and written so that a translation word by word is enough for a server: numbered placeholders, `IS ?` for
// two values that may be NULL, `json_each` over a bound list, RETURNING for what a change found, words of SQL large and names
// small.

package import Core

/// A connection to a database; one thread at a time uses it, and it is closed at its end.
package protocol DatabaseConnection: AnyObject {
  /// The path of the file, or the place of the server, for failures.
  var path: String { get }
  var isInTransaction: Bool { get }
  /// How many rows the last statement inserted, changed or deleted.
  var changes: Int { get }
  /// The number of the row inserted last; nil where only the statement itself can return it.
  var lastInserted: Int64? { get }

  /// Closes the connection; later statements fail with `closed`.
  func close()
  /// Runs any number of statements in the words of this database, ignoring their rows.
  func execute(_ sql: String) throws
  /// The statement of a text, which stays prepared, without values and rows.
  func statement(_ sql: String) throws -> any PreparedStatement
  /// Runs `body` in a transaction, as `Database.transaction` says; none is under way.
  func transaction<Result>(
    _ durability: Database.Durability, reliesOnReadRows: Bool, _ body: () throws -> Result
  ) throws -> Result
  /// Runs `body`, which only reads, on one state of the database; no transaction is under way.
  func snapshot<Result>(_ body: () throws -> Result) throws -> Result
  /// The version of the tables; 0 for none.
  func schemaVersion() throws -> Int

  // Copies of whole tables.

  /// Passes a query to `read`, which returns how many rows it has read; in parts where all rows would arrive at once.
  func readAll(_ query: String, _ read: (String) throws -> Int) throws
  /// Makes a table give numbers after this one to new rows.
  func continueNumbers(of table: TableCopy.Table, after last: Int64) throws
}

/// A prepared statement, the values bound to its placeholders one after the other, and the row that it is at.
package protocol PreparedStatement: AnyObject {
  /// Binds the value of the next placeholder.
  func bind(_ value: ColumnValue)
  /// Runs the statement with the values that were bound.
  func run() throws
  /// Steps to the next row; false at the end.
  func step() throws -> Bool
  /// Forgets the values and rows.
  func end()

  /// The value of a column of the current row.
  func value(_ column: Int32) -> ColumnValue
  func columnName(_ column: Int32) -> String
}

/// The value of a column or of a placeholder.
package enum ColumnValue {
  /// The type counts only for a placeholder.
  case null(ColumnType)
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes([UInt8])
  /// A list for `json_each`, of a type of lists.
  case list([JSONValue], ColumnType)
}

/// The type of a column.
package enum ColumnType: String {
  case integer = "INTEGER"
  case real = "REAL"
  case text = "TEXT"
  case bytes = "BLOB"
  /// A list for `json_each`.
  case integers, texts
  /// The name of its column.
  case unknown
}

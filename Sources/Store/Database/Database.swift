// A database: statements with values, many new rows at once, transactions. The meaning of tables and rows belongs to the extensions of Store, and how it is
// done to a connection (Connection.swift).

package import Core

/// A connection to a database with the questions that are asked of it; an actor is the only caller.
package struct Database: ~Copyable {
  package let connection: any DatabaseConnection

  /// The path of the file, or the place of the server, for failures.
  package var path: String { connection.path }

  package enum Access {
    case read, write, memory
  }

  /// How well a committed transaction survives a power cut.
  package enum Durability {
    /// A power cut may undo the latest transactions, each one whole.
    case ordinary
    case survivesPowerCut
  }

  package init(_ connection: any DatabaseConnection) {
    self.connection = connection
  }

  /// Opens a file of SQLite; creates it if `access` is `write`.
  package init(path: String, access: Access) throws {
    connection = try SQLiteConnection(path: path, access: access)
  }

  /// Closes the connection; later statements fail with `closed`.
  package func close() { connection.close() }

  /// Sets how long to wait for another connection's lock before failing with `busy`; a server has a time of its own.
  package func waitForLocks(for patience: Interval) {
    (connection as? SQLiteConnection)?.waitForLocks(milliseconds: Int32(clamping: patience.seconds * 1000))
  }

  /// Runs any number of statements without placeholders, ignoring their rows.
  package func execute(_ sql: String) throws { try connection.execute(sql) }

  /// Runs one statement, ignoring its rows; returns how many rows it inserted, changed or deleted itself.
  @discardableResult
  package func run(_ sql: String, _ values: any Bindable...) throws -> Int {
    try read(sql, values) { _ in true }
    return connection.changes
  }

  /// Runs a statement that inserts one row; returns its number.
  package func insert(_ sql: String, _ values: any Bindable...) throws -> Int64 {
    guard connection.lastInserted != nil else {
      return try value(sql + " RETURNING number", Values(list: values)) ?? 0
    }
    try read(sql, values) { _ in true }
    return connection.lastInserted ?? 0
  }

  /// Whether a query has any row.
  package func exists(_ sql: String, _ values: any Bindable...) throws -> Bool {
    try first(sql, Values(list: values)) { _ in true } ?? false
  }

  /// The only column of the first row; nil if there is no row, or NULL in it.
  package func value<Result: Storable>(
    _ sql: String, _ values: any Bindable..., as type: Result.Type = Result.self
  ) throws -> Result? {
    try first(sql, Values(list: values)) { row in try row.next(Result?.self) } ?? nil
  }

  /// The columns of all rows in order: a tuple for each row, or the value itself if there is one column.
  package func rows<each Column: Storable>(
    _ sql: String, _ values: any Bindable...
  ) throws -> [(repeat each Column)] {
    try all(sql, Values(list: values)) { row in (repeat try row.next((each Column).self)) }
  }

  /// The first row, if there is one.
  package func first<Result>(
    _ sql: String, _ values: any Bindable..., read: (inout Row) throws -> Result
  ) throws -> Result? {
    var result: Result?
    try self.read(sql, values) { row in
      result = try read(&row)
      return false
    }
    return result
  }

  /// Calls `read` for each row in order.
  package func each(
    _ sql: String, _ values: any Bindable..., read: (inout Row) throws -> Void
  ) throws {
    try self.read(sql, values) { row in
      try read(&row)
      return true
    }
  }

  /// All rows in order.
  package func all<Result>(
    _ sql: String, _ values: any Bindable..., read: (inout Row) throws -> Result
  ) throws -> [Result] {
    var results: [Result] = []
    try self.read(sql, values) { row in
      results.append(try read(&row))
      return true
    }
    return results
  }

  /// Calls `read` for each row in order, until it returns false.
  ///
  /// Every statement runs here, and none has code of its own: generic over the values, they took a third of the module's
  /// build.
  private func read(
    _ sql: String, _ values: [any Bindable], _ read: (inout Row) throws -> Bool
  ) throws {
    let statement = try connection.statement(sql)
    defer { statement.end() }
    for value in values { value.bind(to: statement) }
    try statement.run()
    while try statement.step() {
      var row = Row(statement, path: path)
      guard try read(&row) else { return }
    }
  }
}

extension Database {
  /// Runs `body` in one transaction, as if no other were under way, and rolls it back if `body` throws.
  ///
  /// Within a transaction it is a part of that. In a file of SQLite it holds the write lock from its start. On a server it runs
  /// again if others got in the way, or the connection was lost, so `body` must do nothing but read and write here, or remember
  /// what it did.
  ///
  /// - Parameter relies: on a server, whether `body` may rely on rows that it reads and does not change. Otherwise only those who
  ///   change the same rows get in its way ("Repeatable Read Isolation Level").
  package func transaction<Result>(
    _ durability: Durability = .ordinary, reliesOnReadRows relies: Bool = true,
    _ body: () throws -> Result
  ) throws -> Result {
    guard !connection.isInTransaction else { return try body() }
    return try connection.transaction(durability, reliesOnReadRows: relies, body)
  }

  /// Runs `body`, which only reads, on one state of the database, even if others commit meanwhile.
  package func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    guard !connection.isInTransaction else { return try body() }
    return try connection.snapshot(body)
  }
}

// MARK: Many rows

// Several by one statement, because a statement by itself costs as much as half a row.

/// The statements that add rows to a table.
struct Insertion {
  /// How many rows the larger statement adds.
  static let rows = 10
  fileprivate let single: String
  fileprivate let several: String

  /// - Parameter columns: the names of the columns, with commas between them.
  init(into table: String, _ columns: String) {
    let marks = columns.split(separator: ",").map { _ in "?" }.joined(separator: ", ")
    single = "INSERT INTO \(table) (\(columns)) VALUES (\(marks))"
    several = single + String(repeating: ", (\(marks))", count: Self.rows - 1)
  }
}

extension Database {
  /// Adds rows in their order, and returns their numbers.
  func addNumbered(_ rows: some Collection<[ColumnValue]>, by insertion: Insertion) throws -> [Int64] {
    guard connection.lastInserted != nil else {
      return try rows.map { try insert(insertion.single, RowValues(list: $0)) }
    }
    try add(rows, by: insertion)
    // AUTOINCREMENT: within a transaction, numbers follow one another.
    let last = connection.lastInserted ?? 0
    return (0..<rows.count).map { last - Int64(rows.count - 1 - $0) }
  }

  /// Adds rows in their order, each made when it is added.
  func add(_ rows: some Sequence<[ColumnValue]>, by insertion: Insertion) throws {
    var waiting: [[ColumnValue]] = []
    for row in rows {
      waiting.append(row)
      guard waiting.count == Insertion.rows else { continue }
      try run(insertion.several, RowValues(list: waiting.flatMap(\.self)))
      waiting = []
    }
    for row in waiting { try run(insertion.single, RowValues(list: row)) }
  }
}

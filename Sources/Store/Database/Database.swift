// A connection to a database: statements, transactions. The meaning of tables and rows belongs to the extensions of Store.
//
// Statements are SQLite's, and are written so that PostgreSQL takes them too (PostgresText says what is translated).

import Core

/// The only owner of a connection, which it closes at its end; an actor is the only caller.
struct Database: ~Copyable {
  /// The path of the file, or the place of the server, for failures.
  let path: String
  let engine: Engine

  enum Engine {
    case sqlite(SQLiteConnection)
    case postgres(PostgresConnection)
  }

  enum Access {
    case read, write, memory
  }

  /// How well a committed transaction survives a power cut.
  enum Durability {
    /// A power cut may undo the latest transactions, each one whole.
    case ordinary
    case survivesPowerCut
  }

  /// Opens a file of SQLite; creates it if `access` is `write`.
  init(path: String, access: Access) throws(StoreFailure) {
    self.path = path
    engine = .sqlite(try SQLiteConnection(path: path, access: access))
  }

  /// A connection to PostgreSQL.
  init(_ connection: PostgresConnection) {
    path = connection.place
    engine = .postgres(connection)
  }

  /// Closes the connection; later statements fail with `closed`.
  func close() {
    switch engine {
    case .sqlite(let connection): connection.close()
    case .postgres(let connection): connection.close()
    }
  }

  /// Sets how long to wait for another connection's lock before failing with `busy`; PostgreSQL has a time of its own.
  func waitForLocks(for patience: Interval) {
    guard case .sqlite(let connection) = engine else { return }
    connection.waitForLocks(milliseconds: Int32(clamping: patience.seconds * 1000))
  }

  /// Whether the tables are in a file of SQLite.
  var isFile: Bool {
    if case .sqlite = engine { true } else { false }
  }

  /// The durability of what is committed before anyone is notified of it.
  ///
  /// A server that crashes may lose its last commits: nobody may be notified of an event that is then gone. A file loses
  /// them only with the whole machine.
  var durabilityOfNotice: Durability { isFile ? .ordinary : .survivesPowerCut }

  /// Runs any number of statements without placeholders, ignoring their rows.
  func execute(_ sql: String) throws(StoreFailure) {
    switch engine {
    case .sqlite(let connection): try connection.execute(sql)
    case .postgres(let connection): try connection.execute(sql)
    }
  }

  /// Runs one statement, ignoring its rows; returns how many rows it inserted, changed or deleted itself.
  @discardableResult
  func run(_ sql: String, _ values: any Bindable...) throws(StoreFailure) -> Int {
    try read(sql, values) { _ in true }
    switch engine {
    case .sqlite(let connection): return connection.changes
    case .postgres(let connection): return connection.changes
    }
  }

  /// Runs a statement that inserts one row; returns its number.
  func insert(_ sql: String, _ values: any Bindable...) throws(StoreFailure) -> Int64 {
    switch engine {
    case .sqlite(let connection):
      try read(sql, values) { _ in true }
      return connection.lastInserted
    case .postgres: return try value(sql + " RETURNING number", Values(list: values)) ?? 0
    }
  }

  /// Whether a query has any row.
  func exists(_ sql: String, _ values: any Bindable...) throws(StoreFailure) -> Bool {
    var exists = false
    try read(sql, values) { _ in
      exists = true
      return false
    }
    return exists
  }

  /// The only column of the first row; nil if there is no row, or NULL in it.
  func value<Result: Storable>(
    _ sql: String, _ values: any Bindable..., as type: Result.Type = Result.self
  ) throws(StoreFailure) -> Result? {
    var result: Result?
    try read(sql, values) { row throws(StoreFailure) in
      result = try row.next()
      return false
    }
    return result
  }

  /// The columns of all rows in order: a tuple for each row, or the value itself if there is one column.
  func rows<each Column: Storable>(
    _ sql: String, _ values: any Bindable...
  ) throws(StoreFailure) -> [(repeat each Column)] {
    var rows: [(repeat each Column)] = []
    try read(sql, values) { row throws(StoreFailure) in
      rows.append((repeat try row.next((each Column).self)))
      return true
    }
    return rows
  }

  /// The first row, if there is one.
  func first<Result>(
    _ sql: String, _ values: any Bindable..., read: (inout Row) throws(StoreFailure) -> Result
  ) throws(StoreFailure) -> Result? {
    var result: Result?
    try self.read(sql, values) { row throws(StoreFailure) in
      result = try read(&row)
      return false
    }
    return result
  }

  /// Calls `read` for each row in order.
  func each(
    _ sql: String, _ values: any Bindable..., read: (inout Row) throws(StoreFailure) -> Void
  ) throws(StoreFailure) {
    try self.read(sql, values) { row throws(StoreFailure) in
      try read(&row)
      return true
    }
  }

  /// All rows in order.
  func all<Result>(
    _ sql: String, _ values: any Bindable..., read: (inout Row) throws(StoreFailure) -> Result
  ) throws(StoreFailure) -> [Result] {
    var results: [Result] = []
    try self.read(sql, values) { row throws(StoreFailure) in
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
    _ sql: String, _ values: [any Bindable], _ read: (inout Row) throws(StoreFailure) -> Bool
  ) throws(StoreFailure) {
    let statement = try begin(sql, values)
    defer { end(statement) }
    while try step(statement) {
      var row = Row(statement, path: path)
      guard try read(&row) else { return }
    }
  }

  private func begin(_ sql: String, _ values: [any Bindable]) throws(StoreFailure) -> Statement {
    switch engine {
    case .sqlite(let connection):
      let statement = try connection.statement(sql)
      var parameters = Parameters(of: .sqlite(statement))
      for value in values { value.bind(to: &parameters) }
      try connection.check(parameters.code)
      return .sqlite(statement)
    case .postgres(let connection):
      let statement = try connection.statement(sql)
      var parameters = Parameters(of: .postgres(statement))
      for value in values { value.bind(to: &parameters) }
      try connection.run(statement)
      return .postgres(statement)
    }
  }

  /// Steps to the next row; false at the end.
  private func step(_ statement: Statement) throws(StoreFailure) -> Bool {
    switch (engine, statement) {
    case (.sqlite(let connection), .sqlite(let statement)): try connection.step(statement)
    case (_, .postgres(let statement)): statement.step()
    case (.postgres, .sqlite): false
    }
  }

  private func end(_ statement: Statement) {
    switch (engine, statement) {
    case (.sqlite(let connection), .sqlite(let statement)): connection.end(statement)
    case (_, .postgres(let statement)): statement.end()
    case (.postgres, .sqlite): break
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
  func transaction<Result>(
    _ durability: Durability = .ordinary, reliesOnReadRows relies: Bool = true,
    _ body: () throws(StoreFailure) -> Result
  ) throws(StoreFailure) -> Result {
    guard !isInTransaction else { return try body() }
    switch engine {
    case .sqlite(let connection): return try transaction(in: connection, durability, body)
    case .postgres(let connection):
      return try connection.transaction(
        relies ? .serializable : .repeatableRead, isDurable: durability == .survivesPowerCut, body)
    }
  }

  private var isInTransaction: Bool {
    switch engine {
    case .sqlite(let connection): connection.isInTransaction
    case .postgres(let connection): connection.isInTransaction
    }
  }

  private func transaction<Result>(
    in connection: SQLiteConnection, _ durability: Durability, _ body: () throws(StoreFailure) -> Result
  ) throws(StoreFailure) -> Result {
    if durability == .survivesPowerCut { try execute("PRAGMA synchronous = FULL") }
    defer {
      // If this fails, transactions stay more durable than necessary.
      if durability == .survivesPowerCut { try? execute("PRAGMA synchronous = NORMAL") }
    }
    try run("BEGIN IMMEDIATE")
    do throws(StoreFailure) {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // The first failure is reported.
      if connection.isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Runs `body`, which only reads, on one state of the database, even if others commit meanwhile.
  func snapshot<Result>(_ body: () throws(StoreFailure) -> Result) throws(StoreFailure) -> Result {
    guard !isInTransaction else { return try body() }
    if case .postgres(let connection) = engine { return try connection.transaction(onlyReads: true, body) }
    try run("BEGIN")
    // Nothing was written, so a failure here loses nothing.
    defer { _ = try? run("ROLLBACK") }
    return try body()
  }

  /// Runs a statement that may run twice: it is repeated if the connection is lost before its answer comes, and needs no
  /// transaction to be looked up in.
  func repeatable<Result>(_ body: () throws(StoreFailure) -> Result) throws(StoreFailure) -> Result {
    guard case .postgres(let connection) = engine else { return try body() }
    connection.mayRepeat = true
    defer { connection.mayRepeat = false }
    return try body()
  }
}

// One connection to SQLite: opening and closing it, running statements, transactions. What the rows mean is
// the Store's business.

import CSQLite
import Core

/// The only owner of one connection; the connection ends with it.
///
/// SQLite is told not to lock for us (`SQLITE_OPEN_NOMUTEX`): whoever owns this, an actor, is the only caller.
struct Database: ~Copyable {
  /// Where the file is, for failures.
  let path: String
  private let connection: OpaquePointer
  private let statements = StatementCache()

  /// What the connection may do to the file.
  enum Access {
    case read, write, memory
  }

  /// How much of a committed transaction a power cut may take back.
  enum Durability {
    /// The last moments, never part of a transaction.
    case ordinary
    /// Nothing.
    case survivesPowerCut
  }

  /// Opens a file; one that is to be written is made if there is none.
  init(path: String, access: Access) throws(StoreFailure) {
    let flags =
      switch access {
      case .read: SQLITE_OPEN_READONLY
      case .write: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .memory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
      }
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let opened else {
      let detail = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      let systemError = opened.map { sqlite3_system_errno($0) } ?? 0
      sqlite3_close_v2(opened)
      throw StoreFailure(code: code, systemError: systemError, detail: detail, path: path)
    }
    sqlite3_extended_result_codes(opened, 1)
    // A damaged or planted file must not get further than its own rows (https://sqlite.org/security.html).
    _ = bgfetch_sqlite_set_option(opened, SQLITE_DBCONFIG_DEFENSIVE, 1)
    _ = bgfetch_sqlite_set_option(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    _ = bgfetch_sqlite_set_option(opened, SQLITE_DBCONFIG_ENABLE_FKEY, 1)
    self.path = path
    self.connection = opened
  }

  deinit {
    if !statements.isClosed { Self.close(connection, statements) }
  }

  /// Ends the connection; what is run later fails with `closed`.
  func close() {
    if !statements.isClosed { Self.close(connection, statements) }
  }

  private static func close(_ connection: OpaquePointer, _ statements: StatementCache) {
    statements.close()
    sqlite3_close_v2(connection)
  }

  /// How long to wait for another connection's lock before failing with `busy`.
  func waitForLocks(milliseconds: Int32) {
    sqlite3_busy_timeout(connection, milliseconds)
  }

  /// How many rows the last statement inserted, changed or deleted itself.
  var changes: Int { Int(sqlite3_changes64(connection)) }

  /// The number of the row inserted last.
  var lastInserted: Int64 { sqlite3_last_insert_rowid(connection) }

  /// Runs any number of statements that take no values and whose rows do not matter.
  func execute(_ sql: String) throws(StoreFailure) {
    guard !statements.isClosed else { throw .closed(path: path) }
    try check(sqlite3_exec(connection, sql, nil, nil, nil))
  }

  /// Runs one statement whose rows do not matter.
  func run<each Value: Storable>(_ sql: String, _ values: repeat each Value) throws(StoreFailure) {
    let statement = try begin(sql, repeat each values)
    defer { end(statement) }
    while try step(statement) {}
  }

  /// The one column of the first row; nil if there is no row, or nothing in it.
  func value<each Value: Storable, Result: Storable>(
    _ sql: String, _ values: repeat each Value, as type: Result.Type = Result.self
  ) throws(StoreFailure) -> Result? {
    try first(sql, repeat each values) { row throws(StoreFailure) in try row.next(Result?.self) } ?? nil
  }

  /// The one column of all rows in order.
  func values<each Value: Storable, Result: Storable>(
    _ sql: String, _ values: repeat each Value, as type: Result.Type = Result.self
  ) throws(StoreFailure) -> [Result] {
    try all(sql, repeat each values) { row throws(StoreFailure) in try row.next(Result.self) }
  }

  /// The first row; nil if there is none.
  func first<each Value: Storable, Result>(
    _ sql: String, _ values: repeat each Value, read: (inout Row) throws(StoreFailure) -> Result
  ) throws(StoreFailure) -> Result? {
    let statement = try begin(sql, repeat each values)
    defer { end(statement) }
    guard try step(statement) else { return nil }
    var row = Row(statement, path: path)
    return try read(&row)
  }

  /// Hands over all rows in order.
  func each<each Value: Storable>(
    _ sql: String, _ values: repeat each Value, read: (inout Row) throws(StoreFailure) -> Void
  ) throws(StoreFailure) {
    let statement = try begin(sql, repeat each values)
    defer { end(statement) }
    while try step(statement) {
      var row = Row(statement, path: path)
      try read(&row)
    }
  }

  /// All rows in order.
  func all<each Value: Storable, Result>(
    _ sql: String, _ values: repeat each Value, read: (inout Row) throws(StoreFailure) -> Result
  ) throws(StoreFailure) -> [Result] {
    var results: [Result] = []
    try each(sql, repeat each values) { row throws(StoreFailure) in
      results.append(try read(&row))
    }
    return results
  }

  /// Runs `body` in one transaction that holds the write lock from its beginning; if `body` throws, nothing
  /// of it remains.
  func transaction<Result>(
    _ durability: Durability = .ordinary, _ body: () throws(StoreFailure) -> Result
  ) throws(StoreFailure) -> Result {
    if durability == .survivesPowerCut { try execute("PRAGMA synchronous = FULL") }
    defer {
      // Where this fails, transactions stay more durable than they need be.
      if durability == .survivesPowerCut { try? execute("PRAGMA synchronous = NORMAL") }
    }
    try run("BEGIN IMMEDIATE")
    do throws(StoreFailure) {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // SQLite has rolled back by itself after some failures, SQLITE_FULL among them; the first failure is
      // the one to report.
      if sqlite3_get_autocommit(connection) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Runs `body`, which only reads, on the file as it is now, whatever others commit meanwhile.
  func snapshot<Result>(_ body: () throws(StoreFailure) -> Result) throws(StoreFailure) -> Result {
    try run("BEGIN")
    // Nothing was written, so nothing can be lost where ending fails.
    defer { try? run("ROLLBACK") }
    return try body()
  }

  private func begin<each Value: Storable>(
    _ sql: String, _ values: repeat each Value
  ) throws(StoreFailure) -> OpaquePointer {
    guard !statements.isClosed else { throw .closed(path: path) }
    let statement: OpaquePointer
    if let kept = statements[sql] {
      // A statement that runs inside itself would lose its place; write it as two.
      assert(sqlite3_stmt_busy(kept) == 0, sql)
      statement = kept
    } else {
      var prepared: OpaquePointer?
      try check(sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil))
      guard let prepared else { throw .other(path: path, code: Int(SQLITE_MISUSE), detail: "no statement") }
      statements[sql] = prepared
      statement = prepared
    }
    var index: Int32 = 0
    for value in repeat each values {
      index += 1
      try check(value.bind(to: statement, at: index))
    }
    return statement
  }

  /// Goes to the next row; false at the end.
  private func step(_ statement: OpaquePointer) throws(StoreFailure) -> Bool {
    let code = sqlite3_step(statement)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw failure(code)
  }

  private func end(_ statement: OpaquePointer) {
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
  }

  private func check(_ code: Int32) throws(StoreFailure) {
    guard code == SQLITE_OK else { throw failure(code) }
  }

  private func failure(_ code: Int32) -> StoreFailure {
    StoreFailure(
      code: code, systemError: sqlite3_system_errno(connection),
      detail: String(cString: sqlite3_errmsg(connection)), path: path)
  }
}

/// The prepared statements of one connection, by their text.
private final class StatementCache {
  private var statements: [String: OpaquePointer] = [:]
  private(set) var isClosed = false

  subscript(sql: String) -> OpaquePointer? {
    get { statements[sql] }
    set { statements[sql] = newValue }
  }

  func close() {
    for statement in statements.values { sqlite3_finalize(statement) }
    statements = [:]
    isClosed = true
  }
}

// One connection to SQLite: opening and closing it, statements, transactions, result codes. The meaning of tables and
// rows belongs to the extensions of Store.

import CSQLite
import Core
import Glibc

/// The only owner of one connection, which it closes at its end.
///
/// SQLite does no locking between threads (`SQLITE_OPEN_NOMUTEX`): the owner, an actor, is the only caller.
struct Database: ~Copyable {
  /// The path of the file, for failures.
  let path: String
  private let connection: OpaquePointer
  private let statements = StatementCache()

  enum Access {
    case read, write, memory
  }

  /// How well a committed transaction survives a power cut.
  enum Durability {
    /// A power cut may undo the latest transactions, each one whole.
    case ordinary
    case survivesPowerCut
  }

  /// Opens a file; creates it if `access` is `write`.
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
    // A damaged or malicious file must not do harm beyond its own rows (https://sqlite.org/security.html).
    _ = bgfetch_sqlite_set_option(opened, SQLITE_DBCONFIG_DEFENSIVE, 1)
    _ = bgfetch_sqlite_set_option(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    _ = bgfetch_sqlite_set_option(opened, SQLITE_DBCONFIG_ENABLE_FKEY, 1)
    self.path = path
    self.connection = opened
  }

  deinit {
    if !statements.isClosed { Self.close(connection, statements) }
  }

  /// Closes the connection; later statements fail with `closed`.
  func close() {
    if !statements.isClosed { Self.close(connection, statements) }
  }

  private static func close(_ connection: OpaquePointer, _ statements: StatementCache) {
    statements.close()
    sqlite3_close_v2(connection)
  }

  /// Sets how long to wait for another connection's lock before failing with `busy`.
  func waitForLocks(milliseconds: Int32) {
    sqlite3_busy_timeout(connection, milliseconds)
  }

  /// The number of the row inserted last.
  var lastInserted: Int64 { sqlite3_last_insert_rowid(connection) }

  /// Runs any number of statements without placeholders, ignoring their rows.
  func execute(_ sql: String) throws(StoreFailure) {
    guard !statements.isClosed else { throw .closed(path: path) }
    try check(sqlite3_exec(connection, sql, nil, nil, nil))
  }

  /// Runs one statement, ignoring its rows; returns how many rows it inserted, changed or deleted itself.
  @discardableResult
  func run<each Value: Bindable>(
    _ sql: String, _ values: repeat each Value
  ) throws(StoreFailure) -> Int {
    let statement = try begin(sql, repeat each values)
    defer { end(statement) }
    while try step(statement) {}
    return Int(sqlite3_changes64(connection))
  }

  /// Whether a query has any row.
  func exists<each Value: Bindable>(
    _ sql: String, _ values: repeat each Value
  ) throws(StoreFailure) -> Bool {
    try first(sql, repeat each values) { _ throws(StoreFailure) in true } ?? false
  }

  /// The only column of the first row; nil if there is no row, or NULL in it.
  func value<each Value: Bindable, Result: Storable>(
    _ sql: String, _ values: repeat each Value, as type: Result.Type = Result.self
  ) throws(StoreFailure) -> Result? {
    try first(sql, repeat each values) { row throws(StoreFailure) in try row.next(Result?.self) } ?? nil
  }

  /// The columns of all rows in order: a tuple for each row, or the value itself if there is one column.
  func rows<each Value: Bindable, each Column: Storable>(
    _ sql: String, _ values: repeat each Value
  ) throws(StoreFailure) -> [(repeat each Column)] {
    try all(sql, repeat each values) { row throws(StoreFailure) in
      (repeat try row.next((each Column).self))
    }
  }

  /// The first row, if there is one.
  func first<each Value: Bindable, Result>(
    _ sql: String, _ values: repeat each Value, read: (inout Row) throws(StoreFailure) -> Result
  ) throws(StoreFailure) -> Result? {
    let statement = try begin(sql, repeat each values)
    defer { end(statement) }
    guard try step(statement) else { return nil }
    var row = Row(statement, path: path)
    return try read(&row)
  }

  /// Calls `read` for each row in order.
  func each<each Value: Bindable>(
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
  func all<each Value: Bindable, Result>(
    _ sql: String, _ values: repeat each Value, read: (inout Row) throws(StoreFailure) -> Result
  ) throws(StoreFailure) -> [Result] {
    var results: [Result] = []
    try each(sql, repeat each values) { row throws(StoreFailure) in
      results.append(try read(&row))
    }
    return results
  }

  /// Runs `body` in one transaction, which holds the write lock from its start and is rolled back if `body` throws.
  func transaction<Result>(
    _ durability: Durability = .ordinary, _ body: () throws(StoreFailure) -> Result
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
      // SQLite has already rolled back after some failures, such as SQLITE_FULL; the first failure is reported.
      if sqlite3_get_autocommit(connection) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Runs `body`, which only reads, on one state of the file, even if others commit meanwhile.
  func snapshot<Result>(_ body: () throws(StoreFailure) -> Result) throws(StoreFailure) -> Result {
    try run("BEGIN")
    // Nothing was written, so a failure here loses nothing.
    defer { _ = try? run("ROLLBACK") }
    return try body()
  }

  private func begin<each Value: Bindable>(
    _ sql: String, _ values: repeat each Value
  ) throws(StoreFailure) -> OpaquePointer {
    guard !statements.isClosed else { throw .closed(path: path) }
    let statement: OpaquePointer
    if let kept = statements[sql] {
      // A statement that runs inside itself would lose its position; write two statements instead.
      assert(sqlite3_stmt_busy(kept) == 0, sql)
      statement = kept
    } else {
      var prepared: OpaquePointer?
      try check(sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil))
      guard let prepared else { throw .other(path: path, code: Int(SQLITE_MISUSE), detail: "no statement") }
      statements[sql] = prepared
      statement = prepared
    }
    var index: Int32 = 1
    for value in repeat each values { try check(value.bind(to: statement, from: &index)) }
    return statement
  }

  /// Steps to the next row; false at the end.
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
  private var statements: [Key: OpaquePointer] = [:]
  private(set) var isClosed = false

  /// A text that is hashed by its length alone: hashing a long statement takes as long as running a short one, and few
  /// have the same length.
  private struct Key: Hashable {
    let sql: String

    func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
  }

  subscript(sql: String) -> OpaquePointer? {
    get { statements[Key(sql: sql)] }
    set { statements[Key(sql: sql)] = newValue }
  }

  func close() {
    for statement in statements.values { sqlite3_finalize(statement) }
    statements = [:]
    isClosed = true
  }
}

extension StoreFailure {
  /// The failure for a result code of SQLite (https://sqlite.org/rescode.html) and the `errno` behind it.
  init(code: Int32, systemError: Int32, detail: String, path: String) {
    func isOpenFiles(_ error: Int32) -> Bool { error == EMFILE || error == ENFILE }
    func isFull(_ error: Int32) -> Bool { error == ENOSPC || error == EDQUOT }
    self =
      switch code & 0xFF {
      case SQLITE_IOERR where isOpenFiles(systemError), SQLITE_CANTOPEN where isOpenFiles(systemError):
        .tooManyOpenFiles(path: path)
      // A reader needs room too, for the memory it shares with writers (`-shm`).
      case SQLITE_IOERR where isFull(systemError), SQLITE_CANTOPEN where isFull(systemError):
        .full(path: path, detail: detail)
      // A file system turns read-only after a disk error.
      case SQLITE_IOERR where systemError == EROFS, SQLITE_CANTOPEN where systemError == EROFS:
        .readOnly(path: path, detail: "the file system is read-only")
      // The statements are fixed and tested, so a statement that does not fit the tables means a foreign or damaged file.
      case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR: .corrupt(path: path, detail: detail)
      case SQLITE_FULL: .full(path: path, detail: detail)
      case SQLITE_IOERR: .inputOutput(path: path, detail: detail)
      case SQLITE_READONLY: .readOnly(path: path, detail: detail)
      case SQLITE_BUSY, SQLITE_LOCKED: .busy(path: path, detail: detail)
      case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .cannotOpen(path: path, detail: detail)
      default: .other(path: path, code: Int(code), detail: detail)
      }
  }
}

// A connection to SQLite: opening and closing it, its transactions, and its result codes.

import CSQLite
import Core
import Glibc

/// The only owner of a connection to SQLite, which it closes at its end.
///
/// SQLite does no locking between threads (`SQLITE_OPEN_NOMUTEX`): the owner, an actor, is the only caller.
final class SQLiteConnection: DatabaseConnection {
  let path: String
  let handle: OpaquePointer
  /// The prepared statements, by their text.
  private var statements: [StatementText: SQLiteStatement] = [:]
  private(set) var isClosed = false
  private static let countsNoMemory = bgfetch_sqlite_count_no_memory()

  /// Opens a file; creates it if `access` is `write`.
  init(path: String, access: Database.Access) throws {
    let flags =
      switch access {
      case .read: SQLITE_OPEN_READONLY
      case .write: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .memory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
      }
    _ = Self.countsNoMemory
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let opened else {
      let detail = opened.map { libraryText(String(cString: sqlite3_errmsg($0))) } ?? "out of memory"
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
    handle = opened
  }

  deinit {
    close()
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    for statement in statements.values { sqlite3_finalize(statement.handle) }
    statements = [:]
    sqlite3_close_v2(handle)
  }

  /// Sets how long to wait for another connection's lock before failing with `busy`.
  func waitForLocks(milliseconds: Int32) {
    sqlite3_busy_timeout(handle, milliseconds)
  }

  var lastInserted: Int64? { sqlite3_last_insert_rowid(handle) }
  var changes: Int { Int(sqlite3_changes64(handle)) }
  /// SQLite rolls a transaction back by itself after some failures, such as SQLITE_FULL.
  var isInTransaction: Bool { !isClosed && sqlite3_get_autocommit(handle) == 0 }

  func execute(_ sql: String) throws {
    guard !isClosed else { throw StoreFailure.closed(path: path) }
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  func statement(_ sql: String) throws -> any PreparedStatement {
    guard !isClosed else { throw StoreFailure.closed(path: path) }
    if let kept = statements[StatementText(sql: sql)] {
      // A statement that runs inside itself would lose its position; write two statements instead.
      assert(sqlite3_stmt_busy(kept.handle) == 0, sql)
      return kept
    }
    var prepared: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil))
    guard let prepared else {
      throw StoreFailure.other(path: path, code: Int(SQLITE_MISUSE), detail: "no statement")
    }
    let statement = SQLiteStatement(prepared, of: self)
    statements[StatementText(sql: sql)] = statement
    return statement
  }

  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw failure(code) }
  }

  func failure(_ code: Int32) -> StoreFailure {
    StoreFailure(
      code: code, systemError: sqlite3_system_errno(handle),
      detail: libraryText(String(cString: sqlite3_errmsg(handle))), path: path)
  }
}

// Transactions.
extension SQLiteConnection {
  /// It has the write lock from its start.
  func transaction<Result>(
    _ durability: Database.Durability, reliesOnReadRows: Bool, _ body: () throws -> Result
  ) throws -> Result {
    if durability == .survivesPowerCut { try execute("PRAGMA synchronous = FULL") }
    defer {
      // If this fails, transactions stay more durable than necessary.
      if durability == .survivesPowerCut { try? execute("PRAGMA synchronous = NORMAL") }
    }
    try run("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // The first failure is reported.
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }

  func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try run("BEGIN")
    // Nothing was written, so a failure here loses nothing.
    defer { try? run("ROLLBACK") }
    return try body()
  }

  /// Runs a statement that stays prepared.
  private func run(_ sql: String) throws {
    let statement = try statement(sql)
    defer { statement.end() }
    while try statement.step() {}
  }
}

extension StoreFailure {
  /// The failure for a result code of SQLite (https://sqlite.org/rescode.html) and the `errno` behind it.
  init(code extendedCode: Int32, systemError: Int32, detail: String, path: String) {
    let code = extendedCode & 0xFF
    // Other failures are not the system's, and its error may be an older one.
    let systemError = code == SQLITE_IOERR || code == SQLITE_CANTOPEN ? systemError : 0
    self =
      switch (code, systemError) {
      case (_, EMFILE), (_, ENFILE): .tooManyOpenFiles(path: path)
      // A reader needs room too, for the memory it shares with writers (`-shm`).
      case (_, ENOSPC), (_, EDQUOT), (SQLITE_FULL, _): .full(path: path, detail: detail)
      // A file system turns read-only after a disk error.
      case (_, EROFS): .readOnly(path: path, detail: "the file system is read-only")
      // The statements are fixed and tested, so a statement that does not fit the tables means a foreign or damaged file.
      case (SQLITE_CORRUPT, _), (SQLITE_NOTADB, _), (SQLITE_ERROR, _): .corrupt(path: path, detail: detail)
      case (SQLITE_IOERR, _): .inputOutput(path: path, detail: detail)
      case (SQLITE_READONLY, _): .readOnly(path: path, detail: detail)
      case (SQLITE_BUSY, _), (SQLITE_LOCKED, _): .busy(path: path, detail: detail)
      case (SQLITE_CANTOPEN, _), (SQLITE_PERM, _), (SQLITE_AUTH, _): .cannotOpen(path: path, detail: detail)
      default: .other(path: path, code: Int(extendedCode), detail: detail)
      }
  }
}

extension Store {
  /// The version of SQLite.
  public static var libraryVersion: String { String(cString: sqlite3_libversion()) }
}

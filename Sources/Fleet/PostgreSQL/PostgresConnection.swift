// A connection to PostgreSQL: connecting and reconnecting, statements and transactions.

import CLate
import Core
import Glibc
import Store

/// The only owner of a connection to PostgreSQL, which it closes at its end; one thread at a time uses it.
final class PostgresConnection: DatabaseConnection {
  /// The server and the database, for failures.
  private(set) var path: String
  let settings: PostgresSettings
  private(set) var connection: OpaquePointer?
  /// The number of connections made; each prepares its statements itself.
  private var session = 0
  /// When it was made.
  private var connected = ContinuousClock.now
  private var statements: [StatementText: PostgresStatement] = [:]
  /// The locks that this session holds, and has to hold again after the connection was lost, and how often each was taken.
  var locks: [String: Int] = [:]
  private(set) var isClosed = false
  /// Why the connection was lost and reconnecting failed; then every call fails with it at once.
  private var loss: StoreFailure?
  private(set) var isInTransaction = false
  /// The time for which this process holds what it works on; nil if it holds nothing.
  var holdTime: HoldTime?
  /// Whether statements outside a transaction may run twice although they change something (`repeatable`).
  private var mayRepeat = false
  /// How well the transaction is isolated, or a statement outside of one.
  private var isolation = Isolation.readCommitted
  /// Whether commits may be lost if the server crashes in the moment after them.
  private var risksCommits = false
  /// Whether this session hears of the changes that others commit, and how many it has heard of.
  private var (isListening, changesHeard) = (false, 0)
  /// The process of the server that has this session.
  private var backend = ""
  /// The timeline of the server, which is another one after a failover; empty for a standby.
  private var timeline = ""
  /// Why the last statement failed, if running it again may help.
  private var obstacle: Obstacle?
  private(set) var changes = 0
  var lastInserted: Int64? { nil }

  private enum Obstacle {
    case conflict, disconnected
  }

  /// The server's timeouts for a statement and for a lock, in milliseconds, and ours for connecting to a host, in seconds.
  private static let longest = (statement: 10_000, lock: 5_000, connecting: Int32(5))
  /// For how many seconds the server may be silent before the connection counts as lost; 0 means for ever.
  ///
  /// That is longer than it works on a statement. A whole statement may take four times as long.
  private let silence: Int32

  /// - Parameter isPatient: whether a statement may take any time.
  /// - Throws: `refused` if libpq is missing, or the server refuses the connection; `unreachable`.
  init(_ settings: PostgresSettings, isPatient: Bool = false) throws {
    self.settings = settings
    silence = isPatient ? 0 : 15
    path = "PostgreSQL"
    try reconnect()
  }

  deinit {
    close()
  }

  func close() {
    isClosed = true
    disconnect()
  }

  /// A text of libpq or of the server without the password.
  private func words(_ text: UnsafePointer<CChar>?) -> String {
    let passwords = [settings.password, getenv("PGPASSWORD").map { String(cString: $0) }].compactMap(\.self)
    return libraryText(text.map { String(cString: $0) } ?? "", hiding: HiddenWords(passwords))
  }

  private func disconnect() {
    if let connection { libpq.PQfinish(connection) }
    connection = nil
  }

  /// A new connection to the server.
  private func opened() throws -> OpaquePointer {
    guard bgfetch_postgres_is_present() != 0 else {
      throw StoreFailure.refused(
        path: path, code: "", detail: "libpq is not installed; install it (Debian: libpq5)")
    }
    let opened = bgfetch_postgres_open(
      settings.connection, settings.password, settings.name, Self.longest.connecting)
    guard let opened else { throw StoreFailure.refused(path: path, code: "", detail: "out of memory") }
    guard bgfetch_postgres_is_connected(opened) != 0 else {
      let message = libpq.PQerrorMessage(opened).map { String(cString: $0) } ?? ""
      libpq.PQfinish(opened)
      throw StoreFailure(connecting: message, place: path) { words($0) }
    }
    return opened
  }

  private func connect() throws {
    let opened = try opened()
    connection = opened
    session += 1
    connected = .now
    let host = words(libpq.PQhost(opened))
    let database = words(libpq.PQdb(opened))
    path = "PostgreSQL at \(host), database \(database)"
    do {
      try begin(opened)
      for lock in locks.keys where try !acquireOnServer(lock) {
        throw StoreFailure.unreachable(
          path: path, detail: "after the connection was lost, another process took the lock \(lock)")
      }
    } catch {
      // Nothing may be written without the lock.
      disconnect()
      throw error
    }
  }

  /// Makes the settings of the session in one round trip; a pooler does not take them as options of the connection.
  private func begin(_ opened: OpaquePointer) throws {
    let facts = try text(
      """
      SET search_path = bgfetch, pg_catalog; SET client_min_messages = warning;
      SET synchronous_commit = \(risksCommits ? "off" : "on"); \(isListening ? "LISTEN bgfetch;" : "")
      SET statement_timeout = \(Self.longest.statement); SET lock_timeout = \(Self.longest.lock);
      SET idle_in_transaction_session_timeout = 10000; SET tcp_user_timeout = 20000; SET tcp_keepalives_idle = 10;
      SET tcp_keepalives_interval = 3; SET tcp_keepalives_count = 3;
      SELECT pg_backend_pid() || ' ' || current_setting('transaction_read_only') || ' '
        || CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) ELSE '' END
      """
    ).split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard facts.count == 3 else { throw StoreFailure.sharedSession(path: path) }
    backend = facts[0]
    timeline = facts[2]
    if backend != String(libpq.PQbackendPID(opened)) { try requireSession() }
    guard settings.onlyReads || facts[1] == "off" else {
      throw StoreFailure.refused(path: path, code: "25006", detail: "it takes no changes")
    }
  }

  /// Fails if a pooler, which stands between, gives the session of the server away after each transaction, and with it the locks
  /// and settings.
  ///
  /// Then the next connection gets the session that has just been left, unless a third one is quicker, and this one gets another.
  /// Where all are taken, the other connection would wait.
  private func requireSession() throws {
    guard let other = try? opened() else { return }
    defer { libpq.PQfinish(other) }
    for _ in 0..<3 {
      let result = bgfetch_postgres_execute(other, "SELECT pg_backend_pid()", 1)
      defer { libpq.PQclear(result) }
      let isOther = Self.value(of: result) != backend
      guard isOther, try text("SELECT pg_backend_pid()") == backend else {
        throw StoreFailure.sharedSession(path: path)
      }
    }
  }

  /// Connects, and tries again as long as the server may soon let it in, and for no longer than the settings say.
  private func reconnect() throws {
    disconnect()
    let end = SuspendingClock.now + .seconds(settings.patience.seconds)
    while true {
      do {
        return try connect()
      } catch let failure as StoreFailure {
        guard failure.mayPass, SuspendingClock.now < end else {
          loss = failure
          throw failure
        }
      }
      usleep(200_000)
    }
  }
}

// Statements.
extension PostgresConnection {
  /// Runs statements once, whatever becomes of the connection.
  func execute(_ sql: String) throws { _ = try text(sql) }

  func statement(_ sql: String) throws -> any PreparedStatement { try prepared(sql) }

  /// The statement of a text of SQLite, for values and for `run`.
  func prepared(_ sql: String) throws -> PostgresStatement {
    guard !isClosed else { throw StoreFailure.closed(path: path) }
    let statement: PostgresStatement
    if let kept = statements[StatementText(sql: sql)] {
      statement = kept
    } else {
      statement = PostgresStatement(PostgresText.statement(sql), name: "s\(statements.count)", of: self)
      statements[StatementText(sql: sql)] = statement
    }
    statement.end()
    return statement
  }

  /// Runs a statement with the values that were bound.
  ///
  /// If the connection is lost, nobody knows whether the statement was done. So outside a transaction only what reads, or says that
  /// it may run twice, is simply repeated. Everything else gets a transaction, which is looked up before it is repeated.
  func run(_ statement: PostgresStatement) throws {
    if isInTransaction { return try runOnce(statement) }
    if statement.onlyReads || mayRepeat {
      return try retrying { try runOnce(statement) }
    }
    try transaction(.readCommitted) { try runOnce(statement) }
  }

  /// Runs a statement that may run twice: it is repeated if the connection is lost before its answer comes, and needs no
  /// transaction to be looked up in.
  func repeatable<Result>(_ body: () throws -> Result) throws -> Result {
    mayRepeat = true
    defer { mayRepeat = false }
    return try body()
  }

  func runOnce(_ statement: PostgresStatement) throws {
    let connection = try open()
    if statement.session != session {
      let prepared = bgfetch_postgres_prepare(
        connection, statement.name, statement.sql, Int32(statement.types.count), statement.types, silence)
      defer { libpq.PQclear(prepared) }
      try check(prepared)
      statement.session = session
    }
    let result = bgfetch_postgres_run(
      connection, statement.name, Int32(statement.types.count), statement.bytes, statement.lengths,
      statement.formats, silence)
    guard let result else { return try check(nil) }
    // The statement frees it.
    statement.take(result)
    try check(result)
    changes = libpq.PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
  }

  private func open() throws -> OpaquePointer {
    guard !isClosed else { throw StoreFailure.closed(path: path) }
    // A change may take minutes then, and others would wait for hosts and rows.
    if holdTime?.isSlow ?? false {
      loss = .unreachable(path: path, detail: HoldTime.slowness)
      disconnect()
    }
    guard let connection else {
      obstacle = .disconnected
      throw loss ?? StoreFailure.unreachable(path: path, detail: "the connection was lost")
    }
    return connection
  }

  private func check(_ result: OpaquePointer?) throws {
    obstacle = nil
    guard let connection else { throw StoreFailure.closed(path: path) }
    guard let result else {
      obstacle = bgfetch_postgres_is_connected(connection) == 0 ? .disconnected : nil
      throw StoreFailure.unreachable(
        path: path, detail: PostgresText.line(words(libpq.PQerrorMessage(connection))))
    }
    guard bgfetch_postgres_has_succeeded(result) == 0 else { return }
    let code = libpq.PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
    let detail = PostgresText.line(words(libpq.PQresultErrorMessage(result)))
    if bgfetch_postgres_is_connected(connection) == 0 {
      obstacle = .disconnected
      throw StoreFailure.unreachable(path: path, detail: detail)
    }
    // serialization_failure and deadlock_detected; where reads are only repeatable also unique_violation, by a row that another
    // one has inserted since this transaction began.
    if ["40001", "40P01"].contains(code) || code == "23505" && isolation == .repeatableRead {
      obstacle = .conflict
    }
    // After a failover another server takes changes, and this one does not.
    if code == "25006", !settings.onlyReads { obstacle = .disconnected }
    throw ["40001", "40P01", "55P03"].contains(code)
      ? StoreFailure.busy(path: path, detail: detail) : .refused(path: path, code: code, detail: detail)
  }
}

// The server's memory, and what it says.
extension PostgresConnection {
  /// The time after which all processes that are alive have reached a server that was away.
  static let settling = Duration.seconds(4)

  /// Whether the server was there for so long.
  var isSettled: Bool { connected.duration(to: .now) >= Self.settling }

  /// Lets later commits be lost if the server crashes in the moment after them, unless their transaction is durable.
  func riskCommits() throws {
    risksCommits = true
    try retrying { try execute("SET synchronous_commit = off") }
  }

  /// A number that rises when other sessions have changed one of the tables that `PostgresSchema.announce` names, and when some
  /// changes may have been missed; as of the last statement.
  func hearChanges() throws -> Int {
    if !isListening {
      isListening = true
      try retrying { try execute("LISTEN bgfetch") }
    }
    if let connection { changesHeard += Int(bgfetch_postgres_notifications(connection, Int32(backend) ?? 0)) }
    return changesHeard + session
  }
}

// Transactions.
extension PostgresConnection {
  /// Runs `body` in a transaction; one that only reads works on a standby too.
  func transaction<Result>(
    _ isolation: Isolation = .repeatableRead, isDurable: Bool = false, onlyReads: Bool = false,
    _ body: () throws -> Result
  ) throws -> Result {
    // The transaction whose COMMIT had no answer, and its result. After a failover its number may be another's.
    var unknown: (number: String, timeline: String, result: Result)?
    return try retrying {
      if let unknown, unknown.timeline == timeline, try hasCommitted(unknown.number) { return unknown.result }
      unknown = nil
      isInTransaction = true
      self.isolation = isolation
      defer { (isInTransaction, self.isolation) = (false, .readCommitted) }
      let number = try text(
        "BEGIN ISOLATION LEVEL " + isolation.rawValue + (onlyReads ? " READ ONLY" : "")
          + (isDurable ? "; SET LOCAL synchronous_commit = on" : "")
          + "; SELECT \(onlyReads ? "0" : "pg_current_xact_id()") WHERE pg_backend_pid() = \(backend)")
      do {
        guard !number.isEmpty else { throw StoreFailure.sharedSession(path: path) }
        let result = try body()
        if !onlyReads { unknown = (number, timeline, result) }
        try execute("COMMIT")
        return result
      } catch {
        let first = obstacle
        if first != .disconnected { unknown = nil }
        try? execute("ROLLBACK")
        obstacle = first
        throw error
      }
    }
  }

  /// Whether a transaction whose connection was lost has committed; waits while the server works on it, but no longer than others
  /// wait for its locks ("Transaction ID and Snapshot Information Functions").
  private func hasCommitted(_ transaction: String) throws -> Bool {
    var status = ""
    for _ in 0..<(Self.longest.lock / 50) {
      // A server that has crashed may not know the number yet: nothing of that transaction was on its disk.
      status = try text(
        """
        SELECT CASE WHEN '\(transaction)'::xid8 < pg_snapshot_xmax(pg_current_snapshot())
          THEN pg_xact_status('\(transaction)') END
        """)
      guard status == "in progress" else { break }
      usleep(50_000)
    }
    return status == "committed"
  }

  /// The first value of the last of some statements, empty if there is none; they are not done again.
  private func text(_ sql: String) throws -> String {
    let result = bgfetch_postgres_execute(try open(), sql, silence)
    defer { libpq.PQclear(result) }
    try check(result)
    return Self.value(of: result)
  }

  /// The first value of a result; empty if there is none.
  private static func value(of result: OpaquePointer?) -> String {
    guard let result, libpq.PQntuples(result) > 0 else { return "" }
    var count: Int32 = 0
    return bgfetch_postgres_bytes(result, 0, 0, &count).map { String(cString: $0) } ?? ""
  }

  /// Runs `body` again while others are in the way, or after reconnecting; not for ever, as it may be the cause itself.
  func retrying<Result>(_ body: () throws -> Result) throws -> Result {
    var conflicts: UInt32 = 0
    var connections = 0
    while true {
      do {
        return try body()
      } catch {
        guard !isClosed else { throw error }
        switch obstacle {
        case .conflict where conflicts < 50:
          conflicts += 1
          // Longer each time, and not the same for two that meet.
          usleep(UInt32.random(in: 0...(conflicts * 2000)))
        case .disconnected where loss == nil && connections < 10:
          connections += 1
          try reconnect()
        case .conflict, .disconnected, nil: throw error
        }
      }
    }
  }
}

// Processes that share a server: each has a row with a lease, the time for which it counts as alive without a sign of life, and
// holds what it works on. In a file the locks of the machine do this.

public import Core
import Synchronization

/// A table with rows that processes hold while they work on them.
///
/// A row names its holder. Only the holder changes that, and who takes over from a dead one: so a process that was stopped for
/// long finds that the work is no longer its own. A person changes the status, perhaps to cancel the work or to have it done
/// again: then the holder stops, and until it has let go nobody else begins.
enum HeldTable: String, CaseIterable {
  case delivery, transfer
}

/// Until when this process knows that nobody takes over what it holds.
public final class HoldEnd: Sendable {
  private let moment = Mutex<ContinuousClock.Instant?>(nil)

  /// Nil if the process holds nothing.
  public var end: ContinuousClock.Instant? { moment.withLock { $0 } }

  /// Whether others may have taken over, or may at any moment.
  public var isOver: Bool { end.map { $0 <= .now } ?? false }

  func extend(to end: ContinuousClock.Instant) { moment.withLock { $0 = max($0 ?? end, end) } }
}

extension Store {
  /// How long a process counts as alive without a sign of life, and how often it gives one.
  ///
  /// Requests and downloads may take longer than that: a process that cannot give a sign of life ends them (`HoldEnd`).
  static let lease = (length: Interval.seconds(10), sign: Duration.seconds(2))

  /// The moment before which the lease of a process must have ended for it to count as dead, as SQL.
  ///
  /// Right after this process has connected, the server may just be up again, and the others not have reached it: they try
  /// several times a second, for half a minute.
  private var verdict: String {
    guard case .postgres(let connection) = database.engine else { return serverTime }
    return connection.isSettled ? serverTime : "(\(serverTime) - 40)"
  }

  /// Whether the process is alive that a column names, as SQL; in a file nobody is.
  func isAlive(_ holder: String) -> String {
    "EXISTS (SELECT 1 FROM worker WHERE worker.number = \(holder) AND lease >= \(verdict))"
  }

  func isDead(_ holder: String) -> String { "NOT " + isAlive(holder) }

  /// Whether nobody works on a row, as SQL.
  func isFree(_ table: HeldTable) -> String { isDead("\(table).held_by") }

  /// Whether a running row is held by nobody, as SQL.
  func isLapsed(_ table: HeldTable) -> String { "\(table).status = 'running' AND \(isFree(table))" }

  /// Whether processes have died that held something, as SQL.
  private var isAbandoned: String {
    """
    (EXISTS (SELECT 1 FROM run WHERE \(Self.isOpen) AND \(isDead("held_by")))
      OR EXISTS (SELECT 1 FROM delivery WHERE \(isLapsed(.delivery)))
      OR EXISTS (SELECT 1 FROM transfer WHERE settled IS NULL AND held_by IS NOT NULL AND \(isFree(.transfer))))
    """
  }

  /// The changes of others on a server, its clock, and whether processes have died that held something, in one question:
  /// nothing else is asked while nothing happens.
  public func pulse() throws(StoreFailure) -> (version: Int, time: Instant, isAbandoned: Bool) {
    guard case .postgres(let connection) = database.engine else { throw .closed(path: database.path) }
    let answer = try database.first("SELECT \(serverTime), \(isAbandoned)") { row throws(StoreFailure) in
      (time: try row.next(Instant.self), isAbandoned: try row.next(Bool.self))
    }
    guard let answer else { throw .closed(path: database.path) }
    // Notifications of the server come with its answer.
    return (try connection.hearChanges(), answer.time, answer.isAbandoned)
  }

  /// Waits, where a silent process holds something, until this one may judge whether it is dead.
  public func waitForSilent() async throws(StoreFailure) {
    guard case .postgres(let connection) = database.engine, !connection.isSettled,
      try database.exists(
        """
        SELECT 1 FROM worker WHERE lease < \(serverTime) AND (
          EXISTS (SELECT 1 FROM run WHERE held_by = worker.number AND \(Self.isOpen))
          OR EXISTS (SELECT 1 FROM delivery WHERE held_by = worker.number AND status = 'running')
          OR EXISTS (SELECT 1 FROM transfer WHERE held_by = worker.number)) LIMIT 1
        """)
    else { return }
    try? await clock.sleep(for: PostgresConnection.settling)
  }
}

extension Store {
  /// Gives this process a row before it holds anything; outside of transactions.
  func beginHolding() throws(StoreFailure) {
    guard worker == nil, case .postgres(let connection) = database.engine else { return }
    let number = Int64.random(in: 1...(.max))
    let asked = ContinuousClock.now
    try database.run(
      "INSERT INTO worker (number, lease) VALUES (?1, \(serverTime) + ?2)", number, Self.lease.length.seconds)
    worker = number
    holdEnd.extend(to: asked + .seconds(Self.lease.length.seconds))
    let signs = SignsOfLife(
      of: number, name: machine, directory: directory, on: signThread, connection.settings)
    self.signs = signs
    alive.append(
      Task(executorPreference: ProgramTasks.executor) { [clock, holdEnd] in
        while (try? await clock.sleep(for: Self.lease.sign)) != nil { await signs.give(extending: holdEnd) }
        await signs.end()
      })
  }

  /// Holds a row from now on; within a transaction.
  func hold(_ number: Int64, in table: HeldTable) throws(StoreFailure) {
    guard let worker else { return }
    try database.run("UPDATE \(table) SET held_by = ?2 WHERE number = ?1", number, worker)
  }

  /// Lets go of a row, if this process holds it; within a transaction.
  func letGo(_ number: Int64, in table: HeldTable) throws(StoreFailure) {
    guard let worker else { return }
    try database.run(
      "UPDATE \(table) SET held_by = NULL WHERE number = ?1 AND held_by = ?2", number, worker)
  }

  /// Whether this process still holds a row, which may have another status now; within a transaction.
  func stillHolds(_ number: Int64, in table: HeldTable) throws(StoreFailure) -> Bool {
    guard !database.isFile else { return true }
    return try database.exists("SELECT 1 FROM \(table) WHERE number = ?1 AND held_by = ?2", number, worker)
  }

  /// Keeps the session alive as long as it has locks: the server ends sessions that are silent, and with them their locks.
  func keepLocks() {
    guard !keepsLocks, !database.isFile else { return }
    keepsLocks = true
    alive.append(
      Task(executorPreference: ProgramTasks.executor) { [weak self, clock] in
        while (try? await clock.sleep(for: Self.lease.sign)) != nil, let self {
          // If the server cannot be reached, the next call of the run fails too.
          _ = try? await time()
        }
      })
  }
}

/// The signs of life of a process, on a connection of their own: what a store does may take longer than a lease.
actor SignsOfLife {
  private nonisolated let executor: any SerialExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let worker: Int64
  private let (name, directory): (String?, String)
  private var settings: PostgresSettings
  private var connection: PostgresConnection?
  private var haveEnded = false

  init(
    of worker: Int64, name: String?, directory: String, on executor: any SerialExecutor,
    _ settings: PostgresSettings
  ) {
    (self.executor, self.worker, self.name, self.directory) = (executor, worker, name, directory)
    self.settings = settings
    // The next sign tries again.
    self.settings.patience = .zero
  }

  /// Gives a sign of life; if that fails, the next one is soon.
  func give(extending end: HoldEnd) {
    guard !haveEnded else { return }
    do throws(StoreFailure) {
      let connection = try connected()
      let asked = ContinuousClock.now
      let database = Database(connection)
      let now = "extract(epoch FROM clock_timestamp())::bigint"
      // A server that has crashed may have forgotten this process.
      _ = try database.repeatable { () throws(StoreFailure) -> Int in
        try database.run(
          """
          WITH sign AS (UPDATE machine SET last_sign = \(now) WHERE name = ?3 AND directory = ?4 AND last_sign < \(now) - 10)
          INSERT INTO worker (number, lease) VALUES (?1, \(now) + ?2)
          ON CONFLICT (number) DO UPDATE SET lease = excluded.lease
          """, worker, Store.lease.length.seconds, name, directory)
      }
      end.extend(to: asked + .seconds(Store.lease.length.seconds))
    } catch {
      connection = nil
    }
  }

  private func connected() throws(StoreFailure) -> PostgresConnection {
    if let connection { return connection }
    let new = try PostgresConnection(settings)
    connection = new
    return new
  }

  func end() {
    haveEnded = true
    connection?.close()
    connection = nil
  }
}

// The place of a process among the others of a server: each has a row with a lease, the time for which it counts as alive without a
// sign of life, and holds what it works on.

public import Core
public import Store

/// The place of this process among the others of a server.
final class Membership: Neighbours {
  let server: PostgresConnection
  var connection: any DatabaseConnection { server }
  var database: Database { Database(server) }
  var machine: String? { server.settings.machine }
  /// The state directory of this machine.
  let directory: String
  let holdTime = HoldTime()
  var holder: Int64?
  let clock: any Clock<Duration>
  private let signThread: any SerialExecutor
  private var signs: SignsOfLife?
  /// The tasks that keep this process and its session alive.
  private var tasks: [Task<Void, Never>] = []
  private var keepsSession = false

  init(
    _ server: PostgresConnection, _ directory: String, signs: any SerialExecutor, _ clock: any Clock<Duration>
  ) {
    (self.server, self.directory, self.clock, signThread) = (server, directory, clock, signs)
  }

  /// How long a process counts as alive without a sign of life, and how often it gives one.
  ///
  /// Requests and downloads may take longer than that: a process that cannot give a sign of life ends them (`HoldTime`).
  static let lease = (length: Interval.seconds(8), sign: Duration.seconds(1))

  func beginHolding() throws {
    guard holder == nil else { return }
    let number = Int64.random(in: 1...(.max))
    let asked = ContinuousClock.now
    try database.run(
      "INSERT INTO worker (number, alive_until) VALUES (?1, \(ServerTime.seconds) + ?2)", number,
      Self.lease.length.seconds)
    holder = number
    holdTime.extend(by: Self.lease.length, since: asked)
    server.holdTime = holdTime
    let signs = SignsOfLife(of: number, directory, on: signThread, server.settings)
    self.signs = signs
    everySign { [holdTime] in await signs.give(extending: holdTime) }
  }

  /// Says something to the server as often as a sign of life, until `speak` returns false.
  func keepSession(_ speak: @escaping @Sendable () async -> Bool) {
    guard !keepsSession else { return }
    keepsSession = true
    everySign(speak)
  }

  /// Does something as often as a sign of life is due, until it returns false.
  private func everySign(_ act: @escaping @Sendable () async -> Bool) {
    let clock = clock
    let task = Task(executorPreference: ProgramTasks.executor) {
      while (try? await clock.sleep(for: Membership.lease.sign)) != nil, await act() {}
    }
    tasks.append(task)
  }

  /// Gives no sign of life any more.
  func fallSilent() async {
    for task in tasks { task.cancel() }
    tasks = []
    // One under way would make the process known again.
    await signs?.end()
  }

  func end() async {
    await fallSilent()
    // Others need not wait for the end of its lease.
    if let holder { _ = try? database.run("DELETE FROM worker WHERE number = ?1", holder) }
  }
}

// Who is alive.
extension Membership {
  func isAlive(_ holder: String) -> String { isAlive(holder, at: verdict) }

  /// This process is alive, even if it was stopped for so long that only its next sign of life says so.
  private func isAlive(_ number: String, at moment: String) -> String {
    let isOwn = holder.map { " OR worker.number = \($0)" } ?? ""
    return
      "EXISTS (SELECT 1 FROM worker WHERE worker.number = \(number) AND (alive_until >= \(moment)\(isOwn)))"
  }

  /// Whether processes are dead at a moment that hold something, as SQL.
  private func isAbandoned(at moment: String) -> String {
    func isDead(_ holder: String) -> String { "NOT " + isAlive(holder, at: moment) }
    return """
      (EXISTS (SELECT 1 FROM run WHERE \(Store.isOpen) AND \(isDead("held_by")))
        OR EXISTS (SELECT 1 FROM delivery WHERE status = 'running' AND \(isDead("delivery.held_by")))
        OR EXISTS (
          SELECT 1 FROM transfer WHERE settled IS NULL AND held_by IS NOT NULL AND \(isDead("transfer.held_by"))))
      """
  }

  /// The moment before which the lease of a process must have ended for it to count as dead, as SQL.
  ///
  /// Right after this process has connected, the server may just be up again, and the others not have reached it: they try
  /// several times a second, for half a minute.
  private var verdict: String { server.isSettled ? ServerTime.seconds : "(\(ServerTime.seconds) - 40)" }

  /// The changes of others, the clock of the server, and whether processes have died that held something, in one question: nothing
  /// else is asked while nothing happens.
  func pulse() throws -> (version: Int, time: Instant, isAbandoned: Bool) {
    let answer = try database.first("SELECT \(ServerTime.seconds), \(isAbandoned(at: verdict))") {
      row in
      (time: try row.next(Instant.self), isAbandoned: try row.next(Bool.self))
    }
    guard let answer else { throw StoreFailure.closed(path: server.path) }
    // Notifications of the server come with its answer.
    return (try server.hearChanges(), answer.time, answer.isAbandoned)
  }

  func dataVersion() throws -> Int { try pulse().version }

  /// Whether a silent process holds something, and this one may not judge yet whether it is dead.
  func mustWaitForSilent() throws -> Bool {
    guard !server.isSettled else { return false }
    return try database.exists("SELECT 1 WHERE \(isAbandoned(at: ServerTime.seconds))")
  }
}

extension Store {
  /// The changes of others on a server, its clock, and whether processes have died that held something.
  public func pulse() throws -> (version: Int, time: Instant, isAbandoned: Bool) {
    guard let membership else { throw StoreFailure.closed(path: database.path) }
    return try membership.pulse()
  }

  /// Frees what dead processes have left; another process that connects only now could not judge them.
  public func freeAbandoned(at now: Instant) throws {
    try settleInterrupted(at: now)
    guard membership != nil else { return }
    try resetRunning(nil)
    try suspendInterrupted()
  }

  /// Waits, where a silent process holds something, until this one may judge whether it is dead.
  public func waitForSilent() async throws {
    guard let membership, try membership.mustWaitForSilent() else { return }
    try? await membership.clock.sleep(for: PostgresConnection.settling)
  }
}

/// The signs of life of a process, on a connection of their own: what a store does may take longer than a lease.
private actor SignsOfLife {
  private nonisolated let executor: any SerialExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let worker: Int64
  private let directory: String
  private var settings: PostgresSettings
  private var connection: PostgresConnection?
  private var haveEnded = false

  init(of worker: Int64, _ directory: String, on executor: any SerialExecutor, _ settings: PostgresSettings) {
    (self.executor, self.worker, self.directory, self.settings) = (executor, worker, directory, settings)
    // The next sign tries again.
    self.settings.patience = .zero
  }

  /// Gives a sign of life, if they have not ended; if that fails, the next one is soon.
  func give(extending time: HoldTime) -> Bool {
    guard !haveEnded else { return false }
    do {
      let connection = try connected()
      let asked = ContinuousClock.now
      let database = Database(connection)
      let now = ServerTime.seconds
      // A server that has crashed may have forgotten this process.
      _ = try connection.repeatable {
        try database.run(
          """
          WITH sign AS (UPDATE machine SET last_sign = \(now) WHERE name = ?3 AND directory = ?4 AND last_sign < \(now) - 10)
          INSERT INTO worker (number, alive_until) VALUES (?1, \(now) + ?2)
          ON CONFLICT (number) DO UPDATE SET alive_until = excluded.alive_until
          """, worker, Membership.lease.length.seconds, settings.machine, directory)
      }
      time.extend(by: Membership.lease.length, since: asked)
    } catch {
      connection = nil
    }
    return true
  }

  private func connected() throws -> PostgresConnection {
    if let connection { return connection }
    let new = try PostgresConnection(settings)
    // A sign need not wait for the disk.
    try new.riskCommits()
    connection = new
    return new
  }

  func end() {
    haveEnded = true
    connection?.close()
    connection = nil
  }
}

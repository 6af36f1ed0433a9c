// The store: an SQLite database in the state directory behind one actor that owns one connection; where machines share it, a
// database that comes through Connection.swift. Its doors are `Store.open` and the public methods of `Store`, which are in the
// folders by topic; each that writes is one transaction, done before it returns. Decisions (what is due, what is retried) never
// belong here: Core makes them.

public import Core
import Glibc

/// The state between runs, in `bgfetch.db` in the state directory, or in a database that machines share.
///
/// Several processes, and several stores in one process, may have the same directory open.
public actor Store {
  /// The thread of the store: SQLite waits for locks, and a server may be slow, where no task runs.
  private nonisolated let executor: any SerialExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The version of the schema that this program writes.
  public static let schemaVersion = Schema.version
  /// The version of its tables, which on a server may be the one after `schemaVersion`.
  public func foundSchema() throws -> Int { try database.schemaVersion() }

  public static let fileName = "bgfetch.db"

  /// How long a transaction waits for one of another process.
  package static let lockPatience = Interval.seconds(10)

  /// A random name of this store, for file names: eight hexadecimal digits, chosen when the file was created.
  public nonisolated let mark: String

  package let database: Database
  /// The state directory of this machine.
  package let directory: String
  /// The changes that wait for the next common transaction.
  var waitingChanges: [WaitingChange] = []
  /// The machines that share the store; nil for a file.
  package let neighbours: (any Neighbours)?
  /// The rounds that this store began, until they and their downloads have ended.
  var underWay: Set<Int64> = []
  /// The newest unseen item of each link, as far as this process has looked, by the key of the link.
  ///
  /// It is in memory, because an index of the table would make all new items dearer. The row decides: the transaction that added
  /// the item may have failed, and its number be another one's.
  var unseenLinks: [UInt64: Int64] = [:]

  /// Opens the store of a state directory, which the caller has created with mode 0700.
  ///
  /// A file that a program with a newer schema wrote fails with `newerSchema`.
  ///
  /// - Parameters:
  ///   - executor: the thread that all later work blocks; this call blocks its own.
  ///   - patience: how long to wait for another process that creates, recovers or closes the file.
  public static func open(
    _ directory: String, mode: StoreMode, on executor: any SerialExecutor,
    patience: Interval = .seconds(30)
  ) throws -> Store {
    let path = directory + "/" + fileName
    try requireFile(path)
    let end = ContinuousClock.now + .seconds(patience.seconds)
    while true {
      do {
        guard mode == .writing else {
          return try Store(try reader(path), directory, on: executor)
        }
        return try Store(try writer(path, patience: patience), directory, on: executor)
      } catch {
        // SQLite does not wait where two wait for each other, as two that change the journal mode of a new file.
        guard case StoreFailure.busy = error, ContinuousClock.now < end else { throw error }
        usleep(.random(in: 1_000...20_000))
      }
    }
  }

  /// Fails if the path names anything but a file: SQLite would wait for the writer of a pipe.
  package static func requireFile(_ path: String) throws {
    var facts = stat()
    if stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG { throw StoreFailure.notAFile(path: path) }
  }

  private init(
    _ database: consuming sending Database, _ directory: String, on executor: any SerialExecutor
  ) throws {
    (self.executor, self.directory, neighbours) = (executor, directory, nil)
    mark = try database.value("SELECT mark FROM owner") ?? ""
    self.database = database
  }

  /// A store that machines share.
  ///
  /// - Parameter directory: the state directory of this machine, for what need not be shared.
  package init(
    sharedWith neighbours: sending any Neighbours, _ directory: String, on executor: any SerialExecutor
  ) throws {
    (self.executor, self.directory) = (executor, directory)
    let database = Database(neighbours.connection)
    mark = try database.value("SELECT mark FROM owner") ?? ""
    self.database = database
    self.neighbours = neighbours
  }

  package static func reader(_ path: String) throws -> sending Database {
    if access(path, F_OK) == 0 || errno != ENOENT {
      let database = try Database(path: path, access: .read)
      // A reader does not wait for transactions, only while another process recovers or closes the file.
      database.waitForLocks(for: .seconds(1))
      let version: Int
      do {
        version = try Self.version(of: database)
      } catch {
        // A process was killed while it created the file; only a connection that may write can roll that back.
        guard case StoreFailure.readOnly = error else { throw error }
        try rollBack(path)
        version = try Self.version(of: database)
      }
      // An older version lacks something; in version 0, another process is about to create the tables.
      if version > 0, version < schemaVersion { try writer(path).close() }
      if version > 0 { return database }
    }
    let empty = try Database(path: path, access: .memory)
    try empty.makeTables()
    try empty.execute("PRAGMA query_only = ON")
    return empty
  }

  /// Rolls back the transaction of a killed process.
  private static func rollBack(_ path: String) throws {
    let database = try Database(path: path, access: .write)
    database.waitForLocks(for: .seconds(1))
    _ = try database.schemaVersion()
  }

  package static func writer(
    _ path: String, patience: Interval = lockPatience
  ) throws -> sending Database {
    try makePrivateFile(path)
    let database = try Database(path: path, access: .write)
    database.waitForLocks(for: min(patience, lockPatience))
    _ = try version(of: database)
    try database.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA journal_size_limit = 16777216;
      PRAGMA wal_autocheckpoint = 4000;
      """)
    try database.makeTables()
    database.waitForLocks(for: lockPatience)
    return database
  }

  /// A number that changes whenever another connection commits, on a server if the commit may concern runs.
  public func dataVersion() throws -> Int {
    if let neighbours { return try neighbours.dataVersion() }
    return try database.value("PRAGMA data_version") ?? 0
  }

  /// Closes the connection; later calls fail with `closed`.
  public func close() async {
    await neighbours?.end()
    database.close()
  }

  /// Runs `body` in one transaction, of which the functions of the store that it calls are parts; it may be called again, on a
  /// server.
  public func transaction<Output: Sendable>(
    _ body: @Sendable (isolated Store) throws -> Output
  ) throws -> Output {
    try database.transaction { try body(self) }
  }

  /// Makes a configuration the owner of the store instead of a former one, or of none; fails with `belongsTo` if another one is.
  public func bind(toConfiguration path: String, insteadOf former: String? = nil) throws {
    if try configuration() == former {
      try database.run("UPDATE owner SET configuration = ?1 WHERE configuration IS ?2", path, former)
    }
    try verify(configuration: path)
  }

  /// Fails with `belongsTo` if another configuration owns the store.
  public func verify(configuration path: String) throws {
    if let owner = try configuration(), owner != path {
      throw StoreFailure.belongsTo(configuration: owner, path: database.path)
    }
  }

  /// The configuration that owns the store; nil if none does.
  public func configuration() throws -> String? {
    try database.value("SELECT configuration FROM owner")
  }

  /// Creates a missing file, and makes the file private (0600); SQLite gives `-wal` and `-shm` the same mode.
  ///
  /// This uses a descriptor with `O_PATH`: closing an ordinary one would drop the locks that other connections of this
  /// process hold on the file (https://sqlite.org/howtocorrupt.html, section 2.2).
  package static func makePrivateFile(_ path: String) throws {
    if mknod(path, S_IFREG | 0o600, 0) != 0, errno != EEXIST {
      throw errno == ENOSPC
        ? StoreFailure.full(path: path, detail: systemError())
        : .cannotOpen(path: path, detail: systemError())
    }
    // 0o10000000 is O_PATH, which the Glibc module lacks; the number is the same on all Linux architectures of Swift.
    let file = Glibc.open(path, 0o10000000 | O_CLOEXEC)
    guard file >= 0 else { throw StoreFailure.cannotOpen(path: path, detail: systemError()) }
    defer { Glibc.close(file) }
    var facts = stat()
    // fchmod(2) refuses such a descriptor; its name in /proc leads to the same file even if the path has changed.
    if fstat(file, &facts) == 0, facts.st_mode & 0o077 != 0, chmod("/proc/self/fd/\(file)", 0o600) != 0 {
      throw StoreFailure.cannotOpen(path: path, detail: systemError())
    }
  }

  private static func systemError() -> String { String(cString: strerror(errno)) }

  /// Whether a file has the tables of bgfetch, or none yet.
  private static func hasOurTables(
    _ database: borrowing Database, _ version: Int
  ) throws -> Bool {
    try database.value(
      """
      SELECT CASE ?1 WHEN 0 THEN count(*) = 0
        ELSE count(*) FILTER (WHERE name IN ('owner', 'feed', 'run', 'event', 'delivery')) = 5 END
      FROM sqlite_schema WHERE type = 'table'
      """, version) ?? false
  }

  /// The version of the file's schema, if bgfetch wrote the file and no newer program did; if the file is damaged, the
  /// failure says what a check of the whole file finds.
  private static func version(of database: borrowing Database) throws -> Int {
    do {
      // In one snapshot, because another process may be creating the file.
      let (version, isOurs) = try database.snapshot {
        let version = try database.schemaVersion()
        // This also reads the table of tables, which `user_version` does not.
        return (version, try hasOurTables(database, version))
      }
      guard isOurs, version >= 0 else { throw StoreFailure.foreign(path: database.path) }
      if version > schemaVersion {
        throw StoreFailure.newerSchema(path: database.path, found: version, known: schemaVersion)
      }
      return version
    } catch {
      guard case StoreFailure.corrupt(let path, let detail) = error else { throw error }
      let found = try? database.value("PRAGMA quick_check(1)", as: String.self)
      throw StoreFailure.corrupt(path: path, detail: found ?? detail)
    }
  }
}

// The store: one connection to the state directory's database, owned by one actor. Each method that writes is
// one transaction, done before it returns. What belongs to feeds, runs, items, badge and deliveries stands in
// the extensions in the folders of these names.

public import Core
import Glibc

/// What is remembered between runs, in `bgfetch.db` below the state directory.
///
/// Several processes, and several stores in one process, may have the same directory open.
public actor Store {
  /// The number of the schema this program writes.
  public static let schemaVersion = Migrations.steps.count

  /// The name of the store's file in a state directory.
  public static let fileName = "bgfetch.db"

  /// What tells this store from every other, as part of a file's name: eight hexadecimal digits, made with the file.
  public nonisolated let mark: String

  let database: Database
  /// The unseen items of each feed as of the last look, so that a commit does not count them all again.
  var tally: UnseenTally?
  /// What waits to be changed in one transaction.
  var waitingChanges: [Change] = []

  /// What a store is opened for.
  public enum OpenMode: Hashable, Sendable {
    /// Looking only: takes no lock and waits for no writer; without a file the store is empty.
    case reading
    /// Reading and writing; the file is made if there is none.
    case writing
    /// As `writing`, and a file of an older program is brought up to date first: the caller holds the run
    /// lock and the transfer lock.
    case migrating
  }

  /// Opens the store of a state directory, which the caller has made with mode 0700.
  ///
  /// A file of an older program fails with `needsMigration` except when `migrating`, one of a newer program
  /// always fails with `newerSchema`.
  public static func open(_ directory: String, mode: OpenMode) throws(StoreFailure) -> Store {
    try open(directory, mode: mode, steps: Migrations.steps)
  }

  static func open(_ directory: String, mode: OpenMode, steps: [String]) throws(StoreFailure) -> Store {
    let path = directory + "/" + fileName
    try refuseWhatIsNoFile(path)
    switch mode {
    case .reading: return try Store(try reader(path, steps: steps))
    case .writing, .migrating: return try Store(try writer(path, mode: mode, steps: steps))
    }
  }

  /// Fails where something else than a file has the name: SQLite would wait for the writer of a pipe.
  static func refuseWhatIsNoFile(_ path: String) throws(StoreFailure) {
    var facts = stat()
    if stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG { throw .notAFile(path: path) }
  }

  private init(_ database: consuming sending Database) throws(StoreFailure) {
    mark = try database.value("SELECT mark FROM owner") ?? ""
    self.database = database
  }

  static func reader(_ path: String, steps: [String]) throws(StoreFailure) -> sending Database {
    if access(path, F_OK) == 0 || errno != ENOENT {
      let database = try Database(path: path, access: .read)
      // A reader waits for no transaction, only while another process recovers or closes the file.
      database.waitForLocks(milliseconds: 1000)
      let version: Int
      do throws(StoreFailure) {
        version = try Self.version(of: database, known: steps.count)
      } catch {
        // A process was killed while it made the file; only a connection that may write can roll that back.
        guard case .readOnly = error else { throw error }
        try rollBack(path)
        version = try Self.version(of: database, known: steps.count)
      }
      if version == steps.count { return database }
      // A file without any step behind it is one that somebody is about to fill.
      if version > 0 { throw .needsMigration(path: path, found: version, known: steps.count) }
    }
    let empty = try Database(path: path, access: .memory)
    try empty.migrate(steps)
    try empty.execute("PRAGMA query_only = ON")
    return empty
  }

  /// Rolls back the change that a killed process has left unfinished in the rollback journal.
  private static func rollBack(_ path: String) throws(StoreFailure) {
    let database = try Database(path: path, access: .write)
    database.waitForLocks(milliseconds: 1000)
    _ = try database.schemaVersion()
  }

  private static func writer(
    _ path: String, mode: OpenMode, steps: [String]
  ) throws(StoreFailure) -> sending Database {
    try makePrivateFile(path)
    let database = try Database(path: path, access: .write)
    database.waitForLocks(milliseconds: 10_000)
    let version = try version(of: database, known: steps.count)
    if version > 0, version < steps.count, mode != .migrating {
      throw .needsMigration(path: path, found: version, known: steps.count)
    }
    try database.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA journal_size_limit = 16777216;
      """)
    try database.migrate(steps)
    if version > 0, version < steps.count {
      // The steps may have left much of the file free. Without room for the copy it stays as large, and is filled again.
      try? database.execute("PRAGMA wal_checkpoint(TRUNCATE); VACUUM")
    }
    return database
  }

  /// Ends the connection; what is asked later fails with `closed`.
  public func close() {
    database.close()
  }

  /// Says whose directory this is: the first configuration path stays, any other fails with `belongsTo`.
  public func bind(toConfiguration path: String) throws(StoreFailure) {
    if try configuration() == nil {
      try database.run("UPDATE owner SET configuration = ?1 WHERE configuration IS NULL", path)
    }
    try verify(configuration: path)
  }

  /// Makes the directory another configuration's than it was, unless it is somebody else's by now.
  public func bind(toConfiguration path: String, insteadOf former: String) throws(StoreFailure) {
    try database.run("UPDATE owner SET configuration = ?1 WHERE configuration = ?2", path, former)
    try verify(configuration: path)
  }

  /// Fails with `belongsTo` where the directory is another configuration's; one that is nobody's yet is anybody's.
  public func verify(configuration path: String) throws(StoreFailure) {
    if let owner = try configuration(), owner != path {
      throw .belongsTo(configuration: owner, path: database.path)
    }
  }

  private func configuration() throws(StoreFailure) -> String? {
    try database.value("SELECT configuration FROM owner")
  }

  /// A number that differs from the last one if another connection has committed something meanwhile.
  public func dataVersion() throws(StoreFailure) -> Int {
    try database.value("PRAGMA data_version") ?? 0
  }

  /// Makes the file if there is none, and takes it from everybody else; SQLite gives `-wal` and `-shm` the
  /// same mode.
  ///
  /// Through a descriptor that opens nothing (`O_PATH`): closing an ordinary one would drop the locks that other
  /// connections of this process hold on the file (https://sqlite.org/howtocorrupt.html, section 2.2).
  private static func makePrivateFile(_ path: String) throws(StoreFailure) {
    if mknod(path, S_IFREG | 0o600, 0) != 0, errno != EEXIST {
      throw errno == ENOSPC
        ? .full(path: path, detail: systemError()) : .cannotOpen(path: path, detail: systemError())
    }
    // O_PATH, which Glibc's module lacks; the number is the same on all of Swift's Linux architectures.
    let file = Glibc.open(path, 0o10000000 | O_CLOEXEC)
    guard file >= 0 else { throw .cannotOpen(path: path, detail: systemError()) }
    defer { Glibc.close(file) }
    var facts = stat()
    // fchmod(2) refuses such a descriptor; its name in /proc leads to the very file, whatever its path is by now.
    if fstat(file, &facts) == 0, facts.st_mode & 0o077 != 0, chmod("/proc/self/fd/\(file)", 0o600) != 0 {
      throw .cannotOpen(path: path, detail: systemError())
    }
  }

  private static func systemError() -> String { String(cString: strerror(errno)) }

  /// Whether a file has tables of bgfetch's, or none yet.
  private static func hasOurTables(
    _ database: borrowing Database, _ version: Int
  ) throws(StoreFailure) -> Bool {
    try database.value(
      """
      SELECT CASE ?1 WHEN 0 THEN count(*) = 0
        ELSE count(*) FILTER (WHERE name IN ('owner', 'feed', 'run', 'event', 'delivery')) = 5 END
      FROM sqlite_schema WHERE type = 'table'
      """, version) ?? false
  }

  /// The file's schema, if the file is bgfetch's and not newer than what is known; where the file is damaged, the
  /// failure says what a check of all of it finds.
  private static func version(
    of database: borrowing Database, known: Int
  ) throws(StoreFailure) -> Int {
    do throws(StoreFailure) {
      // Both at one moment: another process may be making the file.
      let (version, isOurs) = try database.snapshot { () throws(StoreFailure) in
        let version = try database.schemaVersion()
        // Reads the table of tables, too, which `user_version` does not.
        return (version, try hasOurTables(database, version))
      }
      guard isOurs else { throw .foreign(path: database.path) }
      if version > known { throw .newerSchema(path: database.path, found: version, known: known) }
      return version
    } catch {
      guard case .corrupt(let path, let detail) = error else { throw error }
      // Where even the check fails, what is known already has to do.
      let found = try? database.value("PRAGMA quick_check(1)", as: String.self)
      throw .corrupt(path: path, detail: found ?? detail)
    }
  }
}

// The only file that knows which store keeps the state: SQLite in the state directory, or PostgreSQL.

import Core
import Machine
import Store

extension Store: CommandStore {
  func catalog(copy: String, at now: Instant) async throws -> (any FeedCatalog)? {
    let catalog: StoredCatalog? = try self.catalog(copy: copy, at: now)
    return catalog
  }

  func simulationCopy(in directory: String) async throws -> any CommandStore {
    try await copyForSimulation(to: directory, on: ActorThread())
  }
}

/// The store of a state directory.
enum LiveStore {
  ///
  /// - Parameter patience: how long to wait for another process that creates or recovers it.
  static func open(
    _ directory: String, for mode: StoreMode, patience: Interval = .seconds(30)
  ) async throws -> any CommandStore {
    let thread = try ActorThread()
    return try await thread.run {
      try Store.open(directory, mode: mode, on: thread, patience: patience)
    }
  }

  /// Connects to the database that several machines share.
  ///
  /// - Parameter lease: how long a run counts as alive without a sign of life.
  static func open(
    _ server: StateServer, password: String?, directory: String, lease: Interval
  ) async throws -> any CommandStore {
    var settings = settings(server, password)
    (settings.lease, settings.machine) = (lease, Machine.name)
    let thread = try ActorThread()
    return try await thread.run { [settings] in
      try Store.open(settings, directory: directory, on: thread, clock: TaskClock())
    }
  }

  /// Makes the tables of a database; returns the version that it found, 0 for none, and the one that it has now.
  static func prepare(_ server: StateServer, password: String?) throws -> (found: Int, now: Int) {
    (try Store.prepare(settings(server, password)), Store.schemaVersion)
  }

  /// Copies the state of a directory to a database; returns the number of rows.
  static func copy(from directory: String, to server: StateServer, password: String?) throws -> Int {
    try Store.copy(fromDirectory: directory, to: settings(server, password))
  }

  /// Copies the state of a database to a directory; returns the number of rows.
  static func copy(from server: StateServer, password: String?, to directory: String) throws -> Int {
    try Store.copy(from: settings(server, password), toDirectory: directory)
  }

  private static func settings(_ server: StateServer, _ password: String?) -> PostgresSettings {
    PostgresSettings(
      place: server.place, password: password, name: "bgfetch, process \(Machine.processIdentifier)")
  }

  /// Refuses a state directory, or files of the store, that another user may have put there.
  static func requireSafety(of directory: String, isOnlyRead: Bool = false) throws(FileFailure) {
    try FileSafety.requireStore(directory, named: Store.fileName, isOnlyRead: isOnlyRead)
  }

  /// The file of the store of a directory.
  static func file(in directory: String) -> String { directory + "/" + Store.fileName }

  /// Whether there is a store in a directory; false if that cannot be seen.
  static func exists(in directory: String) -> Bool { fileIdentity(file(in: directory)) != nil }

  /// Whether a run with this note (`QuietNote`) has nothing to do now; calls no actor, and so starts no thread.
  static func isQuiet(_ note: UInt64, in directory: String, at now: Instant) throws -> Bool {
    try Store.isQuiet(note, in: directory, at: now)
  }
}

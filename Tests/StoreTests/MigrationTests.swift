// Migration from older schemas: nothing is lost, and a failed migration changes nothing.

import Core
import Machine
import Testing

@testable import Store

@Suite(.onFile) struct MigrationTests {
  /// The change of a newer program.
  private let later = Schema.current.with("CREATE TABLE later (number INTEGER) STRICT")

  @Test func `a file of the first program gets the tables of a new file`() throws {
    let new = try Database(path: "new", access: .memory)
    try new.migrate(to: .current)
    let old = try Database(path: "old", access: .memory)
    try old.migrate(to: .old(1))
    #expect(try old.schemaVersion() == 1)

    try old.migrate(to: .current)

    #expect(try old.schemaVersion() == new.schemaVersion())
    let parts = try parts(of: new)
    #expect(parts.count > 300)
    #expect(try self.parts(of: old).difference(from: parts).isEmpty)
  }

  /// Every table, column, foreign key, index and trigger as text.
  private func parts(of database: borrowing Database) throws -> [String] {
    try database.rows(
      """
      SELECT format('%s %d %d', name, wr, strict) FROM pragma_table_list WHERE name NOT LIKE 'sqlite@_%' ESCAPE '@'
      UNION ALL
      SELECT format('%s %d %s %s %d %s %d', tables.name, cid, columns.name, columns.type, "notnull", dflt_value, pk)
      FROM sqlite_schema AS tables, pragma_table_xinfo(tables.name) AS columns WHERE tables.type = 'table'
      UNION ALL
      SELECT format('%s %s %s %s %s', tables.name, keys."from", keys."table", keys."to", keys.on_delete)
      FROM sqlite_schema AS tables, pragma_foreign_key_list(tables.name) AS keys WHERE tables.type = 'table'
      UNION ALL
      SELECT format('%s %s', name, sql) FROM sqlite_schema WHERE type <> 'table'
      ORDER BY 1
      """)
  }

  @Test(arguments: [StoreMode.reading, .writing])
  func `a file of an older program needs a migration`(mode: StoreMode) async throws {
    let directory = try TemporaryDirectory()
    try await directory.open().close()

    #expect(
      throws: StoreFailure.needsMigration(
        path: directory.database, found: Store.schemaVersion, known: later.version)
    ) { try Store.open(directory.path, mode: mode, schema: later) }
  }

  @Test func `a migration keeps the data and adds new tables`() async throws {
    let directory = try TemporaryDirectory()
    let old = try directory.open()
    try await old.bind(toConfiguration: "/etc/bgfetch.yaml")
    await old.close()

    let store = try Store.open(directory.path, mode: .migrating, schema: later)

    #expect(try await store.number("SELECT count(*) FROM later") == 0)
    await #expect(throws: StoreFailure.self) { try await store.bind(toConfiguration: "/else.yaml") }
  }

  // A first run that was killed between two tables left the file of "an older bgfetch".
  @Test func `a new file gets all tables at once or none`() async throws {
    let directory = try TemporaryDirectory()
    let broken = Schema.current.with("SELECT nothing FROM nowhere")

    #expect(throws: StoreFailure.self) { try Store.open(directory.path, mode: .writing, schema: broken) }

    let store = try directory.open(.reading)
    #expect(try await store.feedStates().isEmpty)
  }

  @Test func `a failed migration leaves the file unchanged`() async throws {
    let directory = try TemporaryDirectory()
    try await directory.open().close()
    let broken = Schema.current.with("CREATE TABLE later (number INTEGER); SELECT nothing FROM nowhere")

    #expect(throws: StoreFailure.self) { try Store.open(directory.path, mode: .migrating, schema: broken) }

    let store = try directory.open()
    #expect(try await store.number("SELECT count(*) FROM sqlite_schema WHERE name = 'later'") == 0)
  }

  @Test(arguments: [StoreMode.reading, .writing, .migrating])
  func `a file of a newer program is refused`(mode: StoreMode) async throws {
    let directory = try TemporaryDirectory()
    try await Store.open(directory.path, mode: .writing, schema: later).close()

    #expect(
      throws: StoreFailure.newerSchema(
        path: directory.database, found: later.version, known: Store.schemaVersion)
    ) { try directory.open(mode) }
  }

  @Test(.onFile) func `an opening waits for another process as long as its patience`() async throws {
    let directory = try TemporaryDirectory()
    let holder = try Database(path: directory.database, access: .write)
    try holder.execute("BEGIN EXCLUSIVE")

    let failure = #expect(throws: StoreFailure.self) {
      try Store.open(
        directory.path, mode: .writing, on: ActorThread(), patience: .seconds(1), schema: .current)
    }
    guard case .busy = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    async let opened = Task.detached { try directory.open() }.value
    try holder.execute("COMMIT")
    holder.close()
    #expect(try await opened.number("SELECT count(*) FROM badge") == 1)
  }

  // The pool of Swift's tasks has a thread a core: with all of them waiting for the lock, nothing else would run.
  @Test(.onFile) func `stores that wait for a lock stop no task`() async throws {
    let directory = try TemporaryDirectory()
    let stores = try (0..<16).map { _ in try directory.open() }
    let holder = try Database(path: directory.database, access: .write)
    try holder.execute("BEGIN IMMEDIATE")

    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, store) in stores.enumerated() {
        group.addTask { _ = try await store.beginRun(.timer, process: Int32(number), at: now) }
      }
      // Runs only if there is a thread for it.
      await Task.detached {}.value
      try holder.execute("COMMIT")
      try await group.waitForAll()
    }

    #expect(try await stores[0].number("SELECT count(*) FROM run") == 16)
  }

  @Test func `concurrent openings of a new store all find it complete`() async throws {
    let directory = try TemporaryDirectory()

    try await withThrowingTaskGroup(of: Int?.self) { group in
      for _ in 0..<8 {
        group.addTask { try await directory.open().number("SELECT count(*) FROM badge") }
      }
      for try await count in group { #expect(count == 1) }
    }
  }
}

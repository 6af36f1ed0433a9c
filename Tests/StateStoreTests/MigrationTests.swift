// Migration from older schemas: nothing is lost, and a failed migration changes nothing.

import Core
import Testing

@testable import StateStore

@Suite(.onFile) struct MigrationTests {
  /// The change of a newer program.
  private let later = Migrations.steps + ["CREATE TABLE later (number INTEGER) STRICT"]

  @Test(arguments: [StoreMode.reading, .writing])
  func `a file of an older program needs a migration`(mode: StoreMode) async throws {
    let directory = try TemporaryDirectory()
    try await directory.open().close()

    #expect(
      throws: StoreFailure.needsMigration(
        path: directory.database, found: Store.schemaVersion, known: later.count)
    ) { try Store.open(directory.path, mode: mode, steps: later) }
  }

  @Test func `a migration keeps the data and adds new tables`() async throws {
    let directory = try TemporaryDirectory()
    let old = try directory.open()
    try await old.bind(toConfiguration: "/etc/bgfetch.yaml")
    await old.close()

    let store = try Store.open(directory.path, mode: .migrating, steps: later)

    #expect(try await store.number("SELECT count(*) FROM later") == 0)
    await #expect(throws: StoreFailure.self) { try await store.bind(toConfiguration: "/else.yaml") }
  }

  // A first run that was killed between two steps left the file of "an older bgfetch".
  @Test func `a new file takes all migrations at once or none`() async throws {
    let directory = try TemporaryDirectory()
    let broken = Migrations.steps + ["SELECT nothing FROM nowhere"]

    #expect(throws: StoreFailure.self) { try Store.open(directory.path, mode: .writing, steps: broken) }

    let store = try directory.open(.reading)
    #expect(try await store.feedStates().isEmpty)
  }

  @Test func `a failed migration leaves the file unchanged`() async throws {
    let directory = try TemporaryDirectory()
    try await directory.open().close()
    let broken = Migrations.steps + ["CREATE TABLE later (number INTEGER); SELECT nothing FROM nowhere"]

    #expect(throws: StoreFailure.self) { try Store.open(directory.path, mode: .migrating, steps: broken) }

    let store = try directory.open()
    #expect(try await store.number("SELECT count(*) FROM sqlite_schema WHERE name = 'later'") == 0)
  }

  @Test(arguments: [StoreMode.reading, .writing, .migrating])
  func `a file of a newer program is refused`(mode: StoreMode) async throws {
    let directory = try TemporaryDirectory()
    try await Store.open(directory.path, mode: .writing, steps: later).close()

    #expect(
      throws: StoreFailure.newerSchema(
        path: directory.database, found: later.count, known: Store.schemaVersion)
    ) { try directory.open(mode) }
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

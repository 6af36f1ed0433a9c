// The tables of a new file, the files of other versions, and openings at the same time.

import Core
import Machine
import Testing

@testable import Store

@Suite(.onFile) final class SchemaTests: DirectorySuite {
  // A first run that was killed between two tables left the file of "an older bgfetch".
  @Test func `a new file gets all tables at once or none`() async throws {
    let broken = try Database(path: directory.database, access: .write)

    #expect(throws: StoreFailure.self) {
      try broken.makeTables(Schema.tables + "SELECT nothing FROM nowhere")
    }

    broken.close()
    #expect(try await directory.open(.reading).feedStates().isEmpty)
    #expect(try await directory.open().feedStates().isEmpty)
  }

  @Test(arguments: [StoreMode.reading, .writing])
  func `a file of the next version is refused`(mode: StoreMode) async throws {
    let next = Store.schemaVersion + 1
    let store = try directory.open()
    try await store.execute("PRAGMA user_version = \(next)")
    await store.close()

    #expect(
      throws: StoreFailure.newerSchema(path: directory.database, found: next, known: Store.schemaVersion)
    ) { try directory.open(mode) }
  }

  @Test func `an older file gets what it lacks, once`() throws {
    let file = try Database(path: directory.database, access: .write)
    try file.makeTables(Schema.tables, [])
    for _ in 0..<2 { try file.makeTables(Schema.tables, Schema.nextSteps) }

    #expect(try file.value("SELECT count(*) FROM later WHERE later_text = 'none'") == 0)
    #expect(try file.schemaVersion() == Schema.version + 1)
    file.close()
  }

  @Test(.onFile) func `an opening waits for another process as long as its patience`() async throws {
    let holder = try Database(path: directory.database, access: .write)
    try holder.execute("BEGIN EXCLUSIVE")

    let failure = #expect(throws: StoreFailure.self) {
      try Store.open(directory.path, mode: .writing, on: ActorThread(), patience: .seconds(1))
    }
    expect(failure, "busy")
    let opened = Task.detached { [directory] in try directory.open() }
    try holder.execute("COMMIT")
    holder.close()
    #expect(try await opened.value.number("SELECT count(*) FROM badge") == 1)
  }

  // The pool of Swift's tasks has a thread a core: with all of them waiting for the lock, nothing else would run.
  @Test(.onFile) func `stores that wait for a lock stop no task`() async throws {
    let stores = try (0..<16).map { _ in try directory.open() }
    let holder = try Database(path: directory.database, access: .write)
    try holder.execute("BEGIN IMMEDIATE")

    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, store) in stores.enumerated() {
        group.addTask { _ = try await store.beginRound(.timer, process: Int32(number), at: now) }
      }
      // Runs only if there is a thread for it.
      await Task.detached {}.value
      try holder.execute("COMMIT")
      try await group.waitForAll()
    }

    #expect(try await stores[0].number("SELECT count(*) FROM run") == 16)
  }

  @Test func `concurrent openings of a new store all find it complete`() async throws {
    try await withThrowingTaskGroup(of: Int?.self) { group in
      for _ in 0..<8 {
        group.addTask { [directory] in try await directory.open().number("SELECT count(*) FROM badge") }
      }
      for try await count in group { #expect(count == 1) }
    }
  }
}

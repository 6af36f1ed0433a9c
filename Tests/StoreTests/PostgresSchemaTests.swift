// The tables of a server: those of other versions, and updates while machines work.

import Core
import Machine
import Testing

@testable import Fleet
@testable import Store

@Suite(.enabled(if: Server.isUsed, "on PostgreSQL")) final class PostgresSchemaTests: StoreSuite {
  private var settings: PostgresSettings { get throws { try Server.database(for: directory.path) } }

  @Test func `a program works on when the tables of the next version are made`() async throws {
    let current = Store.schemaVersion
    try await store.commit(fetch(planet, [item("a")]))
    _ = try await store.runs(HistoryPart(limit: 1))

    #expect(try prepareNext(settings) == current)
    #expect(try prepareNext(settings) == current + 1)

    try await store.commit(fetch(planet, [item("b")]))
    _ = try await store.runs(HistoryPart(limit: 1))
    let opened = try directory.open()
    try await opened.commit(fetch(other, [item("a")]))
    #expect(try await store.number("SELECT count(*) FROM feed WHERE later_word = 'none'") == 2)
    #expect(try await opened.foundSchema() == current + 1)
    // An update never goes back.
    #expect(try Store.prepare(settings) == current + 1)
    #expect(try await opened.foundSchema() == current + 1)
  }

  @Test func `an update waits for a long transaction, and nobody waits long for the update`() async throws {
    let settings = try self.settings
    let reader = try Database(PostgresConnection(settings))
    try reader.execute("BEGIN; SELECT count(*) FROM feed")

    let update = Task.detached { try prepareNext(settings) }
    var isWaiting = false
    for number in 0..<100_000 where !isWaiting {
      try await store.commit(fetch(name("feed-\(number)"), [item("a")]))
      isWaiting =
        try await store.number(
          "SELECT count(*) FROM pg_locks JOIN pg_database ON oid = database WHERE NOT granted AND datname = current_database()"
        ) ?? 0 > 0
    }
    try await store.commit(fetch(planet, [item("a")]))
    try reader.execute("COMMIT")

    #expect(isWaiting)
    #expect(try await update.value == Store.schemaVersion)
    reader.close()
  }

  @Test(arguments: [(-1, "notPrepared"), (0, "none"), (1, "none"), (2, "newerSchema")])
  func `tables are used if they are of this version or of the next one`(
    distance: Int, failure: String
  ) async throws {
    try await store.execute("UPDATE schema_version SET version = \(Store.schemaVersion + distance)")

    let result = Result { try directory.open() }
    switch result {
    case .success: #expect(failure == "none")
    case .failure(let error): expect(error as? StoreFailure, failure)
    }
  }
}

/// Makes the tables of the next version.
private func prepareNext(_ settings: PostgresSettings) throws -> Int {
  try PostgresSchema.prepare(PostgresConnection(settings, isPatient: true), Schema.nextSteps)
}

extension Schema {
  /// The additions of a made-up next version.
  static let nextSteps = [
    Step(
      version: version + 1,
      changes: """
        ALTER TABLE feed ADD COLUMN later_word TEXT NOT NULL DEFAULT 'none';
        CREATE TABLE later (number INTEGER PRIMARY KEY, later_text TEXT NOT NULL) STRICT;
        """)
  ]
}

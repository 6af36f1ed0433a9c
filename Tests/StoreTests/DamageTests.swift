// Damaged files, full disks, waiting writers and killed processes, each on a real file.

import Core
import Glibc
import Testing

@testable import Fleet
@testable import Store

@Suite(.onFile) final class DamageTests: DirectorySuite {
  @Test(arguments: [StoreMode.reading, .writing])
  func `a file that is not a database is corrupt`(mode: StoreMode) throws {
    try directory.write(Array(repeating: UInt8(ascii: "x"), count: 8192), to: "bgfetch.db")

    let failure = #expect(throws: StoreFailure.self) { try directory.open(mode) }

    #expect(failure == .corrupt(path: directory.database, detail: "file is not a database"))
  }

  @Test func `a file with an overwritten schema table is corrupt, with the findings of the check`()
    async throws
  {
    try await directory.open().close()
    var bytes = try directory.bytes(of: "bgfetch.db")
    for index in 100..<4096 { bytes[index] = 0xA5 }
    try directory.write(bytes, to: "bgfetch.db")

    let failure = #expect(throws: StoreFailure.self) { try directory.open() }

    expect(failure, "corrupt", of: directory.database)
  }

  @Test(arguments: [StoreMode.reading, .writing], [0, Store.schemaVersion, 75])
  func `the database of another program is refused and left unchanged`(
    mode: StoreMode, version: Int
  ) async throws {
    do {
      let other = try Database(path: directory.database, access: .write)
      // A table with our name does not make it our file.
      try other.execute("CREATE TABLE owner (mark); CREATE TABLE places (url)")
      try other.execute("PRAGMA user_version = \(version)")
    }
    let before = try directory.bytes(of: "bgfetch.db")

    #expect(throws: StoreFailure.foreign(path: directory.database)) { try directory.open(mode) }

    #expect(try directory.bytes(of: "bgfetch.db") == before)
  }

  // Reading commands failed with "attempt to write a readonly database" after a first run was killed.
  @Test func `a killed process's unfinished writes are rolled back for readers too`() async throws {
    let killed = try TemporaryDirectory()
    do {
      let database = try Database(path: directory.database, access: .write)
      // With a cache of one page SQLite writes uncommitted pages to the file.
      try database.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE; CREATE TABLE owner (mark)")
      try database.execute("INSERT INTO owner VALUES (zeroblob(100000)); PRAGMA user_version = 1")
      for file in directory.names { try killed.write(try directory.bytes(of: file), to: file) }
    }
    #expect(killed.names == ["bgfetch.db", "bgfetch.db-journal"])

    let store = try killed.open(.reading)

    #expect(try await store.feedStates().isEmpty)
  }

  @Test func `an invalid value in a column is corruption, not a crash`() async throws {
    let store = try directory.open()
    try await store.commit(fetch(try name("planet")))
    try await store.execute("UPDATE feed SET name = '../planet'")

    await #expect(
      throws: StoreFailure.corrupt(path: directory.database, detail: "column name holds no FeedName")
    ) { try await store.feedStates() }
  }

  @Test(
    arguments: [10, 14] as [Int32],
    [
      (ENOSPC, StoreFailure.full(path: "/db", detail: "I/O error")),
      (EDQUOT, .full(path: "/db", detail: "I/O error")),
      (EROFS, .readOnly(path: "/db", detail: "the file system is read-only")),
    ])
  func `a full disk, or a file system that became read-only, is reported as such`(
    code: Int32, reason: (error: Int32, failure: StoreFailure)
  ) {
    let failure = StoreFailure(code: code, systemError: reason.error, detail: "I/O error", path: "/db")

    #expect(failure == reason.failure)
  }

  @Test(arguments: [StoreMode.reading, .writing])
  func `a directory in place of the file is reported and left unchanged`(mode: StoreMode) throws {
    mkdir(directory.database, 0o755)
    chmod(directory.database, 0o755)

    #expect(throws: StoreFailure.notAFile(path: directory.database)) { try directory.open(mode) }

    var facts = stat()
    stat(directory.database, &facts)
    #expect(facts.st_mode & 0o777 == 0o755)
  }

  @Test func `on a full disk a commit stores nothing, and the store continues`() async throws {
    let planet = try name("planet")
    let store = try directory.open()
    try await store.commit(fetch(planet, [item("1")]), configured: [planet])
    let pages = try #require(try await store.number("PRAGMA page_count"))
    try await store.execute("PRAGMA max_page_count = \(pages)")
    let large = (0..<200).map { item("large \($0)", title: String(repeating: "x", count: 1000)) }

    let failure = await #expect(throws: StoreFailure.self) {
      try await store.commit(fetch(planet, large), configured: [planet])
    }
    expect(failure, "full", of: directory.database)
    #expect(try await store.knownItems(planet).map(\.number) == [1])
    #expect(try await store.fetches(of: planet, limit: 10).count == 1)

    try await store.execute("PRAGMA max_page_count = 100000")
    try await store.commit(fetch(planet, [item("2")]), configured: [planet])
    #expect(try await store.badge(configured: [planet]) == 2)
  }

  @Test func `a writer that waits too long fails with busy`() async throws {
    let other = try directory.open()
    let store = try directory.open()
    try await other.execute("BEGIN IMMEDIATE")
    try await store.execute("PRAGMA busy_timeout = 1")

    let failure = await #expect(throws: StoreFailure.self) {
      _ = try await store.beginRound(.timer, process: 1, at: now)
    }

    expect(failure, "busy", of: directory.database)
  }

  @Test func `a transaction of a killed process is rolled back`() async throws {
    let planet = try name("planet")
    let store = try directory.open()
    try await store.commit(fetch(planet, [item("1")]))
    // With a cache of one page SQLite writes uncommitted pages to the journal.
    try await store.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE")
    for _ in 0..<50 {
      try await store.execute(
        """
        INSERT INTO item (feed, first_seen, is_seen, is_filtered, content_key, edit_hash, guid)
        VALUES (1, 0, 0, 0, 0, 0, hex(zeroblob(2000)))
        """)
    }

    // The files now are as a killed process leaves them.
    let killed = try TemporaryDirectory()
    for file in ["bgfetch.db", "bgfetch.db-wal"] { try killed.write(try directory.bytes(of: file), to: file) }
    let reopened = try killed.open()

    #expect(try killed.bytes(of: "bgfetch.db-wal").count > 100_000)
    #expect(try await reopened.knownItems(planet).map(\.number) == [1])
    #expect(try await reopened.number("SELECT count(*) FROM pragma_integrity_check") == 1)
  }
}

@Suite final class DamagedVersionTests: DirectorySuite {
  // A negative version of the tables ended the program with SIGILL.
  @Test func `a version that no program writes is refused`() async throws {
    let store = try directory.open()
    try await store.execute(
      Server.isUsed ? "UPDATE schema_version SET version = -5" : "PRAGMA user_version = -5")
    await store.close()
    let foreign = StoreFailure.foreign(path: directory.database)

    for mode in [StoreMode.reading, .writing] { #expect(throws: foreign) { try directory.open(mode) } }
    if Server.isUsed {
      #expect(throws: foreign) { try Store.prepare(try Server.database(for: directory.path)) }
    }
  }
}

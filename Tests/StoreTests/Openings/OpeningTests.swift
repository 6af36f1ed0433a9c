// Opening and closing a store, for writing and for reading.

import Core
import Glibc
import Testing

@testable import Store

@Suite final class OpeningTests: DirectorySuite {
  @Test(.onFile) func `a store is created at its first write`() throws {
    _ = try directory.open()

    #expect(directory.names.contains("bgfetch.db"))
  }

  @Test(.onFile, arguments: ["bgfetch.db", "bgfetch.db-wal", "bgfetch.db-shm"])
  func `only its owner may read a store's files, whatever the umask`(name: String) async throws {
    let store = try directory.open()
    try await store.bind(toConfiguration: "/etc/bgfetch.yaml")

    #expect(try directory.mode(name) == 0o600)
    await store.close()
  }

  @Test(.onFile) func `permissions of others on a store are removed`() async throws {
    try await directory.open().close()
    chmod(directory.database, 0o644)

    try await directory.open().close()

    #expect(try directory.mode("bgfetch.db") == 0o600)
  }

  @Test(.onFile) func `closing leaves one file and no journal`() async throws {
    let store = try directory.open()
    try await store.bind(toConfiguration: "/etc/bgfetch.yaml")

    await store.close()

    #expect(directory.names == ["bgfetch.db"])
  }

  @Test func `a closed store reports that it is closed`() async throws {
    let store = try directory.open()
    await store.close()

    await #expect(throws: StoreFailure.closed(path: directory.database)) { try await store.feedStates() }
  }

  @Test func `a missing directory fails with its path`() throws {
    let path = directory.path + "/missing"

    let failure = #expect(throws: StoreFailure.self) { try Store.open(path, mode: .writing) }

    expect(failure, "cannotOpen", of: path + "/bgfetch.db")
  }

  @Test func `a state directory belongs to the first configuration`() async throws {
    let store = try directory.open()
    try await store.bind(toConfiguration: "/etc/bgfetch.yaml")
    try await store.bind(toConfiguration: "/etc/bgfetch.yaml")

    await #expect(
      throws: StoreFailure.belongsTo(configuration: "/etc/bgfetch.yaml", path: directory.database)
    ) { try await store.bind(toConfiguration: "/home/me/bgfetch.yaml") }
  }

  @Test func `reading the owner of a state directory does not set it`() async throws {
    let store = try TemporaryDirectory().open()
    try await store.verify(configuration: "/etc/bgfetch.yaml")
    try await store.bind(toConfiguration: "/home/me/bgfetch.yaml")

    try await store.verify(configuration: "/home/me/bgfetch.yaml")
    await #expect(throws: StoreFailure.self) { try await store.verify(configuration: "/etc/bgfetch.yaml") }
  }

  @Test(.onFile) func `the data version changes with commits of other connections only`() async throws {
    let mine = try directory.open()
    let other = try directory.open()
    let before = try await mine.dataVersion()
    _ = try await mine.beginRound(.timer, process: 1, at: now)

    let afterMine = try await mine.dataVersion()
    _ = try await other.beginRound(.timer, process: 2, at: now)
    let afterOther = try await mine.dataVersion()

    #expect(afterMine == before)
    #expect(afterOther != before)
  }
}

@Suite final class ReadingTests: DirectorySuite {
  @Test func `reading before the first write finds an empty store and creates none`() async throws {
    let store = try directory.open(.reading)

    #expect(try await store.feedStates().isEmpty)
    #expect(directory.names.isEmpty)
  }

  @Test func `reading an empty file finds an empty store`() async throws {
    try directory.write([], to: "bgfetch.db")

    #expect(try await directory.open(.reading).feedStates().isEmpty)
  }

  @Test(.onFile, arguments: [true, false])
  func `a store opened for reading cannot be written`(isEmpty: Bool) async throws {
    if !isEmpty { try await directory.open().close() }
    let store = try directory.open(.reading)

    let failure = await #expect(throws: StoreFailure.self) {
      _ = try await store.beginRound(.timer, process: 1, at: now)
    }

    expect(failure, "readOnly", of: isEmpty ? "" : directory.database)
  }

  @Test(.onFile) func `reading does not wait for an open transaction, and sees the state before it`()
    async throws
  {
    let planet = try name("planet")
    let writer = try directory.open()
    try await writer.commit(fetch(planet, [item("1")]))
    try await writer.execute("BEGIN IMMEDIATE; DELETE FROM item")

    // Waiting would fail with `busy`.
    let reader = try directory.open(.reading)

    #expect(try await reader.knownItems(planet).map(\.number) == [1])
  }

  @Test func `reading continues while a run writes, and sees each commit`() async throws {
    let planet = try name("planet")
    let writer = try directory.open()
    let reader = try directory.open(.reading)

    try await writer.commit(fetch(planet))

    #expect(try await reader.feedState(planet)?.hasBaseline == true)
  }
}

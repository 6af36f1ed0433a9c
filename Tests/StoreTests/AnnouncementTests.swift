// The commits of others on a server, as a waiting machine hears of them.

import Core
import Machine
import TestKit
import Testing

@testable import Store

@Suite(.enabled(if: Server.isUsed, "machines share only a server")) final class AnnouncementTests: StoreSuite
{
  @Test func `other transactions of the server are no news, and neither are signs of life`() async throws {
    let other = try directory.open()
    let before = try await store.dataVersion()

    try Server.execute("SELECT pg_current_xact_id()", in: "postgres")
    try await other.execute("CREATE TABLE elsewhere (number INTEGER)")
    try await other.execute("INSERT INTO elsewhere (number) VALUES (1)")
    try await other.execute("UPDATE run SET exit_status = 1; UPDATE worker SET lease = 1")

    #expect(try await store.dataVersion() == before)
  }

  @Test(arguments: ["feed", "catalog", "push", "transfer", "delivery", "claim", "fleet"])
  func `a commit that may concern a run is news, once it is committed`(table: String) async throws {
    let other = try directory.open()
    let before = try await store.dataVersion()

    try await other.execute("DELETE FROM \(table)")

    #expect(try await store.dataVersion() != before)
  }

  @Test func `what was missed while the connection was lost is news`() async throws {
    let line = try Server.line()
    let store = try Store.open(
      try Server.database(for: directory.path, by: line), directory: directory.path, on: ActorThread(),
      clock: ContinuousClock())
    let before = try await store.dataVersion()

    line.cut()

    #expect(try await store.dataVersion() != before)
  }
}

// The commits of others on a server, as a waiting machine hears of them.

import Core
import Machine
import TestKit
import Testing

@testable import Fleet
@testable import Store

@Suite(.enabled(if: Server.isUsed, "machines share only a server")) final class AnnouncementTests: StoreSuite
{
  @Test func `other transactions of the server are no news, and neither are signs of life`() async throws {
    let other = try directory.open()
    let before = try await store.dataVersion()

    try Server.execute("SELECT pg_current_xact_id()", in: "postgres")
    try await other.execute("CREATE TABLE elsewhere (number INTEGER)")
    try await other.execute("INSERT INTO elsewhere (number) VALUES (1)")
    try await other.execute("UPDATE run SET exit_status = 1; UPDATE worker SET alive_until = 1")

    #expect(try await store.dataVersion() == before)
  }

  /// Tables whose rows may concern runs, with a row of each.
  private static let rows = [
    ("feed", "(name, last_configured) VALUES ('moon', 0)"),
    ("catalog", "(name, tags, changed) VALUES ('moon', '', 1)"),
    ("push", "(feed, fields, received) VALUES (100, '', 0)"),
    (
      "transfer",
      """
      (feed, session, asset_key, place, url, description, queued)
      VALUES (100, 1, 1, 1, 'https://example.org/', '', 0)
      """
    ),
    ("delivery", "(event, hook, queued, not_before) VALUES (1, 'desktop', 0, 0)"),
    ("claim", "(host, run) VALUES ('example.org', 100)"),
    ("all_machines", "(pause) VALUES ('')"),
  ]

  @Test(arguments: rows)
  func `a commit that changes what may concern a run is news`(table: String, row: String) async throws {
    let other = try directory.open()
    try await other.execute(
      """
      INSERT INTO feed (number, name, last_configured) VALUES (100, 'planet', 0);
      INSERT INTO run (number, cause, was_named, was_forced, process, started) VALUES (100, '', 0, 0, 0, 0)
      """)
    let column = row.prefix { $0 != "," && $0 != ")" }.dropFirst()
    for change in [
      "INSERT INTO \(table) \(row)", "UPDATE \(table) SET \(column) = \(column)", "DELETE FROM \(table)",
    ] {
      let before = try await store.dataVersion()

      try await other.execute(change)

      #expect(try await store.dataVersion() != before, "\(change)")
    }
  }

  @Test func `a statement that changes no row is no news`() async throws {
    let other = try directory.open()
    let before = try await store.dataVersion()

    for (table, _) in Self.rows { try await other.execute("DELETE FROM \(table) WHERE false") }
    try await other.expireDeliveries("desktop", before: now)

    #expect(try await store.dataVersion() == before)
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

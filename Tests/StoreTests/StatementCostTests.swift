// Frequent statements use indexes.

import Core
import Testing

@testable import Store

@Suite final class StatementCostTests: StoreSuite {
  @Test(
    .onFile,
    arguments: [
      "SELECT weight, last FROM opening WHERE feed IS 1 AND day_kind = 0 AND minute = 5",
      "SELECT 1 FROM opening_day WHERE feed IS 1 AND day BETWEEN 2 - 1 AND 2 + 1 AND abs(last - 3) < 4",
      "UPDATE opening_day SET last = 3 WHERE feed IS 1 AND day = 2",
      "SELECT day_kind, minute, weight, last FROM opening WHERE feed IS NULL ORDER BY day_kind, minute",
      "SELECT day FROM opening_day WHERE feed IS NULL", "SELECT rowid FROM opening WHERE last < 5 LIMIT 2",
      "SELECT rowid FROM opening_day WHERE last > 5 + 6 LIMIT 2",
      "SELECT rowid FROM push_fetch WHERE at < 5 LIMIT 2",
      "DELETE FROM push WHERE feed = 1 AND content_id IS NULL",
      "SELECT number FROM push WHERE feed = 1 ORDER BY number DESC LIMIT -1 OFFSET 100",
      Store.ownBinsQuery.replacing("?1", with: "'[]'"), Store.ownDaysQuery.replacing("?1", with: "'[]'"),
      Store.nextMomentQuery.replacing("?1", with: "5").replacing("?2", with: "NULL"),
      "\(Store.unsettledQuery)", "SELECT 1 FROM \(Store.activeTransfers) AND \(Store.canContinue("5"))",
      "SELECT 1 FROM transfer INDEXED BY transfer_unsettled WHERE session = 1 AND settled IS NULL",
      "SELECT 1 FROM transfer INDEXED BY transfer_failed WHERE status = 'failed'",
      "SELECT 1 FROM delivery WHERE hook = 'a' AND status = 'pending' AND \(Store.isDue("5"))",
      "SELECT number FROM transfer WHERE bare_since < 5 LIMIT 2",
      "SELECT number FROM transfer WHERE bare_since > 5 + 6 LIMIT 2",
      "SELECT asset_key FROM asset WHERE feed = 1 ORDER BY item, asset_key",
      "SELECT number FROM transfer WHERE feed = 1 AND asset_key = 2 AND status = 'finished' ORDER BY number DESC",
      "SELECT transfer FROM placed_file WHERE folded_name = 'a' AND directory = 'b' AND removed IS NULL",
      "SELECT transfer FROM placed_file WHERE feed = 1 AND removed IS NULL", Store.feedsWithFilesQuery,
    ])
  func `no statement scans a whole table`(sql: String) async throws {
    let steps = try await store.steps(of: sql)

    #expect(!steps.isEmpty)
    for step in steps {
      // Scans of the given feeds and of a partial index are right, those of an index of all feeds are not.
      let isBounded =
        step.contains("USING") || step.contains("asked") || step.contains("VIRTUAL TABLE")
        || step.hasSuffix("SCAN (subquery-1)")
      #expect(isBounded && !step.hasPrefix("SCAN feed ") || !step.hasPrefix("SCAN"), "\(step)")
    }
  }
}

extension Store {
  /// The query plan of a statement (https://sqlite.org/eqp.html).
  func steps(of sql: String) throws -> [String] {
    let plan: [(Int64, Int64, Int64, String)] = try database.rows("EXPLAIN QUERY PLAN " + sql)
    return plan.map(\.3)
  }
}

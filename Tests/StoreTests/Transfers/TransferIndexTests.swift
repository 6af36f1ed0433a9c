// Frequent statements about transfers use indexes.

import Core
import Testing

@testable import Store

@Suite final class TransferIndexTests: StoreSuite {
  @Test(
    .onFile,
    arguments: [
      "\(Store.unsettledQuery)",
      "SELECT 1 FROM \(Store.activeTransfers) AND \(Store.canContinue("5"))",
      "SELECT 1 FROM transfer INDEXED BY transfer_unsettled WHERE session = 1 AND settled IS NULL",
      "SELECT 1 FROM transfer INDEXED BY transfer_failed WHERE status = 'failed'",
      "SELECT 1 FROM delivery WHERE hook = 'a' AND status = 'pending' AND \(Store.isDue("5"))",
      "SELECT number FROM transfer WHERE bare_since < 5 LIMIT 2",
      "SELECT number FROM transfer WHERE bare_since > 5 + 6 LIMIT 2",
      "SELECT asset_key FROM asset WHERE feed = 1 ORDER BY item, asset_key",
      "SELECT number FROM transfer WHERE feed = 1 AND asset_key = 2 AND status = 'finished' ORDER BY number DESC",
      "SELECT transfer FROM placed_file WHERE folded_name = 'a' AND directory = 'b' AND removed IS NULL",
      "SELECT transfer FROM placed_file WHERE feed = 1 AND removed IS NULL",
    ])
  func `no statement scans the whole table of transfers, files or assets`(sql: String) async throws {
    let steps = try await store.steps(of: sql)

    #expect(!steps.isEmpty)
    for step in steps {
      // Scanning a partial index is right.
      let isByIndex = step.contains("USING")
      #expect(isByIndex || !step.hasPrefix("SCAN"), "\(step)")
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

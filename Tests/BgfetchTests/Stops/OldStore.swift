// A store as an older program has left it.

import Core
import Glibc
import TestKit

@testable import StateStore

/// Makes the store of a program whose schema was number 2, with a feed and its items.
func makeOldStore(in bgfetch: BuiltProgram) async throws {
  mkdir(bgfetch.state, 0o700)
  let store = try Store.open(bgfetch.state, mode: .writing, steps: Array(Migrations.steps.prefix(2)))
  try await store.fill()
  await store.close()
}

extension Store {
  fileprivate func fill() throws {
    try database.execute(
      """
      INSERT INTO feed (name, last_configured, has_baseline) VALUES ('planet', 1793610000, 1);
      WITH RECURSIVE place (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM place WHERE n < 40)
      INSERT INTO item (feed, first_seen, is_seen, is_filtered, content_key, edit_hash, guid, title)
      SELECT 1, 1793610000, n % 2, 0, n, n, 'old ' || n, 'Old ' || n FROM place;
      """)
  }
}

// Statements of SQLite in the words of PostgreSQL.

import Testing

@testable import Fleet

@Suite struct PostgresTextTests {
  @Test(arguments: [
    ("SELECT updated FROM item", true), ("WITH a AS (SELECT 1 AS n) SELECT n FROM a", true),
    ("SELECT n FROM a FOR UPDATE", false), ("UPDATE item SET is_seen = 1", false),
    ("DELETE FROM item RETURNING number", false), ("INSERT INTO a VALUES (1)", false),
    ("WITH b AS (DELETE FROM a RETURNING n) SELECT n FROM b", false),
  ])
  func `a statement that changes nothing may run twice`(sql: String, onlyReads: Bool) {
    #expect(PostgresText.onlyReads(PostgresText.statement(sql)) == onlyReads)
  }
}

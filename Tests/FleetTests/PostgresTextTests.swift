// Statements of SQLite in the words of PostgreSQL, and its errors in one line.

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

  @Test(arguments: [
    ("ERROR: no relation \"item\" at character 1409\n", "ERROR: no relation \"item\""),
    (
      "ERROR: no relation \"item\"\nLINE 1: SELECT 1 FROM item\n                      ^\n",
      "ERROR: no relation \"item\""
    ),
    ("ERROR: no relation \"item\" at character 9\nHINT: look\n", "ERROR: no relation \"item\" HINT: look"),
  ])
  func `an error is the same in whatever statement it is, so that it is said once`(
    message: String, text: String
  ) {
    #expect(PostgresText.line(message) == text)
  }
}

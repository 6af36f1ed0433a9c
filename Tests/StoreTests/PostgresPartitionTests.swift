// The partitions of the history by day on a server.

import Core
import Machine
import Testing

@testable import Fleet
@testable import Store

@Suite(.enabled(if: Server.isUsed, "on PostgreSQL")) final class PostgresPartitionTests: StoreSuite {
  private static let older = [(10, "pending"), (9, "delivered"), (8, "dead")]

  private func database() throws -> Database {
    Database(try PostgresConnection(Server.database(for: directory.path)))
  }

  /// Today by the server's clock, counted from 1970.
  private func today() async throws -> Int64 {
    try #require(try await store.time()).instant.secondsSince1970 / 86_400
  }

  /// Makes the partitions of the days that are kept today, and of those ten days ago; returns today.
  private func keepDays() async throws -> Int64 {
    let database = try database()
    let today = try await today()
    for start in [today - 10, today] { try PostgresSchema.keepDays(in: database, today: start) }
    return today
  }

  /// The days before today, by the server's clock, that have a partition of a table.
  private func oldDays(of table: String) async throws -> [Int] {
    try await store.numbers(
      """
      SELECT (current_date - to_date(right(relname, 8), 'YYYYMMDD'))::bigint FROM pg_inherits JOIN pg_class ON oid = inhrelid
      WHERE inhparent = (SELECT oid FROM pg_class AS parent WHERE relkind = 'p' AND relname = '\(table)') AND relname !~ 'rest' ORDER BY relname
      """
    ).filter { $0 > 0 }
  }

  /// Prunes with the ages of fetches, events and other things in days.
  private func prune(history: Int64, events: Int64, others: Int64) async throws {
    let now = try #require(try await store.time()).instant
    try await store.prune(
      before: now - .days(others), history: now - .days(history), events: now - .days(events), limit: 100)
  }

  @Test func `old days are dropped, but events only when everyone has had them`() async throws {
    let today = try await keepDays()
    var commit = fetch(planet, [item("a")])
    commit.events = [event("e"), event("e")]
    try await store.commit(commit)
    for (age, status) in Self.older {
      let number = (today - Int64(age)) << 36 + 1
      try await store.execute(
        """
        INSERT INTO fetch (number, feed, result, reason) SELECT \(number), number, 'failed', '' FROM feed;
        INSERT INTO request (fetch, hop, address) VALUES (\(number), 0, 'x');
        INSERT INTO event (number, id, kind, time, cause, fields)
          VALUES (\(number), '\(age)', 'new-item', 0, 'timer', '{}');
        INSERT INTO event_item (event, item) VALUES (\(number), 1);
        INSERT INTO delivery (number, event, hook, queued, not_before, status)
          VALUES (\(number), \(number), 'desktop', 0, 0, '\(status)')
        """)
    }

    #expect(try await store.number("SELECT count(*) FROM fetch_rest") == 0)
    #expect(try await store.number("SELECT count(*) FROM event WHERE id = 'e'") == 1)
    #expect(try await oldDays(of: "delivery") == [10, 9, 8])
    try await prune(history: 20, events: 20, others: 90)
    #expect(try await store.number("SELECT count(*) FROM request") == 4)

    try await prune(history: 5, events: 5, others: 90)
    #expect(try await store.number("SELECT count(*) FROM request") == 1)
    #expect(try await oldDays(of: "fetch") == [])
    #expect(try await oldDays(of: "event") == [10, 8])
    #expect(try await oldDays(of: "delivery") == [10, 8])
    #expect(try await store.number("SELECT count(*) FROM event_item") == 2)

    try await store.endNext()
    try await prune(history: 5, events: 5, others: 90)
    #expect(try await oldDays(of: "event") == [8])
    try await prune(history: 5, events: 5, others: 7)
    #expect(try await oldDays(of: "delivery") == [])
    #expect(try await store.number("SELECT count(*) FROM event") == 1)
    #expect(try await store.number("SELECT count(*) FROM event_item") == 0)
  }

  @Test func `an event stays for a pending delivery whose day has no partition`() async throws {
    let day = try await today() - 20
    let number = day << 36 + 1
    try await store.execute(
      """
      SELECT keep_days('event', \(day), 0, 0);
      INSERT INTO event (number, id, kind, time, cause, fields) VALUES (\(number), 'a', 'new-item', 0, 'timer', '{}');
      INSERT INTO delivery (number, event, hook, queued, not_before) VALUES (\(number), \(number), 'desktop', 0, 0)
      """)

    try await prune(history: 5, events: 5, others: 90)
    #expect(try await oldDays(of: "event") == [20])
    try await store.endNext()
    try await prune(history: 5, events: 5, others: 90)
    #expect(try await oldDays(of: "event") == [])
  }

  @Test func `a table in use keeps its old days until the next time, and nobody waits`() async throws {
    let reader = try database()
    _ = try await keepDays()
    try reader.execute("BEGIN; SELECT count(*) FROM request")

    try await prune(history: 5, events: 5, others: 90)
    #expect(try await oldDays(of: "request") == [10, 9, 8])
    #expect(try await oldDays(of: "fetch") == [])
    try reader.execute("COMMIT")
    try await prune(history: 5, events: 5, others: 90)
    #expect(try await oldDays(of: "request") == [])
  }

  @Test func `rows without a partition of their day are deleted by their age`() async throws {
    try await store.commit(fetch(planet, [item("a")]))
    try await store.record([event("e", knownItems: [1])], round: nil)
    try await store.endNext()
    #expect(try await store.number("SELECT count(*) FROM request_rest") == 1)

    try await store.prune(before: now + .days(1), limit: 100)

    for table in ["fetch", "request", "event", "delivery", "event_item"] {
      #expect(try await store.number("SELECT count(*) FROM \(table)") == 0)
    }
  }
}

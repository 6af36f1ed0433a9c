// Statements whose answer is lost with the connection: a write is done once, a read again.

import TestKit
import Testing

@testable import Fleet
@testable import Store

@Suite(.enabled(if: Server.isUsed, "on PostgreSQL")) final class LostAnswerTests: DirectorySuite {
  /// A connection by a line, and a table without rows.
  private func counted(by line: DatabaseLine) throws -> Database {
    let database = try Database(PostgresConnection(Server.database(for: directory.path, by: line)))
    try database.execute("CREATE TABLE counted (n bigint)")
    return database
  }

  // The first statement of a connection has the name s0.
  @Test(arguments: [("of the statement", "s0"), ("of its commit", "COMMIT")])
  func `a write outside a transaction is done once, although an answer is lost`(
    answer: String, sent: String
  ) async throws {
    let line = try Server.line()
    let database = try counted(by: line)

    line.loseAnswer(to: sent, after: "INSERT INTO counted")
    let changes = try database.run("INSERT INTO counted (n) VALUES (?1)", 1)
    let count: Int? = try database.value("SELECT count(*) FROM counted")

    #expect(line.hasLostAnswer, "\(answer)")
    #expect(changes == 1, "\(answer)")
    #expect(count == 1, "\(answer)")
  }

  @Test func `the rows of a write whose commit has no answer are there`() async throws {
    let line = try Server.line()
    let database = try counted(by: line)

    line.loseAnswer(after: "INSERT INTO counted")
    let returned: Int? = try database.value("INSERT INTO counted (n) VALUES (?1) RETURNING n", 7)

    #expect(line.hasLostAnswer)
    #expect(returned == 7)
  }

  @Test func `a read is repeated`() async throws {
    let line = try Server.line()
    let database = try counted(by: line)
    let before = line.connections

    line.loseAnswer(to: "s0", after: "SELECT count(*) FROM counted")
    let count: Int? = try database.value("SELECT count(*) FROM counted")

    #expect(line.hasLostAnswer)
    #expect(count == 0)
    #expect(line.connections == before + 1)
  }
}

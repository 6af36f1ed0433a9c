// Machines that share their state in a PostgreSQL database; each has a home of its own here. They need BGFETCH_TEST_POSTGRES,
// which scripts/with-postgres sets.

import Foundation
import TestKit
import Testing

/// The connection string of the tests' PostgreSQL server; nil if there is none.
let postgres = getenv("BGFETCH_TEST_POSTGRES").map { String(cString: $0) }

/// The client of that server; Debian's psql is a wrapper in Perl, which takes more time than the client.
private let psql = getenv("BGFETCH_TEST_PSQL").map { String(cString: $0) } ?? "psql"

/// Machines with one database, and one configuration unless a machine gets another.
struct Machines {
  let all: [BuiltProgram]
  var first: BuiltProgram { all[0] }
  var second: BuiltProgram { all[1] }
  private let server: String
  /// The connection string of the server that `ask` asks.
  private let asked: String
  private let database: String
  /// The lines of the feeds.
  private let feeds: String

  /// Machines with a database that has no tables yet.
  init(_ count: Int = 2, server: String? = postgres, feeds: String = "") async throws {
    all = try (0..<count).map { _ in try BuiltProgram() }
    self.server = server ?? ""
    (self.feeds, asked) = (feeds, self.server)
    database = "shared_" + UUID().uuidString.prefix(8).lowercased()
    let made = try await all[0].shell(
      "\(psql) -q '\(self.server) dbname=postgres' -c 'CREATE DATABASE \(database)'")
    try #require(made.status == 0, "\(made.errors)")
  }

  /// Two machines with these feeds of one server, which serves some items in each of them.
  init(_ server: ScriptedServer, feeds: [String], items: [String] = [], isPrepared: Bool = true) async throws
  {
    if !items.isEmpty { for feed in feeds { server.feed("/" + feed, items) } }
    try await self.init(feeds: feeds.map { "  \($0): \"\(server.url("/" + $0))\"\n" }.joined())
    try configure()
    if isPrepared { try await prepare() }
  }

  /// The same machines and database, by another way to the server.
  ///
  /// - Parameter asked: the server to ask; nil for the same one.
  init(_ machines: Machines, server: String, asking asked: String? = nil) {
    (all, database, feeds) = (machines.all, machines.database, machines.feeds)
    (self.server, self.asked) = (server, asked ?? machines.asked)
  }

  func prepare() async throws {
    try #require(try await first("fleet", "prepare", status: 0).status == 0)
  }

  /// Writes the configuration of all machines, with a directory for the state or another way to the server if one is given,
  /// and with further lines.
  func configure(
    directory: String? = nil, by line: String? = nil, password: String = "",
    network: String = "connections: 32", more: String = ""
  ) throws {
    let state = directory ?? "{postgres: \"\(place(by: line))\"\(password)}"
    try configure(
      """
      state: \(state)
      network: {timeout: 1h, \(network)}
      budget: none
      defaults: {first-run: all, minimum-interval: 1h}
      feeds:

      """ + feeds + more)
  }

  /// Writes the configuration of all machines, or of one.
  func configure(_ text: String, only machine: BuiltProgram? = nil) throws {
    for machine in machine.map({ [$0] }) ?? all { _ = try machine.home.write(text, to: "bgfetch.yaml") }
  }

  /// The connection string, perhaps by another way to the server.
  func place(by server: String? = nil) -> String { "\(server ?? self.server) dbname=\(database)" }

  func started(
    _ machine: BuiltProgram, _ words: String..., environment: [String: String] = [:]
  ) throws -> RunningProgram {
    try machine.started(words, environment: environment)
  }

  /// Starts a transaction with a statement, which goes on with a change and ends after `release`.
  func holding(_ statement: String, then change: String = "") throws -> RunningProgram {
    #expect(mkfifo(first.home.file("go"), 0o600) == 0)
    return try first.startedShell([
      "-c",
      """
      \(psql) -q -v ON_ERROR_STOP=1 '\(place())' <<'END'
      BEGIN; \(statement);
      \\! cat "$HOME/go"
      \(change); COMMIT;
      END
      """,
    ])
  }

  func release() async throws { _ = try await first.shell("echo > \"$HOME/go\"") }

  /// Ends the leases of the runs of a process, or of all with what they deliver and download, as if they had given no sign of life
  /// for long.
  func endLeases(of process: Int32? = nil) async throws {
    let only =
      process.map { " WHERE number IN (SELECT held_by FROM bgfetch.run WHERE process = \($0))" } ?? ""
    _ = try await ask("UPDATE bgfetch.worker SET alive_until = 0" + only)
  }

  /// A query for the number of sessions that programs have with the database.
  static let otherSessions = """
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    """

  /// Asks the database until a query has an answer; false if it has not within `longestWait`.
  func reaches(_ answer: String, _ query: String) async throws -> Bool {
    let start = ContinuousClock.now
    while try await ask(query) != answer {
      guard ContinuousClock.now - start < longestWait else { return false }
      // Each question starts a client and a process of the server, which would take the time of what is waited for.
      try await Task.sleep(for: .milliseconds(50))
    }
    return true
  }

  /// The answer of the database to a query.
  func ask(_ query: String) async throws -> String {
    try await first.shell("\(psql) -At '\(place(by: asked))' -c \"\(query)\"").output.trimmingCharacters(
      in: .newlines)
  }
}

/// The lines of feeds of different hosts, all on one server.
func feedsOfHosts(_ count: Int, _ server: ScriptedServer) -> String {
  (0..<count).map { "  f\($0): \"\(server.url("/\($0)", host: "h\($0).localhost"))\"\n" }.joined()
}

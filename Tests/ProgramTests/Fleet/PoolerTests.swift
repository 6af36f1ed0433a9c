// PgBouncer between a machine and the database.

import Foundation
import Glibc
import TestKit
import Testing

/// The path of PgBouncer; nil where it is not installed.
private let pgbouncer = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].first {
  FileManager.default.isExecutableFile(atPath: $0)
}

@Suite(
  .enabled(if: postgres != nil && pgbouncer != nil, "beside a PostgreSQL server, with the package pgbouncer"))
final class PoolerTests: ServerSuite {
  /// Starts PgBouncer before the server of the tests.
  private func pooler(_ mode: String, for machines: Machines, in directory: TemporaryDirectory) async throws
    -> (RunningProgram, Machines)
  {
    let host = (postgres ?? "").split(separator: " ").first { $0.hasPrefix("host=") } ?? ""
    _ = try directory.write(
      """
      [databases]
      * = \(host) user=bgfetch
      [pgbouncer]
      unix_socket_dir = \(directory.path)
      listen_port = 5432
      auth_type = any
      pool_mode = \(mode)
      default_pool_size = 3
      query_wait_timeout = 20
      """, to: "pgbouncer.ini")
    let asOther =
      geteuid() == 0
      ? "chown -R postgres '\(directory.path)' && exec setpriv --reuid=postgres --regid=postgres --clear-groups -- "
      : "exec "
    let program = try machines.first.startedShell(
      ["-c", "PATH=$PATH:/usr/sbin:/sbin; \(asOther)\(pgbouncer ?? "") '\(directory.file("pgbouncer.ini"))'"])
    let socket = directory.file(".s.PGSQL.5432")
    let isThere = await eventually { FileManager.default.fileExists(atPath: socket) }
    try #require(isThere, "\(program.errors)")
    return (program, Machines(machines, server: "host=\(directory.path) user=bgfetch"))
  }

  @Test func `pooled sessions work as they are, and need no settings of the pooler`() async throws {
    let machines = try await Machines(server, feeds: ["planet", "moon"], items: ["a"])
    let directory = try TemporaryDirectory()
    let (pooler, pooled) = try await pooler("session", for: machines, in: directory)
    try pooled.configure()

    let run = try await pooled.first("run", "--json", status: 0)
    try await pooled.second("status", status: 0)
    try await pooled.second("push", "--feed", "planet", status: 0)
    let watch = try pooled.started(pooled.second, "run", "--watch")
    await server.received(3)
    #expect(await watch.ended(after: SIGTERM).errors.isEmpty)
    await pooler.ended(after: SIGTERM)

    #expect(run.json.last?["new-data"] as? Int == 2)
  }

  @Test func `pooled transactions are refused at the first use`() async throws {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a"])
    let directory = try TemporaryDirectory()
    let (pooler, pooled) = try await pooler("transaction", for: machines, in: directory)
    try pooled.configure()

    for command in [
      ["run"], ["status"], ["run", "--watch"], ["fleet", "prepare"], ["push", "--feed", "planet"],
    ] {
      try await pooled.first(command, status: 74, errors: "set pool_mode = session")
    }
    await pooler.ended(after: SIGTERM)

    #expect(server.requests.isEmpty)
  }
}

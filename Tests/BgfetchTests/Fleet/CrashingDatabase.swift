// A PostgreSQL server of a test's own, which crashes when the test wants it.

import Foundation
import TestKit
import Testing

/// A PostgreSQL server of a test's own.
final class CrashingDatabase {
  let place: String
  private let home: BuiltProgram
  private let server: RunningProgram

  /// Starts a server, and stops it when `body` has ended.
  static func use(_ body: (CrashingDatabase) async throws -> Void) async throws {
    let database = try await CrashingDatabase()
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await body(database))
    } catch {
      outcome = .failure(error)
    }
    unlink(database.home.home.file("needed"))
    #expect(await database.server.ended().status == 0)
    try outcome.get()
  }

  private init() async throws {
    home = try BuiltProgram()
    let needed = try home.home.write("", to: "needed")
    let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../scripts/with-postgres").path
    let kept = try home.script(
      "keep",
      "echo \"$BGFETCH_TEST_POSTGRES\"; for i in $(seq 6000); do test -e '\(needed)' || exit 0; sleep 0.1; done"
    )
    server = try home.startedShell(["-c", "PATH=$PATH:/usr/sbin:/sbin exec '\(scripts)' '\(kept)'"])
    let isThere = await eventually { [server] in server.output.contains("\n") }
    try #require(isThere, "\(server.errors)")
    place = server.output.trimmingCharacters(in: .newlines)
  }

  /// Restarts it without letting it write anything.
  func crash() async throws {
    let directory = place.split(separator: " ")[0].dropFirst("host=".count)
    let restarted = try await home.shell(
      """
      PATH=$PATH:/usr/sbin:/sbin; cd / && pg=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)/pg_ctl
      as=; test "$(id -u)" -ne 0 || as='runuser -u postgres --'
      $as "$pg" -D '\(directory)/data' -l '\(directory)/data/log' -s -w -m immediate restart
      """)
    try #require(restarted.status == 0, "\(restarted.errors)")
  }
}

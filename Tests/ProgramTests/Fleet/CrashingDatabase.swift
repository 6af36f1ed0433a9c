// PostgreSQL servers of a test's own, which it crashes, and a standby that it promotes.

import Foundation
import TestKit
import Testing

/// A PostgreSQL server of a test's own.
final class CrashingDatabase {
  /// The connection string of the server.
  let place: String
  private let home: BuiltProgram
  private let server: RunningProgram
  /// The directory of its socket and of all its files.
  var directory: String { String(place.split(separator: " ")[0].dropFirst("host=".count)) }

  /// Starts a server, and stops it when `body` has ended.
  static func use(_ body: (CrashingDatabase) async throws -> Void) async throws {
    let database = try await CrashingDatabase()
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await body(database))
    } catch {
      outcome = .failure(error)
    }
    _ = try? await database.control("-m immediate -D '\(database.standby)' stop; true")
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
    try await control("-D '\(directory)/data' -l '\(directory)/data/log' -s -w -m immediate restart")
  }

  /// Ends it without letting it write anything.
  func kill() async throws { try await control("-D '\(directory)/data' -s -m immediate stop") }

  private var standby: String { directory + "/standby" }

  /// Starts a streaming standby, and returns its connection string.
  func startStandby() async throws -> String {
    try await asServer(
      "\"$bin/pg_basebackup\" -h '\(directory)' -U bgfetch -D '\(standby)' -R -X stream -c fast")
    let options = "-k '\(standby)' -c listen_addresses='' -c fsync=off -c max_connections=200"
    try await control("-D '\(standby)' -l '\(standby)/log' -s -w -o \"\(options)\" start")
    return "host=\(standby) user=bgfetch"
  }

  /// Lets the standby take changes.
  func promote() async throws { try await control("-D '\(standby)' -s -w promote") }

  /// A place with both hosts.
  var bothHosts: String { "host=\(directory),\(standby) user=bgfetch" }

  private func control(_ words: String) async throws { try await asServer("\"$bin/pg_ctl\" \(words)") }

  /// Runs a command as the user of the server.
  private func asServer(_ command: String) async throws {
    let ended = try await home.shell(
      """
      PATH=$PATH:/usr/sbin:/sbin; cd / && bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
      as=; test "$(id -u)" -ne 0 || as='runuser -u postgres --'
      $as \(command)
      """)
    try #require(ended.status == 0, "\(ended.errors)")
  }
}

// A line to the database that is cut, in pieces or silent, and a database that is restarted in the middle of a run.

import Foundation
import TestKit
import Testing

@Suite(.enabled(if: postgres != nil, "beside a PostgreSQL server"))
final class LostConnectionTests: ServerSuite {
  /// Machines with many feeds of different hosts and a hook that keeps what it was told.
  private func machines(by line: DatabaseLine, feeds: Int) async throws -> Machines {
    let machines = try await Machines(feeds: feedsOfHosts(feeds, server))
    let hook = try machines.first.script("say", "echo \"$BGFETCH_EVENT_ID\" >> \"$HOME/told\"")
    for number in 0..<feeds { server.feed("/\(number)", ["\(number)"]) }
    try machines.configure(
      by: line.place, network: "connections: 4", more: "hooks: {say: {events: [new-item], run: [\(hook)]}}\n")
    try await machines.prepare()
    return machines
  }

  @Test func `a line in pieces that is cut again and again costs nothing but time`() async throws {
    let line = try DatabaseLine(to: postgres ?? "")
    let machines = try await machines(by: line, feeds: 40)
    line.split(into: 11)
    // The run does not end before the last cut.
    let gate = server.gatedFeed("/39")

    let run = try machines.started(machines.first, "run", "--json")
    for count in stride(from: 5, through: 35, by: 5) {
      await server.received(count)
      line.cut()
    }
    gate.open()
    let ended = await run.ended()
    if ended.status == 74 { try await machines.endLeases() }
    // A fetch is done again if the answer to its commit was lost.
    let again = try await machines.second("run", "--json")

    #expect(again.status == 0, "\(ended.errors)\(again.errors)")
    #expect((40...47).contains(server.requests.count))
    #expect(try await machines.ask("SELECT count(*) FROM bgfetch.item") == "40")
    let told = machines.all.flatMap { $0.text(of: "told").split(separator: "\n") }
    #expect(Set(told).count == 40)
    // Only one of two cuts at once has something to cut.
    #expect(line.connections > 3)
  }

  @Test func `a silent line is given up, and a new one taken`() async throws {
    let line = try DatabaseLine(to: postgres ?? "")
    let machines = try await machines(by: line, feeds: 1)
    let gate = server.gatedFeed("/0")

    let run = try machines.started(machines.first, "run", "--json")
    await server.received(1)
    let before = line.connections
    let silence = Gate()
    line.hold(by: silence)
    gate.open()
    // After 15 seconds without an answer the run connects again.
    #expect(await eventually { line.connections > before })
    silence.open()
    let ended = await run.ended()

    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.json.last?["new-data"] as? Int == 1)
    #expect(server.requests.count == 1)
    #expect(try await machines.ask("SELECT count(*) FROM bgfetch.attempt") == "0")
  }

  @Test func `while the database answers slowly, a run leaves its work to other machines`() async throws {
    let line = try DatabaseLine(to: postgres ?? "")
    let machines = try await machines(by: line, feeds: 3)
    line.delay(by: 1000)

    let slow = try await machines.first("run", "--json", status: 74)

    #expect(slow.errors.contains("its answers take longer than a second"))
    #expect(server.requests.isEmpty)
    #expect(try await machines.ask("SELECT count(*) FROM bgfetch.run") == "0")
    line.delay(by: 0)
    let quick = try await machines.first("run", "--json", status: 0)
    #expect(quick.json.last?["new-data"] as? Int == 3)
  }

  @Test func `a run that the database answers slowly gives up its feeds to another machine`() async throws {
    let line = try DatabaseLine(to: postgres ?? "")
    let machines = try await machines(by: line, feeds: 1)
    let gate = server.gatedFeed("/0")

    let run = try machines.started(machines.first, "run", "--json")
    await server.received(1)
    line.delay(by: 1000)
    gate.open()
    let ended = await run.ended()
    line.delay(by: 0)
    // A sign of life that is still on the line would make the process known again.
    line.cut()
    #expect(try await machines.reaches("0", Machines.otherSessions))
    try await machines.endLeases()
    let again = try await machines.second("run", "--json", status: 0)

    #expect(ended.status == 74)
    #expect(ended.errors.contains("its answers take longer than a second"), "\(ended.errors)")
    #expect(again.json.last?["new-data"] as? Int == 1)
    #expect(try await machines.ask("SELECT count(*) FROM bgfetch.item") == "1")
  }

  @Test func `a run whose beginning was recorded without an answer goes on as that run`() async throws {
    let line = try DatabaseLine(to: postgres ?? "")
    let machines = try await machines(by: line, feeds: 3)
    line.loseAnswer(after: "INSERT INTO run ")

    let run = try await machines.first("run", "--json", status: 0)

    #expect(line.hasLostAnswer)
    #expect(run.json.last?["new-data"] as? Int == 3)
    #expect(try await machines.ask("SELECT count(*), sum(was_cut) FROM bgfetch.run") == "1|0")
  }

  @Test func `a file is kept whose placement was recorded without an answer`() async throws {
    let line = try DatabaseLine(to: postgres ?? "")
    let machines = try await Machines()
    server.serve(AssetFile(FileContent(90_000, seed: 4)), at: "/disk.iso")
    try machines.configure(
      """
      state: {postgres: "\(machines.place(by: line.place))"}
      free-space: 1KiB
      feeds: {disk: {url: "\(server.url("/disk.iso"))", kind: asset}}

      """)
    try await machines.prepare()
    line.loseAnswer(after: "INSERT INTO placed_file")

    try await machines.first("run", "--json", status: 0)

    #expect(line.hasLostAnswer)
    #expect(try await machines.ask("SELECT status FROM bgfetch.transfer") == "finished")
    #expect(try await machines.ask("SELECT count(*) FROM bgfetch.item") == "1")
    let documents = machines.first.home.file(".local/share/bgfetch/documents")
    #expect(DownloadProgram.files(below: documents) == ["disk/disk.iso"])
  }
}

// The states that released versions have left: later programs open them and go on, and older ones refuse newer ones.

import Foundation
import TestKit
import Testing

@testable import Store

/// The program with the state that a released version has left (Fixtures/State/make-state), and the Internet of then.
private struct KeptState {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/State")
  static let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.filter {
    $0.hasSuffix(".sql")
  }

  let program: BuiltProgram
  let internet: PretendInternet
  var database: String { program.state + "/bgfetch.db" }

  init(_ version: String) throws {
    let program = try BuiltProgram()
    self.program = program
    internet = try PretendInternet()
    func text(_ name: String) throws -> String {
      try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        .replacingOccurrences(of: "HOME", with: program.home.path)
    }
    _ = try program.home.write(text("bgfetch.yaml"), to: "bgfetch.yaml")
    chmod(program.configurationPath, 0o600)
    try program.makeDirectory("state")
    chmod(program.state, 0o700)
    let file = try Database(path: database, access: .write)
    try file.execute(text(version))
    let mark: String? = try file.value("SELECT mark FROM owner")
    file.close()

    for (name, size) in [
      (".bgfetch/2-\(mark ?? "").part", 200_000), ("talk/2026-06-01 Title of t1.mp3", 300_000),
    ] {
      let path = "documents/" + name
      try program.makeDirectory(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
      _ = try program.home.write(String(repeating: "e", count: size), to: path)
    }
  }

  /// Runs the program some minutes after the last run of then.
  func callAsFunction(
    _ words: String..., status: Int32? = 0, output: String? = nil, errors: String? = nil,
    location: SourceLocation = #_sourceLocation
  ) async throws -> Invoked {
    try await program(
      words, at: "2026-06-02T11:00:00Z", environment: ["http_proxy": internet.server.origin], status: status,
      output: output, errors: errors, location: location)
  }
}

@Suite struct KeptStateTests {
  @Test func `the state of the first version is kept`() {
    #expect(KeptState.versions?.contains("0.1.0.sql") == true)
  }

  @Test(arguments: KeptState.versions ?? [])
  func `the state of an earlier version is shown`(version: String) async throws {
    let state = try KeptState(version)

    let items = try await state("items", "--json")
    #expect(items.json.compactMap { $0["number"] as? Int } == [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 3, 2, 1])
    #expect(
      try await state("items", "--starred", "--json").json.map { $0["title"] as? String } == ["Title of 2"])
    #expect(try await state("badge").output == "11\n")
    _ = try await state("read", "13", "--peek", output: "+ The ferry at noon is late.")
    _ = try await state("transfers", output: "200.0 kB of 300.0 kB, 66 %  yes")
    _ = try await state("transfers", "verify", output: "1 file, all as the state says")
    _ = try await state(
      "status", output: "7 feeds: 1 with problems, 1 paused, 4 due; 11 items unseen; 1 download")
    _ = try await state("why", "moon", output: "due now: requested by a push")
    _ = try await state("why", "moon", output: "openings on 2 of the 3 days")
    #expect(
      try await state("hooks", "--json").json.map { $0["status"] as? String } == ["pending", "expired"])
    _ = try await state("fleet", "list", output: "buoy")
    _ = try await state("history", "--requests", output: "http://harbour.example/new")
  }

  @Test(arguments: KeptState.versions ?? [])
  func `a run goes on with the state of an earlier version`(version: String) async throws {
    let state = try KeptState(version)
    state.internet["http://planet.example/feed"] = feedAnswer("6", "5", "4", "3", "2", "1")
    state.internet["http://moon.example/feed"] = feedAnswer("m2", "m1", "3")
    state.internet["http://buoy.example/feed"] = feedAnswer("b1")
    state.internet["http://ferry.example/"] = .document(
      "<html><title>Ferries</title><main><p>All ferries are on time.</p></main></html>", type: "text/html")
    state.internet["http://talk.example/t2.mp3"] = .status(
      206,
      [("Content-Type", "audio/mpeg"), ("ETag", "\"e1\""), ("Content-Range", "bytes 200000-299999/300000")],
      body: String(repeating: "e", count: 100_000))

    let run = try await state("run", "--json")

    let results = run.results.filter { $0.value != "" }
    #expect(results == ["planet": "new-data", "moon": "no-data", "buoy": "no-data", "ferry": "new-data"])
    let numbers = try await state("items", "planet", "--json").json.compactMap { $0["number"] as? Int }
    #expect(numbers.count == 6)
    #expect(Set(numbers).isSuperset(of: [1, 2, 3, 10, 11]))
    #expect(try await state("badge").output == "13\n")
    let files = try FileManager.default.contentsOfDirectory(atPath: state.program.home.file("documents/talk"))
    #expect(files.sorted() == ["2026-06-01 Title of t1.mp3", "2026-06-02 Title of t2.mp3"])
    #expect(state.internet.server.requests.contains { $0["Range"] == "bytes=200000-" })
    #expect(state.program.said.contains("Title of 6"))
    _ = try await state("undo", output: "1 ")
  }

  @Test func `a state of the next version is refused by each command, and left alone`() async throws {
    let state = try KeptState("0.1.0.sql")
    let next = Store.schemaVersion + 1
    let file = try Database(path: state.database, access: .write)
    try file.execute("PRAGMA user_version = \(next)")
    file.close()
    let before = try readFile(state.database)

    for words in [
      ["run"], ["run", "planet"], ["run", "-q"], ["run", "--watch"], ["transfers", "run"],
      ["items"], ["items", "--search", "title"], ["read"], ["open", "1"], ["opened", "--all"],
      ["seen", "1"], ["unseen", "1"], ["undo"], ["star", "1"], ["unstar", "2"], ["badge"],
      ["status"], ["why", "planet"], ["history"], ["metrics"], ["export"],
      ["transfers"], ["transfers", "verify"], ["hooks"], ["hooks", "retry"],
      ["pause", "planet"], ["resume", "harbour"], ["push", "--feed", "planet"],
      ["fleet", "list"], ["fleet", "add", "https://sea.example/", "sea"],
    ] {
      let refused = try await state.program(words)
      #expect(refused.status == 74, "\(words)")
      #expect(refused.output == "", "\(words)")
      #expect(
        refused.errors
          == "bgfetch: \(state.database): was written by a newer bgfetch (schema \(next), this one has \(next - 1)); update bgfetch on this machine\n",
        "\(words)")
    }
    _ = try await state("report", output: "not readable")

    #expect(try readFile(state.database) == before)
  }
}

// Downloads of feeds that are files of this machine.

import Foundation
import TestKit
import Testing

@Suite struct DownloadFileFeedTests {
  private static let content = FileContent(5_000, seed: 31)

  /// A feed that is a file with these enclosures, the last one the newest.
  private func program(_ enclosures: [String], network: String = "private-addresses: allow") throws
    -> DownloadProgram
  {
    let program = try DownloadProgram(["a.mp3": AssetFile(Self.content)])
    let episodes = enclosures.enumerated().map { place, url in
      Episode(id: "e\(place)", url: url.replacing("SERVER", with: program.server.url("")), day: place + 1)
    }
    _ = try program.bgfetch.home.write(podcast(episodes), to: "planet.xml")
    try program.write(feeds: "  planet: {url: \"file:planet.xml\", download: {}}", network: network)
    return program
  }

  @Test func `the files of a feed that is a file are downloaded like any other's`() async throws {
    let program = try program(["SERVER/a.mp3"])

    let run = try await program.run()

    #expect(run.status == 0, "\(run.errors)")
    try program.expectSettled([Self.content])
  }

  @Test func `a feed that is a file has no private address of its own`() async throws {
    let program = try program(["SERVER/a.mp3"], network: "")

    try await program.run()

    #expect(program.server.requests.isEmpty)
    let reasons = try await program.transfers().compactMap { $0["reason"] as? String }
    #expect(reasons == ["led to the private address 127.0.0.1; see network.private-addresses"])
  }

  @Test(arguments: ["a.mp3", "/srv/a.mp3", "file:///etc/passwd"])
  func `what is not on the web fails for good, and says so`(url: String) async throws {
    let program = try program([url, "SERVER/a.mp3"])

    let run = try await program.run()

    #expect(run.status == 3)
    try program.expectSettled([Self.content], failed: 1)
    let failed = program.events.first { $0["event"] as? String == "transfer-failed" }
    #expect(failed?["reason"] as? String == "the document gives no http or https address for the file")
  }

  @Test(arguments: ["a.mp3", "/srv/a.mp3", "file:///etc/passwd"])
  func `what is not on the web fails for good in a mapped file, too`(url: String) async throws {
    let program = try program([])
    let items = #"[{"id": 1, "file": "\#(url)"}, {"id": 2, "file": "\#(program.server.url("/a.mp3"))"}]"#
    _ = try program.bgfetch.home.write(items, to: "releases.json")
    try program.write(
      feeds: """
          planet:
            url: "file:releases.json"
            kind: json
            json: {items: "", id: /id, assets: /file}
            first-run: all
            download: {}
        """, network: "private-addresses: allow")

    let run = try await program.run()

    #expect(run.status == 3)
    try program.expectSettled([Self.content], failed: 1)
  }

  @Test func `a push of a feed that is a file brings its asset`() async throws {
    let program = try program([])
    try program.write(
      feeds: """
          planet:
            url: "file:planet.xml"
            download: {}
            push: {url: "\(program.server.url("/{content-id}.mp3"))"}
        """)
    try await program.run()

    let push = try await program.bgfetch(
      "push", "-", "--run", environment: ["BGFETCH_NOW": DownloadProgram.moment(1)],
      input: #"{"aps": {"content-available": 1}, "feed": "planet", "content-id": "a"}"#)

    #expect(push.status == 0, "\(push.errors)")
    try program.expectSettled([Self.content])
  }
}

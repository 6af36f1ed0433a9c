// Offline machines, captive portals and permanent redirects.

import Foundation
import TestKit
import Testing

@Suite struct OfflineTests {
  private let feeds: KeyValuePairs = [
    "one": "http://one.example/feed", "two": "http://two.example/feed", "three": "http://three.example/feed",
  ]

  private func online() throws -> PretendInternet {
    let internet = try PretendInternet()
    for (name, address) in feeds { internet[address] = feedAnswer(name) }
    return internet
  }

  @Test func `a captive portal counts as offline: reported once, and no feed fails`() async throws {
    let internet = try online()
    let bgfetch = try BuiltProgram(configuration: internet.configuration(feeds))
    try await bgfetch("run", at: moment(hours: 0))

    internet.answerAll(.redirect(302, to: "http://portal.example/login"))
    internet["http://portal.example/login"] = page([], body: "<form><input type=\"password\"></form>").with(
      "ETag", "\"portal\"")
    for hours in 2...6 {
      let error = "offline: portal.example answers in place of 3 feeds; log in"
      try await bgfetch("run", "-v", at: moment(hours: hours), status: 75, errors: error)
    }
    try await bgfetch("status", "--problems", at: moment(hours: 6), status: 0, prints: "")
    let status = try await bgfetch("status", "one", "--json", at: moment(hours: 6)).json.first
    for (name, address) in feeds { internet[address] = feedAnswer(name) }
    let home = try await bgfetch("run", "--json", at: moment(hours: 7))

    #expect(status?["result"] as? String == "failed")
    #expect(status?["failing-since"] as? String == nil)
    #expect(home.json.compactMap { $0["reason"] as? String } == Array(repeating: "not modified", count: 3))
  }

  @Test(arguments: [(511, "offline: ***"), (429, "429")])
  func `an error does not reveal the host of a secret address`(status: Int, said: String) async throws {
    let internet = try PretendInternet()
    internet["http://geheim.example/feed"] = .status(status, body: "<html>log in</html>")
    let bgfetch = try BuiltProgram()
    let file = try bgfetch.home.write("http://geheim.example/feed\n", to: "url")
    try bgfetch.configure(internet.configuration([:]) + "  planet: {url: {file: \"\(file)\"}}\n")

    let run = try await bgfetch("run", "-v", errors: said)
    let stored = try await bgfetch.shell("cat \"$HOME\"/state/bgfetch.db*")

    for text in [run.output, run.errors, stored.output] { #expect(!text.contains("geheim")) }
  }

  @Test func `an unreachable proxy counts as offline`() async throws {
    let internet = try online()
    let bgfetch = try BuiltProgram(configuration: internet.configuration(feeds))
    internet.server.stop()

    try await bgfetch("run", "-v", status: 75, errors: "offline: 3 feeds were not reached")
    try await bgfetch("status", "--problems", status: 0)
    try await bgfetch("status", "one", output: "failed, offline")
    #expect(try await bgfetch("status").output.matches(of: /failed .* offline\n/).count == 3)
    #expect(try await bgfetch("run", status: 75).errors.isEmpty)
  }
}

// Permanent redirects: when the new address is learned, where it is shown, and when it is dropped.

@Suite struct MovedFeedTests {
  private let old = "http://old.example/feed"
  private let new = "http://new.example/feed"

  @Test func `a permanent redirect is learned after a day, and never written to the file`() async throws {
    let internet = try PretendInternet()
    internet[old] = .redirect(301, to: new)
    internet[new] = feedAnswer("a")
    let bgfetch = try BuiltProgram(configuration: internet.configuration(["planet": old]))
    let written = bgfetch.text(of: "bgfetch.yaml")

    var said: [String] = []
    for hours in [0, 12, 24, 36] {
      let run = try await bgfetch("run", "--json", at: moment(hours: hours), status: 0)
      said += run.json.filter { $0["type"] as? String == "moved" }.compactMap { $0["address"] as? String }
    }

    #expect(said == [new])
    // From the second fetch on, the new address responds 304: the validators belong to it.
    #expect(internet.asked == [old, new, old, new, old, new, new])
    let later = internet.server.requests.dropFirst(2).filter { $0.target == new }
    #expect(later.allSatisfy { $0["If-None-Match"] == "\"a\"" })
    let cure = "\(new); write it into the configuration"
    try await bgfetch("status", "planet", output: "moved to      " + cure)
    try await bgfetch("why", "planet", output: "moved to " + cure)
    try await bgfetch("check", status: 0, errors: "feed planet has moved to \(new)")
    #expect(try await bgfetch("status", "--json").json.first?["moved-to"] as? String == new)
    #expect(bgfetch.text(of: "bgfetch.yaml") == written)
  }
}

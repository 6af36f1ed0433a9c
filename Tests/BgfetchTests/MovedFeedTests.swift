// Feeds that move: what is learned, where it is shown, and how it is given up.

import Foundation
import TestKit
import Testing

@Suite struct MovedFeedTests {
  private let old = "http://old.example/feed"
  private let new = "http://new.example/feed"

  @Test func `a redirect for good is learned after a day, shown everywhere, and never written`() async throws
  {
    let internet = try PretendInternet()
    internet[old] = .redirect(301, to: new)
    internet[new] = feedAnswer("a")
    let bgfetch = try BuiltProgram(configuration: internet.configuration(["planet": old]))
    let written = try String(contentsOfFile: bgfetch.configurationPath, encoding: .utf8)

    var said: [String] = []
    for hours in [0, 12, 24, 36] {
      let run = try await bgfetch.at(hours: hours, "run", "--json")
      #expect(run.status == 0)
      said += run.json.filter { $0["type"] as? String == "moved" }.compactMap { $0["address"] as? String }
    }

    #expect(said == [new])
    // From the second fetch on the feed itself answers 304: its validators belong to where it is.
    #expect(internet.asked == [old, new, old, new, old, new, new])
    let later = internet.server.requests.dropFirst(2).filter { $0.target == new }
    #expect(later.allSatisfy { $0["If-None-Match"] == "\"a\"" })
    let status = try await bgfetch("status", "planet")
    let json = try await bgfetch("status", "--json")
    let why = try await bgfetch("why", "planet")
    let check = try await bgfetch("check")
    #expect(status.output.contains("moved to      \(new); write it into the configuration"))
    #expect(json.json.first?["moved-to"] as? String == new)
    #expect(why.output.contains("moved to \(new); write it into the configuration"))
    #expect(check.errors.contains("feed planet has moved to \(new)"))
    #expect(check.status == 0)
    #expect(try String(contentsOfFile: bgfetch.configurationPath, encoding: .utf8) == written)
  }

  @Test func `a learned address that fails is given up if the configured one works`() async throws {
    let internet = try PretendInternet()
    internet[old] = .redirect(308, to: new)
    internet[new] = feedAnswer("a")
    let bgfetch = try BuiltProgram(configuration: internet.configuration(["planet": old]))
    for hours in [0, 12, 24] { _ = try await bgfetch.at(hours: hours, "run") }

    internet[new] = .status(410)
    internet[old] = feedAnswer("a", "b")
    let failed = try await bgfetch.at(hours: 36, "run", "--json")
    let back = try await bgfetch.at(hours: 48, "run", "--json")
    let later = try await bgfetch.at(hours: 60, "run", "--json")

    #expect(failed.status == 4)
    #expect(back.json.first { $0["type"] as? String == "moved" }?["learned"] as? Bool == false)
    #expect(internet.asked.suffix(3) == [new, old, old])
    #expect(later.json.first?["reason"] as? String == "not modified")
    #expect(bgfetch.badge == "2\n")
    #expect(!(try await bgfetch("status")).output.contains("moved"))
  }

  @Test func `another address in the configuration forgets the learned one`() async throws {
    let internet = try PretendInternet()
    internet[old] = .redirect(301, to: new)
    internet[new] = feedAnswer("a")
    internet["http://mine.example/feed"] = feedAnswer("a")
    let bgfetch = try BuiltProgram(configuration: internet.configuration(["planet": old]))
    for hours in [0, 12, 24] { _ = try await bgfetch.at(hours: hours, "run") }

    try bgfetch.configure(internet.configuration(["planet": "http://mine.example/feed"]))
    _ = try await bgfetch.at(hours: 36, "run")

    #expect(internet.asked.last == "http://mine.example/feed")
    #expect(!(try await bgfetch("status")).output.contains("moved"))
  }

  @Test func `of a secret address nothing is kept, wherever it redirects to`() async throws {
    let internet = try PretendInternet()
    internet["http://old.example/geheim"] = .redirect(301, to: "http://new.example/geheim")
    internet["http://new.example/geheim"] = feedAnswer("a")
    let bgfetch = try BuiltProgram()
    let file = try bgfetch.home.write("http://old.example/geheim\n", to: "url")
    chmod(file, 0o600)
    try bgfetch.configure(
      internet.configuration([:]) + "  planet: {url: {file: \"\(file)\"}}\n")

    for hours in [0, 12, 24, 36] {
      #expect(try await bgfetch.at(hours: hours, "run").status == 0)
    }

    let state = try FileManager.default.contentsOfDirectory(atPath: bgfetch.state)
    for name in state {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: bgfetch.state + "/" + name))
      #expect(bytes.range(of: Data("geheim".utf8)) == nil)
    }
    #expect(internet.asked.count == 8)
  }
}

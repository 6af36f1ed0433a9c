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

  private let loginPage = ScriptedAnswer.document(
    "<html><body><form><input type=\"password\"></form></body></html>", type: "text/html")

  @Test func `a captive portal counts as offline: reported once, and no feed fails`() async throws {
    let internet = try online()
    let bgfetch = try BuiltProgram(configuration: internet.configuration(feeds))
    _ = try await bgfetch("run", at: moment(hours: 0))

    internet.answerAll(.redirect(302, to: "http://portal.example/login"))
    internet["http://portal.example/login"] = loginPage.with("ETag", "\"portal\"")
    var hotel: [Invoked] = []
    for hours in 2...6 { hotel.append(try await bgfetch("run", "-v", at: moment(hours: hours))) }
    let problems = try await bgfetch("status", "--problems", at: moment(hours: 6))
    let status = try await bgfetch("status", "one", "--json", at: moment(hours: 6))
    for (name, address) in feeds { internet[address] = feedAnswer(name) }
    let home = try await bgfetch("run", "--json", at: moment(hours: 7))

    for run in hotel {
      #expect(run.status == 75)
      #expect(run.errors.contains("offline: portal.example answers in place of 3 feeds; log in"))
    }
    #expect(problems.status == 0 && problems.output.isEmpty)
    #expect(status.json.first?["result"] as? String == "failed")
    #expect(status.json.first?["failing-since"] as? String == nil)
    #expect(home.json.compactMap { $0["reason"] as? String } == Array(repeating: "not modified", count: 3))
  }

  @Test func `status 511 is a captive portal too`() async throws {
    let internet = try online()
    internet.answerAll(.status(511, body: "<html>log in</html>"))
    let bgfetch = try BuiltProgram(configuration: internet.configuration(feeds))

    let run = try await bgfetch("run", "--json")

    #expect(run.status == 75)
    let portal = run.json.first { $0["type"] as? String == "offline" }?["portal"] as? String
    // Either may come first.
    #expect(["one.example", "two.example", "three.example"].contains(portal))
    #expect(!(try await bgfetch("why", "one")).output.contains("backoff"))
  }

  @Test(arguments: [(511, "offline: ***"), (429, "429")])
  func `an error does not reveal the host of a secret address`(status: Int, said: String) async throws {
    let internet = try PretendInternet()
    internet["http://geheim.example/feed"] = .status(status, body: "<html>log in</html>")
    let bgfetch = try BuiltProgram()
    let file = try bgfetch.home.write("http://geheim.example/feed\n", to: "url")
    chmod(file, 0o600)
    try bgfetch.configure(internet.configuration([:]) + "  planet: {url: {file: \"\(file)\"}}\n")

    let run = try await bgfetch("run", "-v")
    let stored = try await bgfetch.shell("cat \"$HOME\"/state/bgfetch.db*")

    #expect(run.errors.contains(said))
    for text in [run.output, run.errors, stored.output] { #expect(!text.contains("geheim")) }
  }

  @Test func `if one feed works, feeds that lead to a login page have failed`() async throws {
    let internet = try online()
    internet["http://one.example/feed"] = .redirect(302, to: "http://parking.example/")
    internet["http://two.example/feed"] = .redirect(302, to: "http://parking.example/")
    internet["http://parking.example/"] = loginPage
    let bgfetch = try BuiltProgram(configuration: internet.configuration(feeds))

    let run = try await bgfetch("run", "--json")
    let why = try await bgfetch("why", "one")

    #expect(run.status == 3)
    #expect(why.output.contains("backoff"))
    #expect(why.output.contains("not a feed: a login page"))
  }

  @Test func `an unreachable proxy counts as offline`() async throws {
    let internet = try online()
    let bgfetch = try BuiltProgram(configuration: internet.configuration(feeds))
    internet.server.stop()

    let run = try await bgfetch("run", "-v")
    let problems = try await bgfetch("status", "--problems")
    let status = try await bgfetch("status", "one")
    let table = try await bgfetch("status")
    let mailed = try await bgfetch("run")

    #expect(status.output.contains("failed; offline"))
    #expect(table.output.matches(of: /failed .* offline\n/).count == 3, "\(table.output)")
    #expect(mailed.status == 75 && mailed.errors.isEmpty)
    #expect(run.status == 75)
    #expect(run.errors.contains("offline: 3 feeds were not reached"))
    #expect(problems.status == 0)
  }

  @Test func `an unreachable proxy counts as offline also for one host`() async throws {
    let internet = try online()
    let bgfetch = try BuiltProgram(configuration: internet.configuration(["one": "http://one.example/feed"]))
    internet.server.stop()

    for hours in 0...3 {
      let run = try await bgfetch("run", "--force", at: moment(hours: hours))
      #expect(run.status == 75, "\(run)")
    }
    #expect(try await bgfetch("status", "--problems", at: moment(hours: 4)).status == 0)
  }

  @Test func `without DNS no feed is announced as failing, although they are due one by one`() async throws {
    let bgfetch = try BuiltProgram()
    let log = try bgfetch.eventLog()
    try bgfetch.configure(
      """
      network: {proxy: none}
      feeds: {one: "http://one.invalid/feed", two: "http://two.invalid/feed", three: "http://three.invalid/feed"}
      hooks: {log: {events: [failing], stdin: json, run: ["\(log)"]}}
      """)

    var statuses: [Int32] = []
    for hours in 0..<12 {
      let name = ["one", "two", "three"][hours % 3]
      statuses.append(try await bgfetch("run", name, at: moment(hours: hours)).status)
    }

    #expect(statuses == [4] + Array(repeating: 75, count: 11))
    #expect(bgfetch.text(of: "events") == "")
  }

  @Test func `a dead host is announced once another host was reached between its failures`() async throws {
    let internet = try online()
    let bgfetch = try BuiltProgram()
    let log = try bgfetch.eventLog()
    try bgfetch.configure(
      internet.configuration(["one": "http://one.example/feed"])
        + """
          dead: {url: "http://dead.invalid/feed", network: {proxy: none}}
        hooks: {log: {events: [failing], stdin: json, run: ["\(log)"]}}
        """)

    var announced: [Int] = []
    for (step, name) in ["one", "dead", "dead", "dead", "dead", "one", "dead"].enumerated() {
      _ = try await bgfetch("run", name, at: moment(hours: step))
      announced.append(bgfetch.json(of: "events").count)
    }

    #expect(announced == [0, 0, 0, 0, 0, 0, 1])
  }

  @Test func `a refused connection does not count as offline`() async throws {
    let server = try ScriptedServer()
    let refusing = server.url("/feed")
    server.stop()
    let bgfetch = try BuiltProgram(
      configuration: """
        network: {proxy: none}
        feeds:
          one: "http://one.invalid/feed"
          two: "http://two.invalid/feed"
          three: "\(refusing)"
        """)

    let run = try await bgfetch("run")
    let why = try await bgfetch("why", "one")

    #expect(run.status == 4)
    #expect(why.output.contains("backoff"))
  }

  @Test func `a browser check is named in the failure, and the feed is fetched again soon`() async throws {
    let internet = try online()
    internet["http://one.example/feed"] = .status(403, [("cf-mitigated", "challenge")])
    internet["http://two.example/feed"] = .document(
      "<html><script src=\"/.within.website/x/cmd/anubis/main.mjs\"></script></html>", type: "text/html")
    let bgfetch = try BuiltProgram(configuration: internet.configuration(feeds))

    _ = try await bgfetch("run", at: moment(hours: 0))
    let status = try await bgfetch("status", at: moment(hours: 0))
    let next = try await bgfetch("run", "--json", at: moment(hours: 1))

    #expect(status.output.contains("Cloudflare sent a browser check"))
    #expect(status.output.contains("Anubis sent a browser check"))
    #expect(next.json.count { $0["result"] as? String == "failed" } == 2)
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
    let written = try String(contentsOfFile: bgfetch.configurationPath, encoding: .utf8)

    var said: [String] = []
    for hours in [0, 12, 24, 36] {
      let run = try await bgfetch("run", "--json", at: moment(hours: hours))
      #expect(run.status == 0)
      said += run.json.filter { $0["type"] as? String == "moved" }.compactMap { $0["address"] as? String }
    }

    #expect(said == [new])
    // From the second fetch on, the new address responds 304: the validators belong to it.
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

  @Test func `a learned address that fails is dropped if the configured one works`() async throws {
    let internet = try PretendInternet()
    internet[old] = .redirect(308, to: new)
    internet[new] = feedAnswer("a")
    let bgfetch = try BuiltProgram(configuration: internet.configuration(["planet": old]))
    for hours in [0, 12, 24] { _ = try await bgfetch("run", at: moment(hours: hours)) }

    internet[new] = .status(410)
    internet[old] = feedAnswer("a", "b")
    let failed = try await bgfetch("run", "--json", at: moment(hours: 36))
    let back = try await bgfetch("run", "--json", at: moment(hours: 48))
    let later = try await bgfetch("run", "--json", at: moment(hours: 60))

    #expect(failed.status == 4)
    #expect(back.json.first { $0["type"] as? String == "moved" }?["learned"] as? Bool == false)
    #expect(internet.asked.suffix(3) == [new, old, old])
    #expect(later.json.first?["reason"] as? String == "not modified")
    #expect(bgfetch.badge == "2\n")
    #expect(!(try await bgfetch("status")).output.contains("moved"))
  }

  @Test func `a changed address in the configuration drops the learned one`() async throws {
    let internet = try PretendInternet()
    internet[old] = .redirect(301, to: new)
    internet[new] = feedAnswer("a")
    internet["http://mine.example/feed"] = feedAnswer("a")
    let bgfetch = try BuiltProgram(configuration: internet.configuration(["planet": old]))
    for hours in [0, 12, 24] { _ = try await bgfetch("run", at: moment(hours: hours)) }

    try bgfetch.configure(internet.configuration(["planet": "http://mine.example/feed"]))
    _ = try await bgfetch("run", at: moment(hours: 36))

    #expect(internet.asked.last == "http://mine.example/feed")
    #expect(!(try await bgfetch("status")).output.contains("moved"))
  }

  @Test func `nothing is learned from redirects of a secret address`() async throws {
    let internet = try PretendInternet()
    internet["http://old.example/geheim"] = .redirect(301, to: "http://new.example/geheim")
    internet["http://new.example/geheim"] = feedAnswer("a")
    let bgfetch = try BuiltProgram()
    let file = try bgfetch.home.write("http://old.example/geheim\n", to: "url")
    chmod(file, 0o600)
    try bgfetch.configure(internet.configuration([:]) + "  planet: {url: {file: \"\(file)\"}}\n")

    for hours in [0, 12, 24, 36] {
      #expect(try await bgfetch("run", at: moment(hours: hours)).status == 0)
    }

    let state = try FileManager.default.contentsOfDirectory(atPath: bgfetch.state)
    for name in state {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: bgfetch.state + "/" + name))
      #expect(bytes.range(of: Data("geheim".utf8)) == nil)
    }
    #expect(internet.asked.count == 8)
  }
}

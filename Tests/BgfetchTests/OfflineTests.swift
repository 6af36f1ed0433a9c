// Networks that do not work, or work only for those who log in: nothing of it is the feeds' fault.

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

  @Test func `a captive portal is offline: said once, and nothing is changed by it`() async throws {
    let internet = try online()
    let bgfetch = try BuiltProgram(configuration: internet.configuration(feeds))
    _ = try await bgfetch.at(hours: 0, "run")

    internet.answerAll(.redirect(302, to: "http://portal.example/login"))
    internet["http://portal.example/login"] = loginPage.with("ETag", "\"portal\"")
    var hotel: [Invoked] = []
    for hours in 2...6 { hotel.append(try await bgfetch.at(hours: hours, "run", "-v")) }
    let problems = try await bgfetch.at(hours: 6, "status", "--problems")
    let status = try await bgfetch.at(hours: 6, "status", "one", "--json")
    for (name, address) in feeds { internet[address] = feedAnswer(name) }
    let home = try await bgfetch.at(hours: 7, "run", "--json")

    for run in hotel {
      #expect(run.status == 75)
      #expect(run.errors.contains("offline: portal.example answers in place of 3 feeds; log in"))
    }
    #expect(problems.status == 0 && problems.output.isEmpty)
    #expect(status.json.first?["result"] as? String == "failed")
    #expect(status.json.first?["failing-since"] as? String == nil)
    #expect(
      home.json.compactMap { $0["reason"] as? String } == Array(repeating: "not modified", count: 3))
  }

  @Test func `511 is a captive portal, too`() async throws {
    let internet = try online()
    internet.answerAll(.status(511, body: "<html>log in</html>"))
    let bgfetch = try BuiltProgram(configuration: internet.configuration(feeds))

    let run = try await bgfetch("run", "--json")

    #expect(run.status == 75)
    let portal = run.json.first { $0["type"] as? String == "offline" }?["portal"] as? String
    // Whichever was first.
    #expect(["one.example", "two.example", "three.example"].contains(portal))
    #expect(!(try await bgfetch("why", "one")).output.contains("backoff"))
  }

  @Test func `a host that only a secret address led to is not named as what wants a log-in`() async throws {
    let internet = try PretendInternet()
    internet["http://geheim.example/feed"] = .status(511, body: "<html>log in</html>")
    let bgfetch = try BuiltProgram()
    let file = try bgfetch.home.write("http://geheim.example/feed\n", to: "url")
    chmod(file, 0o600)
    try bgfetch.configure(internet.configuration([:]) + "  planet: {url: {file: \"\(file)\"}}\n")

    let run = try await bgfetch("run", "-v")
    let kept = try await bgfetch.shell("cat \"$HOME\"/state/bgfetch.db*")

    #expect(run.status == 75)
    #expect(run.errors.contains("offline: ***"))
    for text in [run.output, run.errors, kept.output] { #expect(!text.contains("geheim")) }
  }

  @Test func `the host of a secret address that limits its rate is not kept`() async throws {
    let internet = try PretendInternet()
    internet["http://geheim.example/feed"] = .status(429)
    let bgfetch = try BuiltProgram()
    let file = try bgfetch.home.write("http://geheim.example/feed\n", to: "url")
    chmod(file, 0o600)
    try bgfetch.configure(internet.configuration([:]) + "  planet: {url: {file: \"\(file)\"}}\n")

    let run = try await bgfetch("run", "-v")
    let kept = try await bgfetch.shell("cat \"$HOME\"/state/bgfetch.db*")

    #expect(run.errors.contains("429"))
    for text in [run.output, run.errors, kept.output] { #expect(!text.contains("geheim")) }
  }

  @Test func `where one feed works, those that lead to a page to log in have failed`() async throws {
    let internet = try online()
    internet["http://one.example/feed"] = .redirect(302, to: "http://parking.example/")
    internet["http://two.example/feed"] = .redirect(302, to: "http://parking.example/")
    internet["http://parking.example/"] = loginPage
    let bgfetch = try BuiltProgram(configuration: internet.configuration(feeds))

    let run = try await bgfetch("run", "--json")
    let why = try await bgfetch("why", "one")

    #expect(run.status == 3)
    #expect(why.output.contains("backoff"))
    #expect(why.output.contains("a page to log in"))
  }

  @Test func `a proxy that is not there is offline`() async throws {
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

  @Test func `a host that refuses was reached, so the machine is not offline`() async throws {
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

  @Test func `a check for browsers is named, and asked again soon`() async throws {
    let internet = try online()
    internet["http://one.example/feed"] = .status(403, [("cf-mitigated", "challenge")])
    internet["http://two.example/feed"] = .document(
      "<html><script src=\"/.within.website/x/cmd/anubis/main.mjs\"></script></html>", type: "text/html")
    let bgfetch = try BuiltProgram(configuration: internet.configuration(feeds))

    _ = try await bgfetch.at(hours: 0, "run")
    let status = try await bgfetch.at(hours: 0, "status")
    let next = try await bgfetch.at(hours: 1, "run", "--json")

    #expect(status.output.contains("Cloudflare wants to see a browser"))
    #expect(status.output.contains("Anubis wants to see a browser"))
    #expect(next.json.count { $0["result"] as? String == "failed" } == 2)
  }
}

// Configurations of several files, tags, network settings of single feeds, and the warnings of `check`.

import Foundation
import TestKit
import Testing

@Suite final class ConfigurationTests: ServerSuite {
  /// A program with a main configuration and further files, by name and text.
  private func program(_ main: String, _ files: [String: String]) throws -> BuiltProgram {
    let bgfetch = try BuiltProgram(configuration: main)
    chmod(try bgfetch.makeDirectory("feeds.d"), 0o700)
    for (name, text) in files { try bgfetch.home.write(text, to: name) }
    return bgfetch
  }

  @Test func `a run fetches the feeds of included files`() async throws {
    for path in ["/a", "/b"] { server.feed(path, [path]) }
    let files = [
      "feeds.d/a.yaml": "feeds: {a: \"\(server.url("/a"))\"}\n",
      "feeds.d/b.yaml": "feeds: {b: \"\(server.url("/b"))\"}\n", "feeds.d/b.yaml~": "feeds: [\n",
    ]
    let bgfetch = try program("include: [feeds.d/*.yaml]\ndefaults: {first-run: all}\n", files)

    #expect(try await bgfetch("run", "--json").json.last?["new-data"] as? Int == 2)
    let check = try await bgfetch("check", "--json")

    let names = (check.json.last?["files"] as? [String])?.map { ($0 as NSString).lastPathComponent }
    #expect(names == ["bgfetch.yaml", "a.yaml", "b.yaml"])
    #expect(check.errors == "")
  }

  @Test func `an included file that everyone may write is refused`() async throws {
    let bgfetch = try program("include: more.yaml\n", ["more.yaml": "feeds: {a: https://a.example/}\n"])
    let file = bgfetch.home.file("more.yaml")

    chmod(file, 0o622)
    let refused = try await bgfetch("check", status: 78)
    chmod(file, 0o600)
    try await bgfetch("check", status: 0)

    let problem = "bgfetch.yaml:2:10: \(file): every user can write to it; chmod go-w \(file)\n"
    #expect(refused.errors.hasSuffix(problem))
  }

  @Test func `check warns of a state directory that others may write to`() async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {a: https://a.example/}\n")
    mkdir(bgfetch.state, 0o700)
    let trusted = try await bgfetch("check")
    chmod(bgfetch.state, 0o777)

    #expect(trusted.errors == "")
    try await bgfetch(
      "check", status: 0,
      errors: "warning: state: \(bgfetch.state): every user can write to it; chmod go-w \(bgfetch.state)\n")
  }

  @Test func `check warns of a state that no run can read`() async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {planet: \"https://planet.example/\"}\n")
    mkdir(bgfetch.state, 0o700)
    let database = bgfetch.state + "/bgfetch.db"
    let before = try await bgfetch("check")
    try Data("no database, though long enough ".utf8).write(to: URL(filePath: database))

    let damaged = try await bgfetch("check", "--json", status: 0)
    try await bgfetch("status", status: 74)
    unlink(database)
    mkdir(database, 0o700)
    let directory = try await bgfetch("check")
    try await bgfetch("status", status: 74, errors: "bgfetch.db: is a directory, pipe or device")

    #expect(before.output.hasSuffix("no problems\n"))
    #expect(directory.output.hasSuffix("1 warning\n"))
    #expect(damaged.errors.hasPrefix("warning: state: \(database): is damaged"))
    #expect((damaged.json.first?["warnings"] as? [String])?.count == 1)
  }

  @Test func `check says why the password of a database cannot be read`() async throws {
    let bgfetch = try BuiltProgram()
    let text = "state: {postgres: dbname=x, password: {file: key}}\nfeeds: {a: https://a.example/}\n"
    try bgfetch.home.write(text, to: "bgfetch.yaml")
    chmod(bgfetch.configurationPath, 0o600)

    let check = try await bgfetch("check", status: 0)

    let file = bgfetch.home.file("key")
    #expect(check.errors == "warning: state: password: \(file): there is no such file or directory\n")
  }

  @Test func `check warns of hook programs that are missing or cannot be executed`() async throws {
    let bgfetch = try BuiltProgram(
      configuration: """
        feeds: {planet: "https://planet.example/"}
        hooks:
          plain: {events: [failed], run: [HOME/plain]}
          directory: {events: [failed], run: [HOME]}
          missing: {events: [failed], run: [HOME/missing]}
        """)
    let plain = try bgfetch.home.write("#!/bin/sh\n", to: "plain")

    let checked = try await bgfetch("check")

    #expect(
      checked.errors == """
        warning: hook plain: \(plain) is not executable; chmod +x \(plain)
        warning: hook directory: \(bgfetch.home.path) is not a program; begin a script with #! and its interpreter
        warning: hook missing: there is no program \(bgfetch.home.file("missing")); install it, or write its full path

        """)
  }

  @Test func `a tag names its feeds, and an unknown tag gets a suggestion`() async throws {
    for path in ["a", "b", "c"] { server.feed("/" + path, [path + "1", path + "2"]) }
    let bgfetch = try BuiltProgram(
      scripts: ["tell": "echo \"$1\" >> \"$HOME/said\""],
      configuration: """
        defaults: {first-run: all, tags: [all-of-them]}
        feeds:
          a: {url: "\(server.url("/a"))", tags: [linux, news]}
          b: {url: "\(server.url("/b"))", tags: [news]}
          c: "\(server.url("/c"))"
        hooks:
          tell: {events: [new-data], feeds: ["@linux"], run: [HOME/tell, "{feed}"]}
        """)

    let run = try await bgfetch("run", "@news", "--json")
    let unknown = try await bgfetch("status", "@linus", status: 2)
    let seen = try await bgfetch("seen", "@linux")
    let items = try await bgfetch("items", "@linux", "b", "--unseen", "--json")
    let why = try await bgfetch("why", "@all-of-them", "--json")

    #expect(run.json.last?["due"] as? Int == 2)
    #expect(bgfetch.said == "a\n")
    #expect(unknown.errors == "bgfetch: no feed has the tag \"linus\"; did you mean \"@linux\"?\n")
    #expect(seen.output.hasPrefix("2 items seen"))
    #expect(Set(items.json.compactMap { $0["feed"] as? String }) == ["b"])
    #expect(why.json.compactMap { $0["feed"] as? String } == ["c"])
  }

  @Test func `each feed has its own proxy`() async throws {
    let proxy = try ScriptedServer { _ in .document(rss([("p", "By proxy")])) }
    server.feed("/plain", ["a"])
    let bgfetch = try BuiltProgram(
      configuration: """
        network: {user-agent: top, proxy: none}
        feeds:
          plain: "\(server.url("/plain"))"
          far: {url: "http://far.example/feed", network: {proxy: "\(proxy.origin)"}}
        """)

    let run = try await bgfetch("run", "--json")

    #expect(run.results == ["plain": "no-data", "far": "no-data"])
    #expect(server.requests("/plain").map { $0["User-Agent"] } == ["top"])
    #expect(proxy.requests.map(\.target) == ["http://far.example/feed"])
  }

  @Test func `too little free space is a warning, unless free-space is 0`() async throws {
    let feeds = """
      documents: HOME/not/there
      feeds:
        a: {url: "https://a.example/", download: {}}
      """
    let bgfetch = try BuiltProgram(configuration: "free-space: 1000000TiB\n" + feeds)
    let check = try await bgfetch("check", "--json", status: 0)
    try await bgfetch("status", "--problems", status: 0, errors: "free, less than free-space")
    let problems = try await bgfetch("status", "--problems", "--json").json
    try bgfetch.configure("free-space: 0B\n" + feeds)

    let warnings = try #require(check.json.last?["warnings"] as? [String])
    #expect(warnings.count == 1)
    #expect(warnings.first?.hasPrefix("warning: \(bgfetch.home.path)/not/there: ") == true)
    #expect(problems.first?["type"] as? String == "free-space")
    #expect(try await bgfetch("check").errors == "")
  }

  @Test func `check --schema prints JSON and needs no configuration`() async throws {
    let schema = try await BuiltProgram()("check", "--schema", status: 0)

    let object = try JSONSerialization.jsonObject(with: Data(schema.output.utf8)) as? [String: Any]
    #expect(object?["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
  }
}

// `bgfetch add` and `remove` on the files of a configuration: links, includes, mistakes, and none at all.

import Foundation
import TestKit
import Testing

@Suite struct ConfigurationEditTests {
  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func `without a configuration add writes the first one`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try BuiltProgram()
    let environment = ["BGFETCH_CONFIG": "", "XDG_CONFIG_HOME": bgfetch.home.file("config")]
    let (name, url) = ("config/bgfetch/bgfetch.yaml", server.url("/planet"))
    let path = bgfetch.home.file(name)

    let added = try await bgfetch("add", url, environment: environment, status: 0)
    try await bgfetch("check", environment: environment, prints: "\(path): 1 feed, 1 hook, no problems\n")

    #expect(added.output.contains("in \(path)\nThis is your first configuration. Next:\n  bgfetch run  "))
    #expect(bgfetch.text(of: name).contains("\nfeeds:\n  planet: \(url)\n"))
    #expect(try mode(path) == 0o600)
    #expect(try mode(bgfetch.home.file("config/bgfetch")) == 0o700)
  }

  @Test func `without a configuration the error names the expected file and add`() async throws {
    let bgfetch = try BuiltProgram()

    let run = try await bgfetch("run", status: 78, errors: bgfetch.configurationPath)

    #expect(run.errors.contains("write a first one with bgfetch add URL, or name yours with --config"))
  }

  @Test func `a first configuration in a removed directory is written nowhere`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try BuiltProgram()

    let added = try await bgfetch.shell(
      "mkdir gone && cd gone && rmdir ../gone && \"$BGFETCH\" add --config bgfetch-of-no-place.yaml "
        + server.url("/planet"))

    #expect(added.status != 0)
    #expect(added.errors.contains("there is no such file or directory"))
    #expect(!FileManager.default.fileExists(atPath: "/bgfetch-of-no-place.yaml"))
  }

  @Test func `add ends with 74 if the directory of the first configuration cannot be made`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try BuiltProgram()

    let added = try await bgfetch(
      "add", server.url("/planet"), "--config", "/proc/bgfetch/bgfetch.yaml", status: 74)

    #expect(added.errors.contains("bgfetch: the first configuration: "))
  }

  @Test func `add --config writes that file, and names it in the next steps`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try BuiltProgram()

    let added = try await bgfetch("add", server.url("/planet"), "--config", "my feeds.yaml", status: 0)

    #expect(added.output.contains("bgfetch run --config '\(bgfetch.home.file("my feeds.yaml"))'"))
    #expect(added.output.contains("bgfetch install-timer --config '"))
  }

  @Test func `without a desktop the first hook writes a file, even before the first run`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try BuiltProgram()

    try await bgfetch("add", server.url("/planet"), status: 0, output: "bgfetch hooks test file")
    try await bgfetch("hooks", "test", "file", status: 0)

    #expect(bgfetch.text(of: ".local/state/bgfetch/news.txt") == "bgfetch: This is only a test.\n")
  }

  @Test func `an included file is edited on request, and where the feed is`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"], "/other": ["b"]])
    let bgfetch = try BuiltProgram(configuration: "include: more.yaml\nfeeds: {a: https://a.example/}\n")
    try bgfetch.home.write("feeds:\n  b: https://b.example/ # b\n", to: "more.yaml")

    try await bgfetch("add", server.url("/planet"), "--file", "more.yaml", status: 0)
    let unknown = try await bgfetch("add", server.url("/other"), "--file", "unknown.yaml", status: 2)
    try await bgfetch("remove", "b", "a", status: 0)

    #expect(unknown.errors.contains("unknown.yaml is not a file of the configuration; the files are: "))
    #expect(bgfetch.text(of: "more.yaml") == "feeds:\n  planet: \(server.url("/planet"))\n")
    #expect(bgfetch.text(of: "bgfetch.yaml").hasSuffix("feeds: {}\n"))
  }

  @Test func `a wrong configuration is refused before anything is fetched`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try BuiltProgram(
      configuration: "feeds:\n  a: https://a.example/\n  b: {urk: https://b.example/}\n")
    let before = bgfetch.text(of: "bgfetch.yaml")

    try await bgfetch("add", server.url("/planet"), status: 78, errors: "bgfetch.yaml:4:")
    try await bgfetch("remove", "a", status: 78)

    #expect(server.requests.isEmpty)
    #expect(bgfetch.text(of: "bgfetch.yaml") == before)
  }

  @Test(arguments: [
    (["https://a.example/"], "is already the feed a"), (["HTTPS://A.example"], "is already the feed a"),
    (["a.example"], "is already the feed a"), (["https://c.example/", "a"], "the feed a already exists"),
    (["https://me:pw@c.example/"], "contains a user name or a password"), (["my feed"], "is not an address"),
    (["c.example", "my feed"], "a name has 1 to 100 letters"),
    (["c.example", "--choose", "0"], "--choose takes"),
  ])
  func `invalid arguments of add are refused`(arguments: [String], said: String) async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {a: https://a.example/}\n")

    #expect(try await !bgfetch(["add"] + arguments, status: 2, errors: said).errors.contains("pw@"))
  }

  @Test func `feeds added at the same time are all there`() async throws {
    let server = try ScriptedServer()
    for number in 0..<6 { server.feed("/\(number)", ["item-\(number)"], title: "Feed number \(number)") }
    let bgfetch = try BuiltProgram(configuration: "feeds: {}\n")

    let programs = try (0..<6).map { try bgfetch.started(["add", server.url("/\($0)")]) }
    for program in programs {
      let ended = await program.ended()
      #expect(ended.status == 0, "\(ended.errors)")
    }

    let text = bgfetch.text(of: "bgfetch.yaml")
    for number in 0..<6 { #expect(text.contains(": \(server.url("/\(number)"))\n"), "\(text)") }
  }

  @Test func `feeds are removed by name, glob and tag, and their files stay`() async throws {
    let bgfetch = try BuiltProgram(
      configuration: """
        feeds:
          # The weekly
          lwn: https://lwn.example/
          # Videos
          yt-a: https://video.example/a
          yt-b: https://video.example/b
          planet: {url: "https://planet.example/", tags: [people]}

        """)

    let one = try await bgfetch("remove", "lwn", status: 0)
    let more = try await bgfetch("remove", "yt-*", "@people")
    try await bgfetch("remove", "planett", status: 2, errors: "no feed is named \"planett\"")

    #expect(
      one.output == """
        removed lwn from \(bgfetch.configurationPath)
        its downloaded files stay; if it is added again within 90 days, it continues where it stopped

        """)
    #expect(
      more.lines.dropLast()
        == ["yt-a", "yt-b", "planet"].map { "removed \($0) from \(bgfetch.configurationPath)" })
    #expect(bgfetch.text(of: "bgfetch.yaml") == "state: \(bgfetch.state)\nfeeds:\n")
  }

  @Test func `a hook that names the removed feed is reported`() async throws {
    let bgfetch = try BuiltProgram(
      configuration: """
        feeds: {a: https://a.example/, b: https://b.example/}
        hooks: {log: {events: [failed], run: ["true"], feeds: [a]}}

        """)

    let removed = try await bgfetch("remove", "a", status: 0, errors: "bgfetch.yaml:3:")

    #expect(removed.errors.contains("no feed is named \"a\""))
  }
}

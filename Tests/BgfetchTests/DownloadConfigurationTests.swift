// What `check` warns of where files are to be placed, and `hooks test` with the events of files, on the built program.

import Foundation
import TestKit
import Testing

@Suite struct DownloadConfigurationTests {
  @Test func `a directory of a feed's own that is nowhere is warned of once, one that can be made is not`()
    async throws
  {
    let bgfetch = try BuiltProgram(
      configuration: """
        free-space: 0B
        feeds:
          a: {url: "https://a.example/", download: {directory: HOME/nas/pod}}
          b: {url: "https://b.example/", download: {directory: HOME/nas/pod}}
          c: {url: "https://c.example/", download: {directory: HOME/new}}
          d: {url: "https://d.example/", download: {directory: /}}

        """)
    let home = bgfetch.home.path

    let check = try await bgfetch("check")

    #expect(check.status == 0)
    #expect(
      check.errors
        == "warning: feed a: \(home)/nas/pod and \(home)/nas do not exist; mount the file system, or create the directory\n"
    )
  }

  @Test func `a configuration that was renamed keeps its state`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a", "b"])
    let bgfetch = try BuiltProgram(
      configuration:
        "network: {private-addresses: allow}\nfeeds: {planet: {url: \"\(server.url("/planet"))\", first-run: all}}\n"
    )
    _ = try await bgfetch("run")
    let renamed = bgfetch.home.file("renamed.yaml")
    try FileManager.default.moveItem(atPath: bgfetch.configurationPath, toPath: renamed)

    let check = try await bgfetch("check", "--config", renamed)
    let runs = try await [
      bgfetch("run", "--force", "--config", renamed), bgfetch("run", "--force", "--config", renamed),
    ]
    let items = try await bgfetch("items", "--json", "--config", renamed)

    #expect(!check.errors.contains("belongs to"))
    #expect(runs.map(\.status) == [0, 0])
    #expect(
      runs.map {
        $0.errors.contains("belonged to the configuration \(bgfetch.configurationPath), which is gone")
      }
        == [true, false])
    #expect(items.json.count == 2)
  }

  @Test func `a state directory that is another configuration's is warned of`() async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {a: \"https://a.invalid/\"}\n")
    _ = try await bgfetch("run")
    let other = bgfetch.home.file("other.yaml")
    try FileManager.default.copyItem(atPath: bgfetch.configurationPath, toPath: other)

    let text = "belongs to the configuration \(bgfetch.configurationPath); give this one a state directory"
    for command in [
      "check", "status", "why a", "items", "history", "transfers", "hooks", "badge", "export", "forecast",
      "run --dry-run",
    ] {
      let own = try await bgfetch.shell("\"$BGFETCH\" \(command)")
      let others = try await bgfetch.shell("\"$BGFETCH\" \(command) --config \"\(other)\"")

      #expect([own.status, others.status] == [0, 0], "\(command): \(others.errors)")
      #expect(!own.errors.contains(text), "\(command)")
      #expect(others.errors.components(separatedBy: text).count == 2, "\(command)")
    }
  }

  @Test func `too little room is said once a file system`() async throws {
    let bgfetch = try BuiltProgram(
      configuration: """
        free-space: 1000000TiB
        documents: HOME/documents
        feeds:
          a: {url: "https://a.example/", download: {directory: HOME/a}}
          b: {url: "https://b.example/", download: {directory: /proc/self}}

        """)

    let check = try await bgfetch("check", "--json")

    let warnings = try #require(check.json.last?["warnings"] as? [String])
    #expect(warnings.count == 2)
    #expect(warnings.first?.hasPrefix("warning: \(bgfetch.home.path)/documents: ") == true)
    #expect(warnings.last?.hasPrefix("warning: /proc/self: ") == true)
  }

  @Test(
    arguments: [
      ("asset-placed", "HOME/documents/sample/A sample item.mp3|audio/mpeg|0|A sample item|"),
      ("transfer-failed", "|audio/mpeg||A sample item|the server answered 404"),
      ("auth-required", "|audio/mpeg||A sample item|the server answered 401"),
    ])
  func `hooks test has a sample for the events of a file`(event: String, said: String) async throws {
    let bgfetch = try BuiltProgram(
      configuration: """
        documents: HOME/documents
        feeds: {a: {url: "https://a.example/", download: {}}}
        hooks:
          say:
            events: [\(event)]
            run: [echo, --, "{asset.path}|{asset.type}|{asset.size}|{item.title}|{reason}"]

        """)

    let test = try await bgfetch("hooks", "test", "say")

    #expect(test.status == 0)
    #expect((test.output + test.errors).contains(said.replacing("HOME", with: bgfetch.home.path)))
  }

  @Test func `hooks test has a sample of a session`() async throws {
    let bgfetch = try BuiltProgram(
      configuration: """
        feeds: {a: {url: "https://a.example/", download: {}}}
        hooks: {say: {events: [session-finished], run: [echo, "{feed}|{feed.title}|{count}|{failed}"]}}

        """)

    let test = try await bgfetch("hooks", "test", "say")

    #expect((test.output + test.errors).contains("sample|Sample feed|1|0"))
  }
}

// `bgfetch init`: from nothing to a configuration that works.

import Foundation
import TestKit
import Testing

@Suite struct InitTests {
  /// A directory in which notify-send is the only program, or there is none.
  private func programs(_ bgfetch: BuiltProgram, notifier: String?) throws -> [String: String] {
    try FileManager.default.createDirectory(
      atPath: bgfetch.home.file("bin"), withIntermediateDirectories: true)
    if let notifier { _ = try bgfetch.script("bin/notify-send", notifier) }
    return ["PATH": bgfetch.home.file("bin")]
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func `without a configuration every command names init`() async throws {
    let bgfetch = try BuiltProgram()

    let run = try await bgfetch("run")

    #expect(run.status == 78)
    #expect(run.errors.contains("write a first one with bgfetch init"))
  }

  @Test func `the first configuration is where the program looks, private, and right`() async throws {
    let bgfetch = try BuiltProgram()
    let environment = ["BGFETCH_CONFIG": "", "XDG_CONFIG_HOME": bgfetch.home.file("config/deep")]
    let path = bgfetch.home.file("config/deep/bgfetch/bgfetch.yaml")

    let made = try await bgfetch("init", environment: environment)
    let checked = try await bgfetch("check", environment: environment)

    #expect(made.status == 0)
    #expect(made.lines.first?.hasPrefix("wrote \(path)") == true)
    #expect(made.output.contains("  bgfetch check  "))
    #expect(made.output.contains("*/5 * * * * \(BuiltProgram.path) run --cause timer -q\n"))
    #expect(made.output.contains("systemctl --user enable --now bgfetch.timer"))
    #expect(checked.output == "\(path): 1 feed, 1 hook, no problems\n")
    #expect(checked.errors == "")
    #expect(try mode(path) == 0o600)
    #expect(try mode(bgfetch.home.file("config/deep/bgfetch")) == 0o700)
  }

  @Test func `in a directory that was removed nothing is written, and nothing elsewhere`() async throws {
    let bgfetch = try BuiltProgram()

    let made = try await bgfetch.shell(
      "mkdir gone && cd gone && rmdir ../gone && \"$BGFETCH\" init --config bgfetch-of-no-place.yaml")

    #expect(made.status != 0)
    #expect(made.errors.contains("there is no such file or directory"))
    #expect(!FileManager.default.fileExists(atPath: "/bgfetch-of-no-place.yaml"))
  }

  @Test func `a directory that cannot be made ends with 74, as for every file that cannot be written`()
    async throws
  {
    let bgfetch = try BuiltProgram()
    _ = try bgfetch.home.write("a file", to: "file")

    let made = try await bgfetch("init", "--config", bgfetch.home.file("file/bgfetch.yaml"))

    #expect(made.status == 74)
    #expect(made.errors.hasPrefix("bgfetch: the first configuration: "), "\(made.errors)")
  }

  @Test func `a configuration that is there stays`() async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {planet: https://planet.example/}\n")
    let before = bgfetch.text(of: "bgfetch.yaml")

    let made = try await bgfetch("init")

    #expect(made.status == 2)
    #expect(made.errors.contains("bgfetch.yaml: already exists and was not changed"))
    #expect(bgfetch.text(of: "bgfetch.yaml") == before)
  }

  @Test func `a named file is written, and named in what to do next`() async throws {
    let bgfetch = try BuiltProgram()

    let made = try await bgfetch("init", "--config", "my feeds.yaml")
    let json = try await bgfetch("init", "--config", "other.yaml", "--json")

    #expect(made.status == 0)
    #expect(made.output.contains("bgfetch run -v --config '\(bgfetch.home.file("my feeds.yaml"))'"))
    #expect(!made.output.contains("systemctl"))
    #expect(json.json.first?["type"] as? String == "init")
    #expect(json.json.first?["file"] as? String == bgfetch.home.file("other.yaml"))
  }

  @Test func `where notify-send is installed the hook is a popup`() async throws {
    let bgfetch = try BuiltProgram()
    let environment = try programs(bgfetch, notifier: "echo '  -r, --replace-id=REPLACE_ID'")

    let made = try await bgfetch("init", "--json", environment: environment)
    let checked = try await bgfetch("check", environment: environment)

    #expect(made.json.first?["hook"] as? String == "desktop")
    #expect(bgfetch.text(of: "bgfetch.yaml").contains("    needs: session-bus\n"))
    #expect(bgfetch.text(of: "bgfetch.yaml").contains("--print-id, [--replace-id, \"{replaces}\"]"))
    #expect(checked.status == 0)
  }

  @Test(arguments: ["echo '  -u, --urgency=LEVEL'", "exit 1", "kill -9 $$"])
  func `a notify-send that cannot replace popups is not asked to`(notifier: String) async throws {
    let bgfetch = try BuiltProgram()
    let environment = try programs(bgfetch, notifier: notifier)

    _ = try await bgfetch("init", environment: environment)

    #expect(bgfetch.text(of: "bgfetch.yaml").contains("notify-send, --app-name=bgfetch"))
    #expect(!bgfetch.text(of: "bgfetch.yaml").contains("--print-id"))
    #expect(!bgfetch.text(of: "bgfetch.yaml").contains("replace-id"))
  }

  @Test func `where it is not, the hook writes a file, even before the first run`() async throws {
    let bgfetch = try BuiltProgram()
    let environment = try programs(bgfetch, notifier: nil)

    let made = try await bgfetch("init", "--json", environment: environment)
    let tested = try await bgfetch("hooks", "test", "file")

    #expect(made.json.first?["hook"] as? String == "file")
    #expect(tested.status == 0)
    #expect(bgfetch.text(of: ".local/state/bgfetch/news.txt") == "bgfetch: This is only a test.\n")
  }
}

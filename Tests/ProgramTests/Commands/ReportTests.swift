// `bgfetch report`: what a bug report needs, and nothing private.

import Foundation
import Store
import TestKit
import Testing

@Suite final class ReportTests: ServerSuite {
  @Test func `a report has versions, keys and runs, and neither names nor addresses`() async throws {
    server.feed("/secret-path", ["1"])
    let program = try BuiltProgram(
      configuration: """
        feeds:
          my-bank: {url: "\(server.url("/secret-path"))", minimum-interval: 2h}
        hooks: {call: {events: [notification], run: ["true", "password"]}}

        """)
    try await program("run", status: 0)

    let report = try await program("report", status: 0)

    for wanted in [
      "bgfetch 0", "libcurl ", "SQLite 3.", "libyaml 0.", "Linux", "minimum-interval: 2h", "\"new-data\":",
    ] {
      #expect(report.output.contains(wanted), "\(wanted): \(report.output)")
    }
    for hidden in ["my-bank", "secret-path", "127.0.0.1", "call", "password", program.home.path] {
      #expect(!report.output.contains(hidden), "\(hidden): \(report.output)")
    }
  }

  @Test(arguments: [
    ("feeds: {my-bank: [}", "not YAML"), ("feeds: {my-bank: {ulr: x}}", "1 mistake; see bgfetch check"),
  ])
  func `a report of a wrong configuration says so and no more`(text: String, expected: String) async throws {
    let program = try BuiltProgram(configuration: text)

    let report = try await program("report", status: 0)

    #expect(report.output.contains(expected))
    #expect(!report.output.contains("my-bank"))
  }

  @Test(arguments: [
    "feeds: {a: \"https://me:hunter2@a.example/?token=hunter2#hunter2\"}",
    """
    feeds:
      a: {url: "https://a.example/", headers: {X-Key: hunter2, Cookie: {command: [echo, hunter2]}}, tags: [hunter2]}
      b: {url: "https://b.example/", auth: {username: hunter2, password: {env: hunter2}}, cookies: ~/hunter2}
      c: {url: {command: [echo, hunter2]}, kind: json, body: {key: hunter2}, json: {items: /hunter2, id: /a, title: /b}}
      d: {command: [curl, --user, "me:hunter2"], filter: {include: hunter2}, title: hunter2}
      e: {url: "https://e.example/", when: {command: [hunter2]}, network: {proxy: "http://me:hunter2@p.example:80"}}
    """,
    """
    feeds: {}
    hooks:
      a: {run: [send, --password, hunter2], stdin: hunter2, environment: {KEY: hunter2, OTHER: {file: /hunter2}}}
      b: {webhook: {url: "https://b.example/hunter2", body: {limit: hunter2}, headers: {Authorization: hunter2}}}
      c: {to: hunter2@mail.example, from: hunter2@mail.example}
    """,
    "feeds: {}\ndocuments: {s3: \"https://s3.example/hunter2\", access-key: hunter2, secret-key: {file: /hunter2}}",
    "feeds: {}\nnetwork: {proxy: \"http://me:hunter2@p.example:80\", user-agent: hunter2, ca-file: /hunter2}",
    "feeds: {}\noutputs: {~/hunter2.html: {title: hunter2}}\nbadge: ~/hunter2\ntimezone: hunter2",
    "include: [hunter2.yaml]\nx-hunter2: hunter2",
    "hunter2", "- hunter2", "hunter2: hunter2", "a: &hunter2 1\nb: *hunter3", "budget: hunter2",
    "feeds: {hunter2: [",
  ])
  func `a report shows no secret, wherever it is`(text: String) async throws {
    let program = try BuiltProgram(configuration: text)
    _ = try program.home.write("feeds: {hunter2: \"https://a.example/hunter2\"}\n", to: "hunter2.yaml")

    let report = try await program("report", status: 0, output: "configuration")

    #expect(!(report.output + report.errors).contains("hunter"), "\(report)")
  }

  @Test(arguments: [
    "", "password=hunter2 user=hunter2 dbname=hunter2 ", "postgresql://hunter2:hunter2@127.0.0.1:1/hunter2 ",
  ])
  func `a report shows no password of a database`(connection: String) async throws {
    let program = try BuiltProgram()
    let place = connection.hasPrefix("postgresql:") ? connection : connection + "host=127.0.0.1 port=1"
    _ = try program.home.write(
      "feeds: {}\nstate: {postgres: \"\(place)\", password: {command: [echo, hunter2]}}\n", to: "bgfetch.yaml"
    )
    chmod(program.configurationPath, 0o600)

    let report = try await program("report", status: 0, output: "postgres: …")

    #expect(!(report.output + report.errors).contains("hunter"), "\(report)")
  }

  @Test(arguments: [
    "mkdir state/bgfetch.db", "echo text of no database >state/bgfetch.db", "chmod 777 state",
  ])
  func `a report says that the state cannot be read`(damage: String) async throws {
    let program = try BuiltProgram(configuration: "feeds: {}\n")
    try program.makeDirectory("state")
    try await program.shell("cd && " + damage, status: 0)

    try await program("report", status: 0, output: "not readable; see bgfetch status")
  }

  @Test(arguments: [["--config", "missing.yaml"], ["--config", "/"]])
  func `a report without a configuration says so`(words: [String]) async throws {
    let program = try BuiltProgram()

    try await program(["report"] + words, status: 0, output: "configuration: none that can be read")
  }

  @Test func `the version with -v names the libraries`() async throws {
    let program = try BuiltProgram(configuration: "feeds: {}\n")

    let plain = try await program("--version", status: 0)
    let verbose = try await program("--version", "-v", status: 0)

    #expect(plain.lines.count == 1)
    #expect(verbose.lines.count == 3)
    #expect(verbose.output.contains(", state version \(Store.schemaVersion)\n"))
    #expect(verbose.output.contains("libcurl "))
  }
}

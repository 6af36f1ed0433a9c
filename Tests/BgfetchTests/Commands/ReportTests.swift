// `bgfetch report`: what a bug report needs, and nothing private.

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

  @Test func `the version with -v names the libraries`() async throws {
    let program = try BuiltProgram(configuration: "feeds: {}\n")

    let plain = try await program("--version", status: 0)
    let verbose = try await program("--version", "-v", status: 0)

    #expect(plain.lines.count == 1)
    #expect(verbose.lines.count == 3)
    #expect(verbose.output.contains("libcurl "))
  }
}

// The built program before a server that counts, under a clock that the test sets.
//
// The tests of this folder are the checks that a perfect client passes, each with its number; a few are proven where they
// are decided: 37 (offline) in InterruptionTests, the refusal of http after https and the cut credentials of 39 in
// RequestChainTests and RunTests. 47 to 51 are about downloads, and 53 about the history of requests.

import Foundation
import TestKit
import Testing

/// Seconds in a minute, an hour and a day, for moments since the first run.
let minute = 60
let hour = 3600
let day = 86_400

/// The program with feeds on a server of its own.
struct PoliteProgram {
  let server: ScriptedServer
  let bgfetch: BuiltProgram
  private let proxy: String?

  /// Feeds of these names, each at the path of its name, all with the same keys as YAML has them in braces; `settings`
  /// are lines of YAML before them.
  ///
  /// Public feeds are at `feeds.example`, a host of the public Internet, and the server is the proxy there.
  init(_ names: [String] = ["planet"], keys: String = "", settings: String = "", isPublic: Bool = false)
    throws
  {
    server = try ScriptedServer()
    proxy = isPublic ? server.origin : nil
    bgfetch = try BuiltProgram()
    try configure(names, keys: keys, settings: settings)
  }

  /// Writes the configuration anew.
  func configure(_ names: [String] = ["planet"], keys: String = "", settings: String = "") throws {
    let origin = proxy == nil ? server.origin : "http://feeds.example"
    let feeds = names.map { name in
      "  \(name): {url: \"\(origin)/\(name)\"\(keys.isEmpty ? "" : ", ")\(keys)}\n"
    }
    try bgfetch.configure("\(settings)\ndefaults: {first-run: all}\nfeeds:\n" + feeds.joined())
  }

  /// Runs the program so many seconds after Monday, 2026-11-02 10:00 UTC, and says how many requests that run sent.
  @discardableResult
  func requests(at seconds: Int, _ arguments: String...) async throws -> Int {
    let before = server.requests.count
    _ = try await run(at: seconds, arguments)
    return server.requests.count - before
  }

  /// Runs the program at a moment.
  @discardableResult
  func run(at seconds: Int = 0, _ arguments: [String] = []) async throws -> Invoked {
    var environment = ["BGFETCH_NOW": Self.moment(seconds)]
    if let proxy { environment["http_proxy"] = proxy }
    return try await bgfetch.started(["run", "--json"] + arguments, environment: environment).ended()
  }

  /// What `status` says of each feed at a moment.
  func status(at seconds: Int) async throws -> [[String: Any]] {
    try await bgfetch("status", "--json", environment: ["BGFETCH_NOW": Self.moment(seconds)]).json
  }

  /// The moment so many seconds after the first run.
  static func moment(_ seconds: Int) -> String {
    Date(timeIntervalSince1970: 1_793_613_600 + Double(seconds)).formatted(.iso8601)
  }

  /// The requests for the one feed.
  var asked: [ReceivedRequest] { server.requests("/planet") }
}

extension ScriptedAnswer {
  /// A small feed with these header fields; requests are answered with it whatever validators they carry.
  static func feed(_ fields: (name: String, value: String)..., channel: String = "") -> ScriptedAnswer {
    let body = rss([("a", "A")]).replacingOccurrences(of: "<channel>", with: "<channel>" + channel)
    return .status(200, [("Content-Type", "application/rss+xml")] + fields, body: body)
  }

  /// A small feed that answers 304, with the same fields, to a request with its validator.
  static func kept(_ fields: (name: String, value: String)..., channel: String = "") -> ScriptedAnswer {
    var answer = ScriptedAnswer.feed(("ETag", "\"1\""), channel: channel)
    answer.fields += fields
    answer.isConditional = true
    return answer
  }
}

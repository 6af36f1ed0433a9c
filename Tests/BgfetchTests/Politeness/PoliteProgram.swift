// The program with a server that counts requests and a clock that the test sets.
//
// The tests of this folder hold what requests a started program sends; when a feed is due is decided by Core.

import Foundation
import TestKit
import Testing

/// Seconds in a minute, an hour and a day.
let minute = 60
let hour = 3600
let day = 86_400

/// The program with feeds on one server.
struct PoliteProgram {
  let server: ScriptedServer
  let bgfetch: BuiltProgram
  private let proxy: String?

  /// Configures feeds by name, each at the path of its name.
  ///
  /// `keys` are YAML keys of every feed, `settings` lines of YAML.
  ///
  /// Public feeds are at `feeds.example`, a public host, for which the server is the proxy.
  init(_ names: [String] = ["planet"], keys: String = "", settings: String = "", isPublic: Bool = false)
    throws
  {
    server = try ScriptedServer()
    proxy = isPublic ? server.origin : nil
    bgfetch = try BuiltProgram()
    try configure(names, keys: keys, settings: settings)
  }

  /// Replaces the configuration.
  func configure(_ names: [String] = ["planet"], keys: String = "", settings: String = "") throws {
    let origin = proxy == nil ? server.origin : "http://feeds.example"
    let feeds = names.map { name in
      "  \(name): {url: \"\(origin)/\(name)\"\(keys.isEmpty ? "" : ", ")\(keys)}\n"
    }
    try bgfetch.configure("\(settings)\ndefaults: {first-run: all}\nfeeds:\n" + feeds.joined())
  }

  /// Runs the program this many seconds after the first run and returns the number of requests.
  @discardableResult
  func requests(at seconds: Int, _ arguments: String...) async throws -> Int {
    let before = server.requests.count
    _ = try await run(at: seconds, arguments)
    return server.requests.count - before
  }

  /// Runs the program this many seconds after the first run.
  @discardableResult
  func run(at seconds: Int = 0, _ arguments: [String] = []) async throws -> Invoked {
    let environment = proxy.map { ["http_proxy": $0] } ?? [:]
    return try await bgfetch(
      ["run", "--json"] + arguments, at: moment(seconds: seconds), environment: environment)
  }

  /// The output of `status`, this many seconds after the first run.
  func status(at seconds: Int) async throws -> [[String: Any]] {
    try await bgfetch("status", "--json", at: moment(seconds: seconds)).json
  }

  /// The requests for the feed `planet`.
  var asked: [ReceivedRequest] { server.requests("/planet") }
}

extension ScriptedAnswer {
  /// A small feed with these header fields, sent even to requests with its validators.
  static func feed(_ fields: (name: String, value: String)..., channel: String = "") -> ScriptedAnswer {
    let body = rss([("a", "A")]).replacingOccurrences(of: "<channel>", with: "<channel>" + channel)
    return .status(200, [("Content-Type", "application/rss+xml")] + fields, body: body)
  }

  /// A small feed with these header fields; a request with its validator gets 304 and the same fields.
  static func kept(_ fields: (name: String, value: String)..., channel: String = "") -> ScriptedAnswer {
    var answer = ScriptedAnswer.feed(("ETag", "\"1\""), channel: channel)
    answer.fields += fields
    answer.isConditional = true
    return answer
  }
}

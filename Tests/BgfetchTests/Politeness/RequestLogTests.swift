// The log of requests (`history --requests --json`), compared with the requests that the server received.

import Foundation
import Synchronization
import TestKit
import Testing

@Suite struct RequestLogTests {
  /// One request and the status of its response.
  private struct Sight: Hashable, Sendable {
    var time: String
    var path: String
    var isConditional: Bool
    var status: Int
  }

  /// The server's own log, with the time set by the test.
  private final class ServerLog: Sendable {
    private let state = Mutex((time: "", sights: [Sight]()))

    var time: String {
      get { state.withLock { $0.time } }
      set { state.withLock { $0.time = newValue } }
    }

    var sights: [Sight] { state.withLock { $0.sights } }

    /// Logs a request and returns its response.
    func answer(_ request: ReceivedRequest, _ status: Int, _ answer: ScriptedAnswer) -> ScriptedAnswer {
      state.withLock {
        $0.sights.append(
          Sight(
            time: $0.time, path: request.path,
            isConditional: request["If-None-Match"] != nil || request["If-Modified-Since"] != nil,
            status: status))
      }
      return answer
    }
  }

  /// The same requests in the program's log.
  private func sights(_ rows: [[String: Any]]) throws -> [Sight] {
    try rows.map { row in
      let address = try #require(row["address"] as? String)
      return Sight(
        time: try #require(row["time"] as? String), path: try #require(URL(string: address)).path,
        isConditional: try #require(row["conditional"] as? Bool), status: try #require(row["status"] as? Int))
    }
  }

  private static func text(_ date: Date) -> String {
    let format = ISO8601DateFormatter()
    return format.string(from: date)
  }

  private static func date(_ text: String) throws -> Date {
    let format = ISO8601DateFormatter()
    if text.contains(".") { format.formatOptions.insert(.withFractionalSeconds) }
    return try #require(format.date(from: text))
  }

  @Test func `a day of runs: the log agrees with the server, and no fetch was too early`() async throws {
    let log = ServerLog()
    let limited = Mutex(0)
    let server = try ScriptedServer { request in
      switch request.path {
      case "/moved": return log.answer(request, 302, .redirect(to: "/hourly"))
      case "/hourly":
        if request["If-None-Match"] == "\"1\"" {
          return log.answer(request, 304, .status(304, [("ETag", "\"1\"")]))
        }
        return log.answer(request, 200, .status(200, [("ETag", "\"1\"")], body: rss([("a", "A")])))
      case "/fresh":
        return log.answer(
          request, 200,
          .status(200, [("ETag", "\"2\""), ("Cache-Control", "max-age=10000")], body: rss([("b", "B")])))
      case "/limited":
        let count = limited.withLock { count in
          count += 1
          return count
        }
        return count == 1
          ? log.answer(request, 429, .status(429, [("Retry-After", "7200")]))
          : log.answer(request, 200, .status(200, [("ETag", "\"3\"")], body: rss([("c", "C")])))
      case "/broken": return log.answer(request, 500, .status(500))
      default: return log.answer(request, 404, .status(404))
      }
    }
    let names = ["moved", "fresh", "limited", "broken", "missing"]
    let bgfetch = try BuiltProgram(
      configuration: "network: {timeout: 1h}\nbudget: none\nfeeds:\n"
        + names.map { "  \($0): \"\(server.url("/" + $0))\"\n" }.joined())

    let start = try Self.date("2026-11-21T00:00:00Z")
    for step in 0..<48 {
      let now = Self.text(start.addingTimeInterval(Double(step) * 1800))
      log.time = now.replacingOccurrences(of: "Z", with: ".000Z")
      try await bgfetch("run", at: now)
    }
    let rows = try await bgfetch("history", "--requests", "--json").json

    // Feeds are fetched concurrently, so only times are in order.
    #expect(rows.count == log.sights.count)
    #expect(Set(try sights(rows)) == Set(log.sights))
    let times = rows.compactMap { $0["time"] as? String }
    #expect(times == times.sorted())

    for name in names {
      let fetches = rows.filter { $0["feed"] as? String == name && $0["hop"] as? Int == 0 }
      #expect(fetches.count >= 2, "\(name)")
      for (earlier, later) in zip(fetches, fetches.dropFirst()) {
        let allowed = try Self.date(try #require(earlier["not-before"] as? String))
        let sent = try Self.date(try #require(later["time"] as? String))
        #expect(sent >= allowed, "\(name)")
        #expect(later["named"] as? Bool == false)
      }
    }
    // From the server's log alone.
    func gaps(_ path: String) throws -> [Double] {
      let dates = try log.sights.filter { $0.path == path }.map { try Self.date($0.time) }
      return zip(dates, dates.dropFirst()).map { $1.timeIntervalSince($0) }
    }
    let (fresh, moved, limit) = (try gaps("/fresh"), try gaps("/moved"), try gaps("/limited"))
    #expect(fresh.allSatisfy { $0 >= 10_000 })
    #expect(moved.allSatisfy { $0 >= 3600 - 120 })
    #expect(limit.first ?? 0 >= 7200)
    #expect(log.sights.filter { $0.path == "/hourly" }.dropFirst().allSatisfy { $0.isConditional })
  }

  @Test func `logged requests to one public host are sequential and a second apart`() async throws {
    // The server is a proxy, so the addresses can be public.
    let server = try ScriptedServer { request in
      .document(rss([(request.target, "A")]), etag: "\"1\"")
    }
    let bgfetch = try BuiltProgram(
      configuration: """
        network: {proxy: "\(server.origin)", timeout: 1h}
        budget: none
        feeds:
          one: "http://planet.example/one"
          two: "http://planet.example/two"
          three: "http://planet.example/three"
          else: "http://other.example/feed"
        """)
    try await bgfetch("run")

    let rows = try await bgfetch("history", "--requests", "--json").json

    #expect(Set(rows.compactMap { $0["address"] as? String }) == Set(server.requests.map(\.target)))
    let planet = rows.filter { ($0["address"] as? String)?.contains("planet.example") == true }
    #expect(planet.count == 3)
    for (earlier, later) in zip(planet, planet.dropFirst()) {
      let begun = try Self.date(try #require(earlier["time"] as? String))
      let next = try Self.date(try #require(later["time"] as? String))
      // Times and durations are rounded.
      #expect(next.timeIntervalSince(begun) >= 0.99)
      #expect(
        next.timeIntervalSince(begun) * 1000 >= Double(try #require(earlier["milliseconds"] as? Int) - 10))
    }
  }
}

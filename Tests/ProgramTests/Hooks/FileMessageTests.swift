// Messages of several feeds that wait for their files, which come one after the other.

import Foundation
import Synchronization
import TestKit
import Testing

@Suite final class FileMessageTests: ServerSuite {
  /// Runs the program with podcasts of one episode each and a feed without files, and returns its messages.
  ///
  /// Each file is served when the hook has received `asset-placed` for the file before it. A message that is due is older than that
  /// event, and has been delivered by then.
  private func messages(
    podcasts: Int, hook: String = ""
  ) async throws -> [[String: Any]] {
    let gates = (0..<podcasts).map { _ in Gate() }
    let count = Atomic(0)
    let file = AssetFile(FileContent(9000))
    var feeds: [String] = []
    for number in 0..<podcasts {
      server.on("/\(number).mp3") { request in
        let place = count.add(1, ordering: .relaxed).oldValue
        return file.answer(to: request).held(by: gates[place])
      }
      server.on(
        "/pod\(number)", .document(podcast([Episode(id: "\(number)", url: server.url("/\(number).mp3"))])))
      feeds.append("pod\(number)")
    }
    server.feed("/news", ["n"], title: "News")
    let bgfetch = try BuiltProgram()
    let log = try bgfetch.eventLog()
    try bgfetch.configure(
      """
      documents: HOME/documents
      defaults: {first-run: all}
      feeds:
      \(feeds.map { "  \($0): {url: \"\(server.url("/" + $0))\", download: {}}" }.joined(separator: "\n"))
        news: "\(server.url("/news"))"
      hooks: {log: {events: [notification, asset-placed], stdin: json, run: [\(log)]\(hook)}}
      """)

    let run = try bgfetch.started(["run"])
    for number in 0..<podcasts {
      gates[number].open()
      let isPlaced = await eventually {
        bgfetch.json(of: "events").count { $0["event"] as? String == "asset-placed" } > number
      }
      #expect(isPlaced)
    }
    let ended = await run.ended()

    #expect(ended.status == 0, "\(ended.errors)")
    return bgfetch.json(of: "events").filter { $0["event"] as? String == "notification" }
  }

  private func counts(_ messages: [[String: Any]]) -> [Int] { messages.compactMap { $0["count"] as? Int } }

  @Test func `the message of a run is one, which waits for all files`() async throws {
    let messages = try await messages(podcasts: 3, hook: ", group: run")

    #expect(counts(messages) == [4])
  }

  @Test func `the limit of a hook holds for messages that waited for files`() async throws {
    let messages = try await messages(podcasts: 6, hook: ", limit: 2")

    // The feed without files is one of the first two.
    #expect(counts(messages) == [1, 1, 5])
  }
}

// The program with a podcast, and the conditions that hold after every download, whatever the server does.
//
// The tests of this folder hold the rules of transfers.

import Foundation
import TestKit
import Testing

/// One episode of a podcast: an item with one enclosure.
struct Episode: Sendable {
  var id: String
  /// The title, by default made from the id.
  var title: String?
  /// The address of the enclosure.
  var url: String
  /// The type of the enclosure in the document.
  var type = "audio/mpeg"
  /// The length of the enclosure in the document.
  var length: Int?
  /// The day of publication in October 2026.
  var day = 1
}

/// An RSS document with these episodes.
func podcast(_ episodes: [Episode]) -> String {
  func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: "\"", with: "&quot;")
  }
  let items = episodes.map { episode in
    let day = episode.day < 10 ? "0\(episode.day)" : "\(episode.day)"
    let length = episode.length.map { " length=\"\($0)\"" } ?? ""
    return "<item><guid isPermaLink=\"false\">\(escaped(episode.id))</guid>"
      + "<title>\(escaped(episode.title ?? "Title of \(episode.id)"))</title>"
      + "<link>https://planet.example/\(episode.day)/\(abs(episode.id.hashValue))</link>"
      + "<pubDate>\(day) Oct 2026 10:00:00 GMT</pubDate>"
      + "<enclosure url=\"\(escaped(episode.url))\" type=\"\(episode.type)\"\(length)/></item>"
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?><rss version=\"2.0\"><channel><title>Planet</title>"
    + "<link>https://planet.example/</link>" + items.joined() + "</channel></rss>"
}

/// The program with one podcast, `planet`, on a server of its own.
struct DownloadProgram {
  let server: ScriptedServer
  let bgfetch: BuiltProgram
  private let episodes: [Episode]

  /// Serves a podcast with one episode per file, the first one the newest, each file at the path of its name.
  ///
  /// `download` and `network` are YAML keys of the feed's `download` and of `network`. Timeouts are long by default, for busy
  /// machines.
  init(_ files: KeyValuePairs<String, AssetFile>, download: String = "", network: String = "") throws {
    let server = try ScriptedServer()
    self.server = server
    bgfetch = try BuiltProgram()
    episodes = Self.episodes(files, on: server, from: 28)
    serve(episodes)
    try configure(download: download, network: network)
  }

  /// Serves these files, and returns an episode for each, the first one on this day.
  private static func episodes(
    _ files: KeyValuePairs<String, AssetFile>, on server: ScriptedServer, from day: Int
  ) -> [Episode] {
    files.enumerated().map { place, file in
      server.serve(file.value, at: "/" + file.key)
      return Episode(id: file.key, url: server.url("/" + file.key), day: day - place)
    }
  }

  /// Serves these episodes.
  func serve(_ episodes: [Episode]) {
    let document = podcast(episodes)
    server.on("/feed", .document(document, etag: "\"\(document.hashValue)\""))
  }

  /// Serves up to two further files, as the newest episodes.
  func add(_ files: KeyValuePairs<String, AssetFile>) {
    serve(Self.episodes(files, on: server, from: 30) + episodes)
  }

  /// Replaces the configuration.
  func configure(download: String = "", network: String = "", freeSpace: String = "1KiB") throws {
    try write(
      feeds: "  planet: {url: \"\(server.url("/feed"))\", download: {\(download)}}\n", network: network,
      freeSpace: freeSpace)
  }

  /// Replaces the configuration, with feeds as lines of YAML.
  func write(feeds: String, network: String = "", freeSpace: String = "1KiB") throws {
    let hook = try bgfetch.eventLog()
    let more = network.isEmpty ? "" : ", " + network
    try bgfetch.configure(
      """
      documents: HOME/documents
      free-space: \(freeSpace)
      budget: none
      network: {timeout: 1h\(more)}
      defaults: {first-run: all}
      hooks:
        log:
          events: [asset-placed, transfer-failed, auth-required, session-finished, notification]
          run: ["\(hook)"]
      feeds:
      \(feeds)
      """)
  }

  // MARK: Running

  /// Runs the program until it ends, at the given time if there is one.
  @discardableResult
  func run(
    at hours: Int = 0, _ arguments: String..., status: Int32? = nil, errors: String? = nil,
    location: SourceLocation = #_sourceLocation
  ) async throws -> Invoked {
    try await bgfetch(
      ["run", "--json"] + arguments, at: moment(hours: hours), status: status, errors: errors,
      location: location)
  }

  func started(at hours: Int = 0, _ arguments: [String] = []) throws -> RunningProgram {
    try bgfetch.started(["run", "--json"] + arguments, at: moment(hours: hours))
  }

  /// The output of `transfers list`.
  func transfers(at hours: Int = 0) async throws -> [[String: Any]] {
    let listed = try await bgfetch("transfers", "list", "--json", at: moment(hours: hours), status: 0)
    return listed.json
  }

  /// The transfers that are not finished.
  func unsettled(at hours: Int = 0) async throws -> [[String: Any]] {
    try await transfers(at: hours).filter { transfer in
      ["queued", "running", "suspended"].contains(transfer["status"] as? String)
    }
  }

  /// Runs every six hours, for ten days at most, until nothing is left to download.
  @discardableResult
  func settle(from first: Int = 0) async throws -> [Invoked] {
    var runs: [Invoked] = []
    for hours in stride(from: first, to: first + 240, by: 6) {
      runs.append(try await run(at: hours))
      if try await unsettled(at: hours).isEmpty { return runs }
    }
    Issue.record("not settled: \(try await unsettled(at: first + 240))")
    return runs
  }

  // MARK: Results

  /// The documents directory.
  var documents: String { bgfetch.home.file("documents") }

  /// The paths of the placed files below the documents directory, in order.
  var placed: [String] { Self.files(below: documents).filter { !$0.hasPrefix(".bgfetch/") } }

  /// The partial files.
  var leftovers: [String] { Self.files(below: documents + "/.bgfetch") }

  /// All regular files and links below a directory.
  static func files(below directory: String) -> [String] {
    let all = (try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? []
    return all.filter { path in
      let kind = try? FileManager.default.attributesOfItem(atPath: directory + "/" + path)[.type]
      return kind as? FileAttributeType != .typeDirectory
    }.sorted()
  }

  /// The bytes of a placed file.
  func bytes(_ name: String) throws -> [UInt8] { try readFile(documents + "/" + name) }

  /// The delivered events, in order.
  var events: [[String: Any]] { bgfetch.json(of: "events") }

  /// The number of delivered events of a kind.
  func count(of event: String) -> Int { events.filter { $0["event"] as? String == event }.count }

  // MARK: Expectations

  /// Expects that each placed file is a whole served file, none is there twice, no partial file is left, each transfer has
  /// one event, and each session one event at its end.
  func expectSettled(_ wholes: [FileContent], sessions: Int = 1, failed: Int = 0) throws {
    var missing = wholes
    for name in placed {
      let bytes = try bytes(name)
      let place = missing.firstIndex { $0.isWhole(bytes) }
      #expect(place != nil, "\(name), \(bytes.count) bytes, is none of the files")
      if let place { missing.remove(at: place) }
    }
    #expect(missing.isEmpty, "not placed: \(missing)")
    #expect(leftovers == [])
    let told = events.compactMap { $0["event"] as? String }.filter { $0 != "notification" }
    #expect(told.filter { $0 == "asset-placed" }.count == wholes.count, "\(bgfetch.text(of: "events"))")
    #expect(told.filter { $0 == "transfer-failed" }.count == failed)
    #expect(told.filter { $0 == "session-finished" }.count == sessions)
    #expect(told.last == "session-finished")
    for event in events where event["event"] as? String == "transfer-failed" {
      #expect((event["reason"] as? String)?.isEmpty == false, "\(event)")
    }
    expectPoliteRanges()
  }

  /// Expects range requests only with strong validators, without content coding, and by GET.
  func expectPoliteRanges() {
    for request in server.requests {
      #expect(request.method == "GET")
      guard let range = request["Range"] else { continue }
      let condition = request["If-Range"]
      #expect(condition != nil, "\(range), \(condition ?? "no If-Range")")
      #expect(condition?.hasPrefix("W/") == false, "\(range), \(condition ?? "no If-Range")")
      #expect(request["Accept-Encoding"] == nil || request["Accept-Encoding"] == "identity")
    }
  }
}

extension [Invoked] {
  /// The JSON objects of a type, from all runs.
  func lines(_ type: String) -> [[String: Any]] {
    flatMap(\.json).filter { $0["type"] as? String == type }
  }
}

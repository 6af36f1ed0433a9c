// The built program with a podcast to download, and what every download must end in, whatever the server does.
//
// The tests of this folder are checks 47 to 51 of those that a perfect client passes, and the promises about transfers.

import Foundation
import TestKit
import Testing

/// One episode of a podcast: an item with one enclosure.
struct Episode: Sendable {
  /// Its guid.
  var id: String
  /// Its title; nil is made of its id.
  var title: String?
  /// Where the enclosure is.
  var url: String
  /// The enclosure's type as the document has it.
  var type = "audio/mpeg"
  /// The enclosure's length as the document has it.
  var length: Int?
  /// The day of October 2026 on which it was published.
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
  /// What is served, by the last part of its path.
  let files: [String: AssetFile]

  /// A podcast with one episode for each file, the first one the newest; each file is at the path of its name.
  ///
  /// `download` are the keys of that map, as YAML has them in braces, `keys` more of the feed, `network` those of that map
  /// beside those that keep limits of time out of tests, `settings` lines of YAML.
  init(
    _ files: KeyValuePairs<String, AssetFile>, download: String = "", keys: String = "", network: String = "",
    settings: String = ""
  ) throws {
    server = try ScriptedServer()
    bgfetch = try BuiltProgram()
    self.files = Dictionary(uniqueKeysWithValues: files.map { ($0.key, $0.value) })
    for (name, file) in files { server.serve(file, at: "/" + name) }
    serve(
      files.enumerated().map { place, file in
        Episode(id: file.key, url: server.url("/" + file.key), day: 28 - place)
      })
    try configure(download: download, keys: keys, network: network, settings: settings)
  }

  /// Serves these episodes from now on.
  func serve(_ episodes: [Episode]) {
    let document = podcast(episodes)
    server.on("/feed", .document(document, etag: "\"\(document.hashValue)\""))
  }

  /// Writes the configuration anew.
  func configure(
    download: String = "", keys: String = "", network: String = "", settings: String = "",
    freeSpace: String = "1KiB"
  ) throws {
    try write(
      feeds:
        "  planet: {url: \"\(server.url("/feed"))\", download: {\(download)}\(keys.isEmpty ? "" : ", ")\(keys)}\n",
      network: network, settings: settings, freeSpace: freeSpace)
  }

  /// Writes the configuration anew with other feeds, as lines of YAML.
  func write(
    feeds: String, network: String = "", settings: String = "", freeSpace: String = "1KiB"
  ) throws {
    // What a hook hears is one line of JSON each.
    let hook = try bgfetch.script(
      "log", "line=$(tr -d '\\n'); printf '%s\\n' \"$line\" >> \"$HOME/events\"")
    let more = network.isEmpty ? "" : ", " + network
    let stall = network.contains("stall") ? "" : ", stall: {for: 1h}"
    let perHost = network.contains("connections-per-host") ? "" : ", connections-per-host: 4"
    try bgfetch.configure(
      """
      documents: HOME/documents
      free-space: \(freeSpace)
      budget: none
      network: {timeout: 1h\(stall)\(perHost)\(more)}
      \(settings)
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

  /// The moment so many hours after the first run.
  static func moment(_ hours: Int) -> String {
    Date(timeIntervalSince1970: 1_793_613_600 + Double(hours) * 3600).formatted(.iso8601)
  }

  /// Runs it to its end.
  @discardableResult
  func run(at hours: Int = 0, _ arguments: String...) async throws -> Invoked {
    try await started(at: hours, arguments).ended()
  }

  /// Starts a run.
  func started(at hours: Int = 0, _ arguments: [String] = []) throws -> RunningProgram {
    try bgfetch.started(
      ["run", "--json"] + arguments, environment: ["BGFETCH_NOW": Self.moment(hours)])
  }

  /// What `transfers list` says.
  func transfers(at hours: Int = 0) async throws -> [[String: Any]] {
    let listed = try await bgfetch(
      "transfers", "list", "--json", environment: ["BGFETCH_NOW": Self.moment(hours)])
    #expect(listed.status == 0, "\(listed.errors)")
    return listed.json
  }

  /// Those that are not settled.
  func unsettled(at hours: Int = 0) async throws -> [[String: Any]] {
    try await transfers(at: hours).filter { transfer in
      ["queued", "running", "suspended"].contains(transfer["status"] as? String)
    }
  }

  /// Runs it every six hours until nothing is left to download; gives what all the runs printed.
  ///
  /// More than a week: what has not ended by then never does.
  @discardableResult
  func settle(from first: Int = 0, everyHours step: Int = 6) async throws -> [Invoked] {
    var runs: [Invoked] = []
    for hours in stride(from: first, to: first + 240, by: step) {
      runs.append(try await run(at: hours))
      if try await unsettled(at: hours).isEmpty { return runs }
    }
    Issue.record("not settled: \(try await unsettled(at: first + 240))")
    return runs
  }

  // MARK: What is there

  /// The documents directory.
  var documents: String { bgfetch.home.file("documents") }

  /// The placed files: paths below the documents directory, in order.
  var placed: [String] { Self.files(below: documents).filter { !$0.hasPrefix(".bgfetch/") } }

  /// What lies in the directory for partial files.
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

  /// The events that hooks heard, in order.
  var events: [[String: Any]] {
    bgfetch.text(of: "events").split(separator: "\n").compactMap { line in
      try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    }
  }

  /// How often hooks heard of an event.
  func count(of event: String) -> Int { events.filter { $0["event"] as? String == event }.count }

  /// The bodies of the messages that hooks heard, in order.
  var told: [String] {
    events.filter { $0["event"] as? String == "notification" }.compactMap { $0["body"] as? String }
  }

  // MARK: What must be true

  /// Expects that every placed file is the whole of something that was served, none is there twice, nothing temporary is
  /// left, and the hooks heard once of every transfer and once of each session, at last.
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
    #expect(told.filter { $0 == "asset-placed" }.count == wholes.count)
    #expect(told.filter { $0 == "transfer-failed" }.count == failed)
    #expect(told.filter { $0 == "session-finished" }.count == sessions)
    #expect(told.last == "session-finished")
    for event in events where event["event"] as? String == "transfer-failed" {
      #expect((event["reason"] as? String)?.isEmpty == false, "\(event)")
    }
    expectPoliteRanges()
  }

  /// Expects that downloads asked for ranges under strong validators only, for plain bytes, and by GET.
  func expectPoliteRanges() {
    for request in server.requests {
      #expect(request.method == "GET")
      guard let range = request["Range"] else { continue }
      let condition = request["If-Range"]
      #expect(
        condition != nil && condition?.hasPrefix("W/") == false, "\(range), \(condition ?? "no If-Range")")
      #expect(request["Accept-Encoding"] == nil || request["Accept-Encoding"] == "identity")
    }
  }
}

extension [Invoked] {
  /// The JSON objects of a type that all of these runs printed.
  func lines(_ type: String) -> [[String: Any]] {
    flatMap(\.json).filter { $0["type"] as? String == type }
  }
}

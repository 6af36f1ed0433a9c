// The cases: the work of bgfetch in each, and the program that does the same work beside it.

import Foundation

enum Case: String, CaseIterable {
  case idle, unchanged, new, parts, large, many
}

/// The costs of both programs, round by round.
struct BenchResult {
  var title: String
  var floor: String
  var own: [Cost]
  var others: [Cost]

  func ratio(_ value: (Cost) -> Double) -> Double { median(zip(own, others).map { value($0) / value($1) }) }
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  guard !sorted.isEmpty else { return .nan }
  return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}

struct Bench {
  let program: String
  let site: Site
  let folder: URL
  let rounds: Int

  func measure(_ wanted: Case) throws -> BenchResult {
    switch wanted {
    case .idle: try idle()
    case .unchanged: try unchanged()
    case .new: try new()
    case .parts: try parts()
    case .large: try large()
    case .many: try many()
    }
  }

  private func idle() throws -> BenchResult {
    let home = try configured("idle", interval: "1h", feeds: (0..<site.feeds).map(site.url))
    try run(home)
    return try rounds(
      "nothing due, \(site.feeds) feeds", "curl --version", times: rounds * 10, own: { try run(home) },
      other: { try cost(["/usr/bin/curl", "--version"], home) })
  }

  private func unchanged() throws -> BenchResult {
    let home = try configured("unchanged", interval: "every-run", feeds: (0..<site.feeds).map(site.url))
    try run(home)
    let list = try curlList("unchanged-curl") { number in
      ["etag-compare = \"e\(number)\"", "etag-save = \"e\(number)\""]
    }
    try curl(list)
    return try rounds(
      "\(site.feeds) feeds unchanged", "curl --parallel with etag files", own: { try run(home) },
      other: { try curl(list) })
  }

  private func new() throws -> BenchResult {
    let feeds = (0..<site.feeds).map(site.url)
    let list = try curlList("new-curl") { number in ["etag-save = \"e\(number)\""] }
    try curl(list)
    var number = 0
    return try rounds(
      "\(site.feeds) feeds, all new", "curl --parallel --compressed over existing files",
      own: {
        number += 1
        return try run(try configured("new-\(number)", interval: "1h", feeds: feeds))
      },
      other: { try curl(list) })
  }

  private func parts() throws -> BenchResult {
    let feed = try site.addPodcast(parts: 500)
    var number = 0
    return try rounds(
      "500 files of 1 MiB", "curl --parallel, sync, openssl dgst -sha256",
      own: {
        number += 1
        return try run(try configured("parts-\(number)", interval: "1h", feeds: [feed], downloads: true))
      },
      other: {
        let home = folder.appending(path: "parts-curl-\(number)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        let lines = (0..<500).map { "url = \"\(site.part($0))\"\noutput = \"\($0)\"" }
        try Data(lines.joined(separator: "\n").utf8).write(to: home.appending(path: "list"))
        return try shell(
          "curl -s --parallel --parallel-max 16 -K list && sync -d [0-9]* && openssl dgst -sha256 [0-9]*",
          home)
      })
  }

  private func large() throws -> BenchResult {
    var number = 0
    return try rounds(
      "one file of 1 GiB", "curl, sync, openssl dgst -sha256",
      own: {
        number += 1
        let home = try configured("large-\(number)", interval: "1h", feeds: [site.large], kind: "asset")
        defer { try? FileManager.default.removeItem(at: home) }
        return try run(home)
      },
      other: {
        let home = folder.appending(path: "large-curl")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        return try shell("curl -s -o 0 \(site.large) && sync -d 0 && openssl dgst -sha256 0", home)
      })
  }

  /// A run of ten feeds among 100,000, beside one in which only they are configured.
  private func many() throws -> BenchResult {
    let ten = (0..<min(10, site.feeds)).map(site.url)
    let small = try configured("ten", interval: "every-run", feeds: ten)
    let large = try configured(
      "many", interval: "every-run", feeds: ten, others: 99_990)
    // The first runs record when each feed is due; that is done again only after an edit, or a day.
    for home in [small, large] { for _ in 0..<3 { try run(home) } }
    return try rounds(
      "10 feeds due among 100,000", "the same with these 10 alone", own: { try run(large) },
      other: { try run(small) })
  }

  // MARK: Steps

  private func rounds(
    _ title: String, _ floor: String, times: Int? = nil, own: () throws -> Cost, other: () throws -> Cost
  ) throws -> BenchResult {
    var result = BenchResult(title: title, floor: floor, own: [], others: [])
    for _ in 0..<(times ?? rounds) {
      result.own.append(try own())
      result.others.append(try other())
    }
    return result
  }

  /// A home directory with a configuration, and as many others in the catalog, never due.
  private func configured(
    _ name: String, interval: String, feeds: [String], others: Int = 0, kind: String = "feed",
    downloads: Bool = false
  ) throws -> URL {
    let home = folder.appending(path: name)
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    var text = """
      state: state
      documents: documents
      badge: badge
      network: {connections: 16}
      defaults: {minimum-interval: \(interval), first-run: all, kind: \(kind)\(downloads ? ", download: {}" : "")}
      catalog: {never: {minimum-interval: never}}
      feeds:

      """
    for (number, feed) in feeds.enumerated() { text += "  f\(number): \(feed)\n" }
    try Data(text.utf8).write(to: home.appending(path: "bgfetch.yaml"))
    guard others > 0 else { return home }
    // Not written here: a program that is started begins with the most memory of this process.
    let line = #"{"name": "o&", "url": "https://feed&.example/", "tags": ["never"]}"#
    try shell("seq \(others) | sed 's#.*#\(line)#' >list.jsonl", home)
    try cost([program, "fleet", "import", "list.jsonl", "--config", "bgfetch.yaml"], home)
    return home
  }

  @discardableResult private func run(_ home: URL) throws -> Cost {
    try cost([program, "run", "-q", "--config", "bgfetch.yaml"], home)
  }

  /// A folder with a list for `curl -K`; the lines are added to each address.
  private func curlList(_ name: String, _ lines: (Int) -> [String]) throws -> URL {
    let home = folder.appending(path: name)
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    let list = (0..<site.feeds).map { number in
      (["compressed", "url = \"\(site.url(number))\"", "output = \"o\(number)\""] + lines(number))
        .joined(separator: "\n")
    }
    try Data(list.joined(separator: "\nnext\n").utf8).write(to: home.appending(path: "list"))
    return home
  }

  @discardableResult private func curl(_ home: URL) throws -> Cost {
    try cost(["/usr/bin/curl", "--parallel", "--parallel-max", "16", "-K", "list"], home)
  }

  @discardableResult private func shell(_ line: String, _ home: URL) throws -> Cost {
    try cost(["/bin/sh", "-c", line], home)
  }
}

// A configuration with very many feeds: commands read the feeds that they need, and runs look at those that may be due.
// Otherwise their results are the same as with few feeds.

import Foundation
import TestKit
import Testing

@Suite struct LargeConfigurationTests {
  /// A configuration of many feeds in two files, all of one document, whose lines a test changes.
  private struct World {
    let program: BuiltProgram
    var lines: [String] = []

    init(_ count: Int = 700, intervals: [String] = ["20m", "1h", "every-run", "never"]) throws {
      program = try BuiltProgram()
      _ = try program.home.write(rss([("1", "One"), ("2", "Two")]), to: "feed.xml")
      for number in 0..<count {
        let interval = intervals[number % intervals.count]
        lines.append("  feed-\(number): {url: \"file:HOME/feed.xml\", minimum-interval: \(interval)}")
      }
      try write()
    }

    /// Replaces the configuration by a new file, long enough ago for an index.
    func write() throws {
      let more = lines.dropFirst(100).joined(separator: "\n").replacingOccurrences(
        of: "HOME", with: program.home.path)
      chmod(try program.home.write("feeds:\n\(more)\n", to: "more.yaml"), 0o600)
      try program.configure(
        "include: [more.yaml]\ndefaults:\n  tags: [all]\nfeeds:\n"
          + lines.prefix(100).joined(separator: "\n") + "\n")
    }

    /// The output of a command, by an index if there is one.
    func output(_ arguments: String..., at time: String) async throws -> String {
      try await program(arguments, at: time).output
    }

    /// The output of a command without any index.
    func plainOutput(_ arguments: String..., at time: String) async throws -> String {
      try await program(arguments, at: time, environment: ["XDG_CACHE_HOME": program.home.file("none")])
        .output
    }

    var index: String? {
      let names = try? FileManager.default.contentsOfDirectory(atPath: program.home.file(".cache/bgfetch"))
      return names?.first { $0.hasPrefix("feeds-") }.map { program.home.file(".cache/bgfetch/\($0)") }
    }

    /// Runs until there is an index of the configuration as it is, which one written just now does not get.
    func index(at time: String) async throws {
      let former = index.flatMap { try? Data(contentsOf: URL(fileURLWithPath: $0)) }
      for _ in 0..<100 {
        _ = try await program("run", "-q", at: time)
        if let index, try Data(contentsOf: URL(fileURLWithPath: index)) != former { return }
      }
      Issue.record("no new index was left")
    }

    /// The feeds that a run fetches.
    func fetched(at time: String) async throws -> Set<String> { Set(try await fetches(at: time)) }

    /// The feeds of a run's fetches.
    func fetches(at time: String) async throws -> [String] {
      let lines = try await program("run", "--json", at: time).json
      return lines.filter { $0["type"] as? String == "fetch" }.compactMap { $0["feed"] as? String }
    }

    /// The feeds that are due by looking at all of them.
    func due(at time: String) async throws -> Set<String> {
      let lines = try await program("run", "--dry-run", "--json", at: time).json
      return Set(lines.filter { $0["due"] as? Bool == true }.compactMap { $0["feed"] as? String })
    }
  }

  @Test func `commands about one feed say the same with and without an index`() async throws {
    let world = try World()
    try await world.index(at: moment())

    for arguments in [
      ["status", "feed-7"], ["why", "feed-3"], ["items", "feed-5"], ["status", "feed-1", "@all"],
    ] {
      let time = moment(minutes: 5)
      let environment = ["XDG_CACHE_HOME": world.program.home.file("none")]
      let indexed = try await world.program(arguments + ["--json"], at: time)
      let plain = try await world.program(arguments + ["--json"], at: time, environment: environment)
      #expect(
        indexed.output == plain.output && indexed.status == 0 && !indexed.output.isEmpty, "\(arguments)")
    }
    #expect(
      try await world.program("why", "fed-7").errors.contains("no feed is named \"fed-7\"; did you mean"))
  }

  @Test func `an index is used in a terminal as for cron, unless paths name variables`() async throws {
    for isNaming in [false, true] {
      var world = try World()
      if isNaming { world.lines[5] += " # for $USER" }
      try world.write()
      try await world.index(at: moment())
      let path = try #require(world.index)
      let before = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int

      _ = try await world.program("run", at: moment(hours: 1), environment: ["TERM": "xterm", "X": "y"])

      let after = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
      #expect((after == before) == !isNaming)
    }
  }

  @Test func `an edit is always noticed`() async throws {
    var world = try World()
    try await world.index(at: moment())

    for edit in 1...6 {
      switch edit {
      case 1: world.lines[7] = world.lines[7].replacingOccurrences(of: "never", with: "3h")
      case 2: world.lines.remove(at: 0)
      case 3: world.lines.insert("  feed-new: {url: \"file:HOME/feed.xml\", title: New}", at: 3)
      // As many bytes as before.
      case 4: world.lines[10] = world.lines[10].replacingOccurrences(of: "20m", with: "30m")
      case 5: world.lines.swapAt(20, 21)
      default: world.lines[30] += " # why"
      }
      try world.write()
      for feed in ["feed-7", "feed-new", "feed-0", "feed-11"] {
        let environment = ["XDG_CACHE_HOME": world.program.home.file("none")]
        let indexed = try await world.program("why", feed, at: moment(minutes: edit))
        let plain = try await world.program("why", feed, at: moment(minutes: edit), environment: environment)
        #expect(indexed.output == plain.output && indexed.errors == plain.errors, "edit \(edit), \(feed)")
      }
      if edit % 2 == 0 { try await world.index(at: moment(minutes: edit)) }
    }
  }

  @Test func `runs fetch what is due by looking at all feeds`() async throws {
    let world = try World()
    try await world.index(at: moment())

    // Pauses, pushes and a clock that is set back come between the runs.
    for (step, minutes) in [21, 22, 45, 61, 61, 90, 70, 130, 131, 1700, 1702].enumerated() {
      let time = moment(minutes: minutes)
      switch step {
      case 2: _ = try await world.program("pause", "feed-0", "feed-8", at: time)
      case 4: _ = try await world.program("unpause", "feed-0", at: time)
      case 5: _ = try await world.program("push", "--feed", "feed-3", at: time)
      default: break
      }
      let due = try await world.due(at: time)
      #expect(try await world.fetched(at: time) == due, "after \(minutes) minutes")
      #expect(!due.isEmpty)
    }
  }

  @Test func `a run of more feeds than are looked at together fetches each of them once`() async throws {
    let world = try World(1100, intervals: ["1h"])
    let all = Set((0..<1100).map { "feed-\($0)" })

    for (minutes, due) in [(0, all), (5, []), (120, all)] as [(Int, Set<String>)] {
      let fetches = try await world.fetches(at: moment(minutes: minutes))
      #expect(fetches.count == due.count, "after \(minutes) minutes")
      #expect(Set(fetches) == due)
    }
    _ = try await world.program("pause", "feed-1099", at: moment(minutes: 121))
    #expect(try await world.fetched(at: moment(minutes: 240)) == all.subtracting(["feed-1099"]))
  }

  @Test func `an index that somebody spoiled is not used`() async throws {
    let world = try World()
    try await world.index(at: moment())
    let path = try #require(world.index)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let plain = try await world.plainOutput("why", "feed-5", at: moment(minutes: 1))
    let expected = plain.isEmpty ? "none" : plain

    for size in [0, 10, 200, whole.count / 2, whole.count - 1] {
      try whole.prefix(size).write(to: URL(fileURLWithPath: path))
      chmod(path, 0o600)
      #expect(try await world.output("why", "feed-5", at: moment(minutes: 1)) == expected, "\(size) bytes")
    }
    try whole.write(to: URL(fileURLWithPath: path))
    // A file that others may write.
    chmod(path, 0o666)
    #expect(try await world.output("why", "feed-5", at: moment(minutes: 1)) == expected)
  }
}

// A configuration with many feeds: runs read only the feeds that may be due, with the same results as with few feeds.

import Foundation
import TestKit
import Testing

@Suite struct LargeConfigurationTests {
  /// A configuration of many feeds in two files, all of one document, whose lines a test changes.
  private struct World {
    let program: BuiltProgram
    var lines: [String] = []

    init() throws {
      program = try BuiltProgram()
      let intervals = ["20m", "1h", "every-run", "never"]
      let feed = try program.home.write(rss([("1", "One"), ("2", "Two")]), to: "feed.xml")
      lines = (0..<700).map { number in
        "  feed-\(number): {url: \"file:\(feed)\", minimum-interval: \(intervals[number % intervals.count])}"
      }
      try write()
    }

    func write() throws {
      let more = lines.dropFirst(100).joined(separator: "\n")
      try program.home.write("feeds:\n\(more)\n", to: "more.yaml")
      try program.configure(
        "include: [more.yaml]\ndefaults:\n  tags: [all]\nfeeds:\n"
          + lines.prefix(100).joined(separator: "\n") + "\n")
    }

    /// The feeds that a run fetches.
    func fetched(at time: String) async throws -> Set<String> {
      let lines = try await program("run", "--json", at: time).json
      return Set(lines.filter { $0["type"] as? String == "fetch" }.compactMap { $0["feed"] as? String })
    }

    /// The feeds that are due by looking at all of them.
    func due(at time: String) async throws -> Set<String> {
      let lines = try await program("run", "--dry-run", "--json", at: time).json
      return Set(lines.filter { $0["due"] as? Bool == true }.compactMap { $0["feed"] as? String })
    }
  }

  @Test func `runs fetch what is due by looking at all feeds`() async throws {
    var world = try World()
    try await world.program("run", "-q", at: moment())

    // Pauses, pushes, edits and a clock that is set back come between the runs.
    for (step, minutes) in [21, 22, 45, 61, 61, 90, 70, 130, 131, 1700, 1702].enumerated() {
      let time = moment(minutes: minutes)
      switch step {
      case 2: try await world.program("pause", "feed-0", "feed-8", at: time)
      case 3, 7, 10:
        world.lines[3 + step] = world.lines[3 + step].replacing("1h", with: "2h").replacing(
          "never", with: "3h")
        world.lines.swapAt(20, 21)
        try world.write()
      case 4: try await world.program("resume", "feed-0", at: time)
      case 5: try await world.program("push", "--feed", "feed-3", at: time)
      default: break
      }
      let due = try await world.due(at: time)
      #expect(try await world.fetched(at: time) == due, "after \(minutes) minutes")
      #expect(!due.isEmpty, "\(step)")
    }
  }
}

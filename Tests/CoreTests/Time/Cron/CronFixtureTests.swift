// Firings compared with other implementations, whose results Fixtures/make-cron-fixture.py wrote.

import Testing

@testable import Core

@Suite struct CronFixtureTests {
  @Test func `firings equal those of a walk by minutes, as croniter and cronsim confirm`() throws {
    var zones = ZoneShelf()
    var checked = 0
    var wrong: [String] = []
    for row in try FixtureRow.read("cron-next.txt") {
      guard let zone = try zones.named(row.zone) else { continue }
      checked += 1
      let next = try CronExpression(parsing: row.cron).next(after: row.from, in: zone)
      if next != row.expected { wrong.append("\(row.text): \(next?.rfc3339 ?? "never")") }
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(10).joined(separator: "\n"))")
    #expect(checked > 4500, "there are no zone files in \(SystemZone.directory)")
  }

  @Test func `every difference from other implementations has a reason`() throws {
    var zones = ZoneShelf()
    let rows = try FixtureRow.read("cron-differs.txt")
    #expect(Set(rows.map { $0.rest[2] }).count >= 5)
    for row in rows {
      guard let zone = try zones.named(row.zone) else { continue }
      let next = try CronExpression(parsing: row.cron).next(after: row.from, in: zone)
      #expect(next == row.expected, "\(row.text)")
      #expect(next?.rfc3339 != row.rest[1], "\(row.text)")
    }
  }

  @Test func `nearly every row of the fixture has a witness`() throws {
    let witnesses = try FixtureRow.read("cron-next.txt").map { $0.rest[0] }

    #expect(witnesses.count >= 4500)
    #expect(witnesses.count { $0 == "-" } * 10 < witnesses.count)
    #expect(witnesses.count { $0 == "cs" } * 2 > witnesses.count)
  }
}

/// A line of a fixture: expression, zone, the moment before, the firing, and the rest.
private struct FixtureRow {
  let text: Substring
  let cron: String
  let zone: String
  let from: Instant
  let expected: Instant
  let rest: [String]

  static func read(_ name: String, besides file: StaticString = #filePath) throws -> [FixtureRow] {
    let folder = "\(file)".split(separator: "/").dropLast(2).joined(separator: "/")
    let bytes = try #require(SystemZone.bytes(of: "/\(folder)/Fixtures/\(name)"))
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
      let cells = line.split(separator: "\t").map(String.init)
      return FixtureRow(
        text: line, cron: cells[0], zone: cells[1], from: instant(cells[2]), expected: instant(cells[3]),
        rest: Array(cells[4...]))
    }
  }
}

/// The system's zones read so far.
private struct ZoneShelf {
  private var zones: [String: Zone?] = [:]

  mutating func named(_ name: String) throws -> Zone? {
    if let zone = zones[name] { return zone }
    let zone = try SystemZone.named(name)
    zones[name] = zone
    return zone
  }
}

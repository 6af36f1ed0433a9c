// Firings held against other implementations; Fixtures/make-cron-fixture.py wrote their answers.

import Testing

@testable import Timing

@Suite struct CronFixtureTests {
  @Test func `firings are those that croniter and dateutil give`() throws {
    let rows = try FixtureRow.read("cron-next.txt")
    var checked = 0
    for row in rows {
      guard let zone = try SystemZone.named(row.zone) else { continue }
      checked += 1
      let next = try CronExpression(parsing: row.cron).next(after: row.from, in: zone)
      #expect(next?.rfc3339 == row.expected.rfc3339, "\(row.cron) in \(row.zone) after \(row.from.rfc3339)")
    }
    #expect(checked > 1000, "there are no zone files in \(SystemZone.directory)")
  }

  @Test func `where croniter follows another rule at a clock change, ours holds`() throws {
    let rows = try FixtureRow.read("cron-differs.txt")
    #expect(!rows.isEmpty)
    for row in rows {
      guard let zone = try SystemZone.named(row.zone) else { continue }
      let next = try CronExpression(parsing: row.cron).next(after: row.from, in: zone)
      #expect(
        next?.rfc3339 == row.expected.rfc3339,
        "\(row.cron) in \(row.zone): \(row.rest.joined(separator: ", "))")
    }
  }
}

/// A line of a fixture: expression, zone, the moment before, the firing, and what else there is.
private struct FixtureRow {
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
        cron: cells[0], zone: cells[1], from: instant(cells[2]), expected: instant(cells[3]),
        rest: Array(cells[4...]))
    }
  }
}

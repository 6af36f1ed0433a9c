// Zone files, well-formed and hostile.

import TestKit
import Testing

@testable import Core

@Suite struct ZoneFileTests {
  @Test func `the second block and the footer of a version 2 file are used`() throws {
    let zone = try #require(Zone(name: "made", zoneFile: ZoneFileText().bytes))

    #expect(zone.name == "made")
    #expect(zone.offset(at: instant("1899-12-31T23:59:59Z")) == 3208)
    #expect(zone.offset(at: instant("1900-01-01T00:00:00Z")) == 3600)
    #expect(zone.offset(at: instant("2026-07-01T00:00:00Z")) == 7200)
  }

  @Test(arguments: [UInt8(ascii: "2"), UInt8(ascii: "3"), UInt8(ascii: "4"), UInt8(ascii: "5")])
  func `later versions are read like version 4, without transitions or footer by what is left`(version: UInt8)
    throws
  {
    func offset(_ file: ZoneFileText, _ moment: String) throws -> Int {
      try #require(Zone(name: "made", zoneFile: file.bytes)).offset(at: instant(moment))
    }

    #expect(try offset(ZoneFileText(version: version), "2026-07-01T00:00:00Z") == 7200)
    #expect(
      try offset(ZoneFileText(version: version, transitions: [], types: [0]), "1950-01-01T00:00:00Z") == 3600)
    #expect(try offset(ZoneFileText(version: version, footer: ""), "2026-07-01T00:00:00Z") == 3600)
  }

  @Test func `the footer begins at the last transition and not before`() throws {
    let last = instant("2026-05-01T00:00:00Z").secondsSince1970
    let file = ZoneFileText(transitions: [(0, 1), (last, 2)], types: [3208, 3600, 7200])
    let zone = try #require(Zone(name: "made", zoneFile: file.bytes))
    let period = zone.period(containing: last + 1)

    #expect(period.start == last)
    #expect(period.gapBefore == 3600)
  }

  static let wrong: [(what: String, file: ZoneFileText)] = [
    ("transitions that do not ascend", ZoneFileText(transitions: [(5, 1), (5, 1)])),
    ("a type that does not exist", ZoneFileText(transitions: [(5, 9)])),
    ("no local time type", ZoneFileText(transitions: [], types: [])),
    ("an offset of 26 hours", ZoneFileText(types: [3208, 93_600])),
    ("an offset out of range", ZoneFileText(types: [3208, Int32.min])),
    ("a transition out of reach", ZoneFileText(transitions: [(Int64.max, 1)])),
    ("a footer that is no rule", ZoneFileText(footer: "Europe/Berlin")),
    ("leap seconds", ZoneFileText(leapSeconds: 1)), ("version 1", ZoneFileText(version: 0)),
  ]

  @Test(arguments: wrong.rows)
  func `a file that contradicts itself is refused`(_ row: TableRow) {
    let (what, file) = Self.wrong[row.index]

    #expect(Zone(name: "made", zoneFile: file.bytes) == nil, "\(what)")
  }

  @Test func `other files, and files that are cut anywhere or count billions, are refused`() {
    let bytes = ZoneFileText().bytes
    var huge = bytes
    for index in 20..<44 { huge[index] = 0xFF }

    for other in [[], Array("<html>".utf8)] {
      #expect(Zone(name: "made", zoneFile: other) == nil)
    }
    for count in 0..<bytes.count {
      #expect(Zone(name: "cut", zoneFile: Array(bytes[..<count])) == nil, "\(count)")
    }
    #expect(Zone(name: "huge", zoneFile: huge) == nil)
  }

  @Test func `a transition before the first moment does no harm`() throws {
    let file = ZoneFileText(transitions: [(Int64.min, 0), (-2_208_988_800, 1)])
    let zone = try #require(Zone(name: "made", zoneFile: file.bytes))

    #expect(zone.offset(at: Instant(secondsSince1970: .min)) == 3208)
    #expect(
      try CronExpression(parsing: "0 0 1 1 *").next(after: instant("0001-01-01T00:00:00Z"), in: zone)
        != nil)
  }

  @Test func `bytes changed at random neither crash nor hang`() throws {
    var random = SeededNumbers(state: 3)
    let good = ZoneFileText().bytes
    let cron = try CronExpression(parsing: "30 2 * * *")
    for _ in 0..<5000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: 4..<bytes.count, using: &random)] = UInt8.random(
          in: .min ... .max, using: &random)
      }
      guard let zone = Zone(name: "changed", zoneFile: bytes) else { continue }
      let moment = Instant(secondsSince1970: Int64.random(in: .min ... .max, using: &random) >> 20)

      #expect(abs(zone.offset(at: moment)) < 26 * 3600)
      if let next = cron.next(after: moment, in: zone) { #expect(next > moment) }
    }
  }
}

/// The parts of a zone file, to assemble valid and broken files.
struct ZoneFileText: Sendable {
  var version = UInt8(ascii: "2")
  var transitions: [(at: Int64, type: UInt8)] = [(-2_208_988_800, 1)]
  var types: [Int32] = [3208, 3600]
  var leapSeconds: UInt32 = 0
  var footer = "CET-1CEST,M3.5.0,M10.5.0/3"

  /// A whole file of version 2 or later; its first block is one that must be skipped, with another offset.
  var bytes: [UInt8] {
    ZoneFileText(version: version, transitions: [(0, 0)], types: [-36_000]).block(timeSize: 4)
      + block(timeSize: 8) + Array("\n\(footer)\n".utf8)
  }

  /// One header with its data block.
  func block(timeSize: Int) -> [UInt8] {
    let abbreviations = Array("LMT\0".utf8)
    var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
    for count in [0, 0, Int(leapSeconds), transitions.count, types.count, abbreviations.count] {
      bytes += Self.bigEndian(Int64(count)).suffix(4)
    }
    for transition in transitions { bytes += Self.bigEndian(transition.at).suffix(timeSize) }
    bytes += transitions.map(\.type)
    for offset in types { bytes += Self.bigEndian(Int64(offset)).suffix(4) + [0, 0] }
    bytes += abbreviations
    bytes += [UInt8](repeating: 0, count: Int(leapSeconds) * (timeSize + 4))
    return bytes
  }

  private static func bigEndian(_ number: Int64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
  }
}

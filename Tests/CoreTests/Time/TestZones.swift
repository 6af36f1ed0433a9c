// Zones for tests: some by rules, others from the system's files, which may be missing.

import TestKit
import Testing

@testable import Core

/// Zones from rules, which need no zone file.
enum TestZone {
  static let berlin = rule("CET-1CEST,M3.5.0,M10.5.0/3")
  static let newYork = rule("EST5EDT,M3.2.0,M11.1.0")
  /// Winter is the daylight saving time, with less offset than the standard one.
  static let dublin = rule("IST-1GMT0,M10.5.0,M3.5.0/1")
  /// Clocks change by half an hour.
  static let lordHowe = rule("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0")
  /// Clocks change by two hours.
  static let troll = rule("<+00>0<+02>-2,M3.5.0/1,M10.5.0/3")
  /// Clocks changed at midnight, as in São Paulo until 2018: 00:00 did not exist, and 23:00 came twice.
  static let saoPaulo = rule("<-03>3<-02>,M11.1.0/0,M2.3.0/0")
  /// Apia had no 30 December 2011.
  static let apia = Zone(
    name: "Apia", initialOffset: -10 * 3600,
    transitions: [.init(at: instant("2011-12-30T10:00:00Z"), offset: 14 * 3600)], footer: nil)
  /// Four changes in one spring, as Casablanca had around Ramadan.
  static let casablanca = Zone(
    name: "Casablanca", initialOffset: 0,
    transitions: [
      .init(at: instant("2014-03-30T02:00:00Z"), offset: 3600),
      .init(at: instant("2014-06-28T02:00:00Z"), offset: 0),
      .init(at: instant("2014-08-02T02:00:00Z"), offset: 3600),
      .init(at: instant("2014-10-26T02:00:00Z"), offset: 0),
    ], footer: nil)

  private static func rule(_ text: String) -> Zone { Zone(name: text, posix: text) ?? .utc }
}

/// A moment from RFC 3339 text; the year 9999 if the text is wrong, which no test expects.
func instant(_ text: String) -> Instant {
  Instant(rfc3339: text) ?? Instant(secondsSince1970: 253_402_300_799)
}

/// Zones from the system's files.
enum SystemZone {
  static let directory = "/usr/share/zoneinfo/"

  /// The zone with a name; nil if there is no such file.
  static func named(_ name: String) throws -> Zone? {
    guard let bytes = bytes(of: directory + name) else { return nil }
    let zone = try #require(Zone(name: name, zoneFile: bytes))
    return zone
  }

  /// All zones that differ since 1970, as the system's table lists them.
  static var names: [String] {
    guard let table = bytes(of: directory + "zone1970.tab") else { return [] }
    return String(decoding: table, as: UTF8.self).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
      .compactMap { $0.split(separator: "\t").dropFirst(2).first.map(String.init) }
  }

  /// The bytes of a file, or nil if it is missing.
  static func bytes(of path: String) -> [UInt8]? { try? readFile(path) }
}

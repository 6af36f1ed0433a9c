// How zones are found by name, by TZ and by the system's setting.

import Core
import Glibc
import Testing

@testable import Machine

/// Finding zones in a directory of the test's own, so that the machine's zones do not matter.
@Suite struct SystemZoneTests {
  let directory = TestDirectory()

  init() {
    mkdir(directory("zoneinfo"), 0o700)
    mkdir(directory("zoneinfo/Test"), 0o700)
    directory.file("zoneinfo/Test/East", zoneFile(offset: 7200, rule: "TST-2"))
    directory.file("zoneinfo/Test/Broken", "TZif")
  }

  private func zones(_ environment: [String: String] = [:]) -> SystemZone {
    SystemZone(
      environment: environment.merging(["TZDIR": directory("zoneinfo")]) { $1 },
      localtime: directory("localtime"))
  }

  private func offset(_ zone: Zone) -> Int { zone.offset(at: Instant(secondsSince1970: 0)) }

  @Test func `a zone is found by its name`() throws {
    let zone = try zones().zone(named: "Test/East")

    #expect(zone.name == "Test/East")
    #expect(offset(zone) == 7200)
    #expect(zones().isZone("Test/East"))
  }

  @Test(arguments: [
    "", "Test", "Test/None", "../zoneinfo/Test/East", "Test/../Test/East", "/etc/localtime", "Test//East",
    "TST-2",
    ":Test/East", "Test/East\u{0}",
  ])
  func `other names are not zones`(name: String) {
    #expect(throws: ZoneFailure.unknown(name)) { try zones().zone(named: name) }
    #expect(!zones().isZone(name))
  }

  @Test func `a file that is not a zone file is reported with its path`() {
    #expect { try zones().zone(named: "Test/Broken") } throws: { error in
      guard case .unreadable(let path)? = error as? ZoneFailure else { return false }
      return path == directory("zoneinfo/Test/Broken")
    }
  }

  @Test func `the files that a zone depends on are known, even missing ones`() {
    let own = directory("zoneinfo/Test/East")
    let all = [own, "/usr/share/zoneinfo/Test/East", "/usr/lib/zoneinfo/Test/East"]

    #expect(zones().files(named: "Test/East") == all)
    #expect(zones(["TZ": ":Test/East"]).files(named: nil) == all)
    #expect(zones(["TZ": own]).files(named: nil) == [own])
    #expect(zones(["TZ": ""]).files(named: nil).isEmpty)
    #expect(zones().files(named: nil) == [directory("localtime")])
  }

  @Test func `universal time needs no file`() throws {
    #expect(try zones().zone(named: "UTC").name == "UTC")
  }

  /// Values of TZ, with DIR in place of the directory of zones.
  @Test(arguments: [
    ("Test/East", "Test/East", 7200), (":Test/East", "Test/East", 7200),
    (":DIR/Test/East", nil, 7200), ("EST5EDT,M3.2.0,M11.1.0", nil, -18_000), ("", "UTC", 0),
    (":", "UTC", 0), ("UTC", "UTC", 0),
  ])
  func `the system's zone is the name, path or rule in TZ, and universal time if TZ is empty`(
    value: String, name: String?, offset: Int
  ) throws {
    directory.file("localtime", zoneFile(offset: 3600, rule: "TST-1"))

    let zone = try zones(["TZ": value.replacing("DIR", with: directory("zoneinfo"))]).zone(named: nil)

    #expect(self.offset(zone) == offset)
    if let name { #expect(zone.name == name) }
  }

  @Test(arguments: ["Nowhere/Land", "/no/such/file"])
  func `an invalid TZ is reported and does not count as universal time`(value: String) {
    #expect(throws: ZoneFailure.unknown(value)) { try zones(["TZ": value]).zone(named: nil) }
  }

  @Test func `without TZ the zone is the system's, in a file or behind a link`() throws {
    directory.file("localtime", zoneFile(offset: 3600, rule: "TST-1"))
    #expect(offset(try zones().zone(named: nil)) == 3600)

    unlink(directory("localtime"))
    symlink("zoneinfo/Test/East", directory("localtime"))

    #expect(offset(try zones().zone(named: nil)) == 7200)
  }

  @Test func `a system without any setting is in universal time`() throws {
    #expect(try zones().zone(named: nil) == .utc)
  }
}

/// The smallest zone file of version 2 with one offset and its rule (RFC 9636 section 3).
private func zoneFile(offset: Int32, rule: String) -> [UInt8] {
  // Six counts: no UTC and standard marks, no leap seconds, no transitions, one type, four letters.
  let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
  let header = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + counts
  let type = withUnsafeBytes(of: offset.bigEndian) { Array($0) } + [0, 0]
  let block = header + type + Array("TST\0".utf8)
  return block + block + Array("\n\(rule)\n".utf8)
}

// Zones from the system's zone files, compared with the C library.

import Glibc
import Testing

@testable import Core

/// The C library has one zone for the whole process, set by the environment, so these tests run in their own process.
@Suite struct ZoneComparisonTests {
  @Test func `offsets from 1900 to 2100 are those of the C library in every zone`() async {
    await #expect(processExitsWith: .success) {
      let zones = try systemZones()
      #expect(zones.count > 100, "there are no zone files in \(SystemZone.directory)")
      for zone in zones {
        useInLibrary(zone)
        let mismatch = moments(worthAsking: zone).first {
          Int(fields(at: $0).tm_gmtoff) != zone.offset(at: $0)
        }
        #expect(mismatch == nil, "\(zone.name)")
      }
    }
  }

  @Test func `local times around every change since 1970 equal those of mktime`() async {
    await #expect(processExitsWith: .success) {
      let zones = try systemZones()
      #expect(zones.count > 100, "there are no zone files in \(SystemZone.directory)")
      for zone in zones {
        useInLibrary(zone)
        let mismatch = localTimes(worthAsking: zone).first { !agreesWithLibrary($0, in: zone) }
        #expect(mismatch == nil, "\(zone.name)")
      }
    }
  }

  /// From 1970 on: up to 2.36 glibc puts the changes of all earlier years into 1970 (time/tzset.c, compute_change).
  @Test func `rules without a zone file are read as the C library reads them`() async {
    await #expect(processExitsWith: .success) {
      for text in [
        "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT,M3.2.0,M11.1.0", "IST-1GMT0,M10.5.0,M3.5.0/1",
        "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
        "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "EET-2EEST,M3.4.4/50,M10.4.4/50", "NZST-12NZDT,M9.5.0,M4.1.0/3",
      ] {
        let zone = try #require(Zone(name: text, posix: text))
        useInLibrary(zone)
        let mismatch = moments(worthAsking: zone).first { moment in
          moment > instant("1971-01-01T00:00:00Z")
            && Int(fields(at: moment).tm_gmtoff) != zone.offset(at: moment)
        }
        #expect(mismatch == nil, "\(text)")
      }
    }
  }

  @Test(arguments: [
    "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia", "Asia/Kathmandu", "Antarctica/Troll",
    "Europe/Dublin", "Africa/Lagos", "America/New_York", "America/Nuuk", "Asia/Gaza", "Africa/Monrovia",
    "Etc/GMT+12", "UTC",
  ])
  func `unusual zones can be read`(name: String) throws {
    guard SystemZone.bytes(of: SystemZone.directory + name) != nil else { return }

    #expect(try SystemZone.named(name)?.name == name)
  }
}

/// The system's zones, with a few that its table does not list.
private func systemZones() throws -> [Zone] {
  try (SystemZone.names + ["UTC", "EST5EDT", "Etc/GMT+12", "Antarctica/Troll", "Africa/Lagos"])
    .compactMap(SystemZone.named)
}

private func useInLibrary(_ zone: Zone) {
  setenv("TZ", zone.name, 1)
  tzset()
}

/// Moments all over 1900 to 2100, and those next to each change.
private func moments(worthAsking zone: Zone) -> [Instant] {
  let spread = stride(from: Int64(-2_208_988_800), to: 4_102_444_800, by: 97 * 86_400 + 12_345)
  let changes = changes(of: zone, from: -2_208_988_800, to: 4_102_444_800).map(\.start)
  return (Array(spread) + changes.flatMap { [$0 - 1, $0, $0 + 1] }).map { Instant(secondsSince1970: $0) }
}

/// The periods that begin between two seconds, the latest first.
private func changes(of zone: Zone, from first: Int64, to last: Int64) -> [OffsetPeriod] {
  var changes: [OffsetPeriod] = []
  var period = zone.period(containing: last)
  while period.start > first {
    changes.append(period)
    period = zone.period(containing: period.start - 1)
  }
  return changes
}

/// Local times within two hours of each change from 1970 to 2040, every half hour, and one second off.
private func localTimes(worthAsking zone: Zone) -> [CivilTime] {
  changes(of: zone, from: 0, to: 2_208_988_800).flatMap { change in
    stride(from: Int64(-7200), through: 7200, by: 1800).flatMap { seconds in
      [seconds - 1, seconds].map { CivilTime(secondsSince1970: change.start + change.offset + $0) }
    }
  }
}

/// Whether our first moment shows the time that mktime finds, or ends the gap if it finds none.
private func agreesWithLibrary(_ civil: CivilTime, in zone: Zone) -> Bool {
  var asked = tm()
  asked.tm_year = Int32(civil.year - 1900)
  asked.tm_mon = Int32(civil.month - 1)
  asked.tm_mday = Int32(civil.day)
  asked.tm_hour = Int32(civil.hour)
  asked.tm_min = Int32(civil.minute)
  asked.tm_sec = Int32(civil.second)
  asked.tm_isdst = -1
  let found = Instant(secondsSince1970: Int64(mktime(&asked)))
  let exists = localTime(at: found) == civil
  let first = zone.firstMoment(of: civil)
  return exists
    ? first <= found && localTime(at: first) == civil
    : localTime(at: first - .seconds(1)) < civil && localTime(at: first) > civil
}

private func fields(at moment: Instant) -> tm {
  var seconds = Int(moment.secondsSince1970)
  var fields = tm()
  localtime_r(&seconds, &fields)
  return fields
}

private func localTime(at moment: Instant) -> CivilTime {
  let fields = fields(at: moment)
  return CivilTime(
    year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday),
    hour: Int(fields.tm_hour), minute: Int(fields.tm_min), second: Int(fields.tm_sec))
}

// The first moment at which clocks show a local time, or have passed it.

import Testing

@testable import Core

@Suite struct LocalMomentsTests {
  @Test(arguments: [
    // A time that comes once, and times in a gap.
    (TestZone.berlin, "2026-07-01T12:00:00Z", "2026-07-01T10:00:00Z"),
    (TestZone.berlin, "2026-03-29T02:00:00Z", "2026-03-29T01:00:00Z"),
    (TestZone.berlin, "2026-03-29T02:59:59Z", "2026-03-29T01:00:00Z"),
    (TestZone.lordHowe, "2026-10-04T02:15:00Z", "2026-10-03T15:30:00Z"),
    (TestZone.troll, "2026-03-29T01:30:00Z", "2026-03-29T01:00:00Z"),
    (TestZone.saoPaulo, "2018-11-04T00:00:00Z", "2018-11-04T03:00:00Z"),
    (TestZone.apia, "2011-12-30T12:00:00Z", "2011-12-30T10:00:00Z"),
    // Times that clocks show twice.
    (TestZone.berlin, "2026-10-25T02:00:00Z", "2026-10-25T00:00:00Z"),
    (TestZone.berlin, "2026-10-25T02:59:59Z", "2026-10-25T00:59:59Z"),
    (TestZone.dublin, "2026-10-25T01:30:00Z", "2026-10-25T00:30:00Z"),
    (TestZone.lordHowe, "2026-04-05T01:45:00Z", "2026-04-04T14:45:00Z"),
    (TestZone.saoPaulo, "2018-02-17T23:30:00Z", "2018-02-18T01:30:00Z"),
    (TestZone.casablanca, "2014-06-28T02:30:00Z", "2014-06-28T01:30:00Z"),
    // The times next to a change.
    (TestZone.berlin, "2026-03-29T01:59:59Z", "2026-03-29T00:59:59Z"),
    (TestZone.berlin, "2026-03-29T03:00:00Z", "2026-03-29T01:00:00Z"),
    (TestZone.berlin, "2026-10-25T01:59:59Z", "2026-10-24T23:59:59Z"),
    (TestZone.berlin, "2026-10-25T03:00:00Z", "2026-10-25T02:00:00Z"),
  ])
  func `a time in a gap is the end of the gap, one that clocks show twice the first one`(
    zone: Zone, local: String, moment: String
  ) {
    let civil = CivilTime(secondsSince1970: instant(local).secondsSince1970)

    #expect(zone.firstMoment(of: civil) == instant(moment))
  }
}

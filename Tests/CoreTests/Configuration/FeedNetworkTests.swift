// A feed's own network settings in decisions about it.

import Core
import Testing

@Suite struct FeedNetworkTests {
  private func feed(_ change: (inout NetworkSettings) -> Void) throws -> FeedSpec {
    var feed = FeedSpec(
      name: try #require(FeedName("planet")), url: .plain("https://planet.example/atom.xml"))
    change(&feed.network)
    return feed
  }

  @Test func `another User-Agent makes another request, as another header does`() throws {
    let plain = try feed { _ in }.plainAccess?.fingerprint

    #expect(plain != nil)
    #expect(try feed { $0.userAgent = "x" }.plainAccess?.fingerprint != plain)
    #expect(try feed { $0.proxy = .url("http://p.example:3128") }.plainAccess?.fingerprint == plain)
    #expect(try feed { $0.timeout = .seconds(5) }.plainAccess?.fingerprint == plain)
  }

  @Test func `the freshness limit is named in the reason`() throws {
    let now = Instant(secondsSince1970: 1_793_613_600)
    var state = FeedState()
    state.lastAsked = now - .hours(4)
    state.lastCounted = now - .hours(4)
    state.lastSuccess = now - .hours(4)
    state.freshness = ServerFreshness(notBefore: now + .days(6), source: "Cache-Control")
    let context = PlanningContext(now: now, zone: .utc, machine: "test")

    let cut = whyReport(try feed { $0.freshnessLimit = .hours(6) }, state, context).rows.last
    let whole = whyReport(try feed { $0.freshnessLimit = .days(30) }, state, context).rows.last

    #expect(cut?.value == "not before 2026-11-08 10:00:00")
    #expect(cut?.source == "Cache-Control; network.freshness-limit is 6h")
    #expect(cut?.allowsFrom == now + .hours(2) + .seconds(1))
    #expect(whole?.source == "Cache-Control")
  }

  @Test(arguments: [
    ("planet", true), ("pla*", true), ("?lanet", true), ("@linux", true), ("@linu", false), ("@", false),
    ("linux", false), ("@*", false), ("@Linux", false),
  ])
  func `a feed is selected by name, glob and tag`(word: String, isSelected: Bool) throws {
    var feed = try feed { _ in }
    feed.tags = ["news", "linux"]

    #expect(feed.isSelected(by: word) == isSelected)
  }
}

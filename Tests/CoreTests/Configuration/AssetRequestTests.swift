// Feeds whose document is a file: their requests.

import Core
import Testing

@Suite struct AssetRequestTests {
  @Test func `a feed that becomes a file is fetched without its old validators`() throws {
    let plain = try CoreTests.feed()
    var asset = plain
    asset.kind = .asset

    #expect(asset.requestFingerprint != plain.requestFingerprint)
    #expect(asset.plainAccess?.kind == .asset)
  }

  @Test func `a file is never shared`() throws {
    var feeds = [
      try CoreTests.feed("one"), try CoreTests.feed("two"), try CoreTests.feed("three"),
    ]
    feeds[0].kind = .asset
    feeds[1].kind = .asset
    var plan = RoundPlan()
    _ = plan.add(feeds, [:], context())

    let shared = SharedRequests(plan.due)

    #expect(plan.due.count == 3)
    #expect(!feeds.contains { shared.isWaiting($0.name) })
  }
}

// Which changes of the configuration concern transfers under way.

import Core
import Testing

@testable import bgfetch

@Suite struct TransferSettingsTests {
  private static func feed(_ kind: FeedKind = .feed, _ change: (inout FeedSpec) -> Void = { _ in }) throws
    -> FeedSpec
  {
    var feed = FeedSpec(name: try #require(FeedName("planet")), url: .plain("https://planet.example/"))
    feed.kind = kind
    change(&feed)
    return feed
  }

  private static func settings(_ feeds: [FeedSpec]) -> Settings {
    var settings = Settings(path: "/c", documents: "/d", state: "/s", badge: "/b")
    settings.feeds = feeds
    return settings
  }

  private static let times: [@Sendable (inout FeedSpec) -> Void] = [
    { $0.minimumInterval = .never },
    { $0.schedule = [try? CronExpression(parsing: "0 8 * * *")].compactMap(\.self) },
    { $0.adaptsToHabits = true },
  ]

  @Test(arguments: times.indices)
  func `when a feed is fetched is nothing to them, unless they are its fetch`(index: Int) throws {
    for (kind, isSame) in [(FeedKind.feed, true), (.asset, false)] {
      let (before, after) = (try Self.feed(kind), try Self.feed(kind, Self.times[index]))

      #expect(before != after)
      #expect((Self.settings([before]).ofTransfers == Self.settings([after]).ofTransfers) == isSame)
    }
  }

  @Test func `all else may be`() throws {
    let before = Self.settings([try Self.feed()])
    var others = [
      Self.settings([]),
      Self.settings([try Self.feed { $0.headers = [HeaderSpec(name: "A", value: .plain("b"))] }]),
    ]
    let changes: [(inout Settings) -> Void] = [
      { $0.documents = "/e" }, { $0.freeSpace = ByteCount(1) }, { $0.budget.transfers = .minutes(1) },
      { $0.timezone = "Europe/Berlin" }, { $0.network.connections += 1 },
    ]
    for change in changes {
      var other = before
      change(&other)
      others.append(other)
    }

    for other in others { #expect(before.ofTransfers != other.ofTransfers) }
  }
}

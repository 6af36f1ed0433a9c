// The fingerprint of a feed depends on every key: a stored property without an entry here fails the test.

import Core
import Testing

/// A change of one stored property, and the name of that property.
private typealias Changes = [String: (inout FeedSpec) throws -> Void]

@Suite struct FeedFingerprintTests {
  /// A feed that has every optional part.
  private func complete() throws -> FeedSpec {
    var feed = try CoreTests.feed()
    feed.sharedDownload = SharedDownload(DownloadSpec())
    feed.notify = NotifySpec()
    return feed
  }

  /// Checks that the changes cover all stored properties of a value but `ignored`, and that each is seen.
  private func expectSeen(_ value: Any, ignoring ignored: Set<String> = [], _ changes: Changes) throws {
    let properties = Set(Mirror(reflecting: value).children.compactMap(\.label))
    let before = try complete()

    #expect(properties == ignored.union(changes.keys))
    for (name, change) in changes {
      var feed = before
      try change(&feed)
      #expect(feed.fingerprint != before.fingerprint, "\(name)")
    }
  }

  @Test func `every key of a feed but its name and its tags is part of the fingerprint`() throws {
    try expectSeen(
      try complete(), ignoring: ["name", "tags"],
      [
        "url": { $0.url = .plain("https://other.example/feed") },
        "cookies": { $0.cookies = "/home/me/cookies.txt" },
        "command": { $0.command = ["make-feed"] },
        "kind": { $0.kind = .asset },
        "title": { $0.title = "Other" },
        "minimumInterval": { $0.minimumInterval = .never },
        "schedule": { $0.schedule = [try CronExpression(parsing: "@daily")] },
        "hours": { $0.hours = try WeeklyHours(parsing: "mon-fri") },
        "headers": { $0.headers = [HeaderSpec(name: "A", value: .plain("b"))] },
        "authentication": { $0.authentication = .netrc },
        "body": { $0.body = RequestBody(text: "a=b") },
        "identity": { $0.identity = .link },
        "firstRun": { $0.firstRun = .all },
        "firstRunDownload": { $0.firstRunDownload = .all },
        "filter": { $0.filter.exclude = ["a"] },
        "updated": { $0.updated = .notify },
        "contentLimit": { $0.contentLimit = nil },
        "sharedDownload": { $0.sharedDownload = nil },
        "notify": { $0.notify = nil },
        "adaptsToHabits": { $0.adaptsToHabits.toggle() },
        "sharedPush": { feed in
          var push = PushSpec()
          push.url = Template(literal: "https://a.example/")
          feed.sharedPush = SharedPush(push)
        },
        "sharedNetwork": { $0.network.maxRedirects = 3 },
      ])
  }

  @Test func `every key of updated is part of the fingerprint`() {
    var feed = FeedSpec(name: FeedName("planet").unsafelyUnwrapped, url: .plain("https://planet.example/"))
    var prints: Set<UInt64> = []
    for rule in [UpdatedRule.silent, .notify, UpdatedRule(isReported: true, atMost: .zero)] {
      feed.updated = rule
      prints.insert(feed.fingerprint)
    }
    #expect(prints.count == 3)
  }

  @Test func `every key of notify is part of the fingerprint`() throws {
    try expectSeen(
      NotifySpec(),
      [
        "hooks": { $0.notify?.hooks = ["a"] }, "group": { $0.notify?.group = .item },
        "title": { $0.notify?.title = Template(literal: "a") },
        "body": { $0.notify?.body = Template(literal: "a") },
        "item": { $0.notify?.item = Template(literal: "a") },
        "sound": { $0.notify?.sound = "a" }, "urgency": { $0.notify?.urgency = .low },
        "identifier": { $0.notify?.identifier = Template(literal: "a") },
        "delay": { $0.notify?.delay = .minutes(5) }, "readiness": { $0.notify?.readiness = .atOnce },
        "hours": { $0.notify?.hours = try WeeklyHours(parsing: "mon-fri") },
        "failures": { $0.notify?.failures = 7 },
      ])
  }

  @Test func `every key of download is part of the fingerprint`() throws {
    try expectSeen(
      DownloadSpec(),
      [
        "select": { $0.download?.select = .images }, "directory": { $0.download?.directory = "/mnt" },
        "types": { $0.download?.types = ["audio/*"] }, "filter": { $0.download?.filter.include = ["a"] },
        "name": { $0.download?.name = Template(literal: "a") }, "limit": { $0.download?.limit = 5 },
        "maxSize": { $0.download?.maxSize = ByteCount(5) }, "keep": { $0.download?.keep.count = 5 },
        "priority": { $0.download?.priority = 5 },
        "insecureRedirects": { $0.download?.insecureRedirects = .allow },
      ])
  }

  @Test func `every key of push is part of the fingerprint`() throws {
    func changed(_ change: @escaping (inout PushSpec) -> Void) -> (inout FeedSpec) throws -> Void {
      { feed in
        var push = PushSpec()
        change(&push)
        feed.sharedPush = SharedPush(push)
      }
    }
    try expectSeen(
      PushSpec(),
      [
        "url": changed { $0.url = Template(literal: "a") },
        "description": changed { $0.description = Template(literal: "a") },
        "limit": changed { $0.limit.count = 99 },
      ])
  }

  @Test func `every key of network is part of the fingerprint but those that only set the pace`() throws {
    try expectSeen(
      NetworkSettings(), ignoring: ["connections", "connectionsPerHost", "delayPerHost", "rateLimit"],
      [
        "connectTimeout": { $0.network.connectTimeout = .seconds(1) },
        "timeout": { $0.network.timeout = .seconds(1) },
        "stall": { $0.network.stall.for = .seconds(1) },
        "maxFeedSize": { $0.network.maxFeedSize = ByteCount(1) },
        "maxRedirects": { $0.network.maxRedirects = 1 },
        "privateAddresses": { $0.network.privateAddresses = .refuse },
        "freshnessLimit": { $0.network.freshnessLimit = .zero },
        "proxy": { $0.network.proxy = .none },
        "userAgent": { $0.network.userAgent = "a" },
        "caFile": { $0.network.caFile = "/a" },
      ])
  }
}

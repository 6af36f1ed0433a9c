// Permanent redirects: when they are learned, and when they are forgotten.

import Testing

@testable import Core

@Suite struct LearnedAddressTests {
  private let configured = "https://planet.example/feed"

  /// The redirects that a fetch meets, and whether they lead to a feed.
  private func fetch(
    _ state: FeedState, _ hops: [(Int, String)], _ failure: FetchFailure? = nil, at moment: Instant = now,
    access: FeedAccess? = nil, from connected: String? = nil, named newAddress: String? = nil,
    status: Int = 200
  ) throws -> StateChange {
    let access = try access ?? FeedAccess(address: #require(WebAddress(configured)))
    var chain = RequestChain(
      access, validators: Validators(), network: NetworkSettings(), userAgent: "test",
      startingAt: access.addressToAsk(state))
    func connection() -> NetworkAddress? { connected.flatMap(NetworkAddress.init) }
    for (status, location) in hops {
      let response = with(reply(status, [("Location", location)])) { $0.innerAddress = connection() }
      guard case .again = chain.handle(response) else { throw Problem() }
    }
    let response = with(reply(failure == nil ? status : 404)) { $0.innerAddress = connection() }
    _ = chain.handle(response)
    var attempt = attempt(try feed(url: access.address.text), at: moment, response)
    attempt.route = chain.route
    attempt.route?.accept(newAddress: newAddress, access)
    guard let failure else {
      return stateAfterSuccess(state, attempt, result: .noData, reason: "", hints: nil)
    }
    return stateAfterFailure(state, attempt, failure: failure, reason: "")
  }

  private struct Problem: Error {}

  /// The state after three fetches over a day that saw the same redirects.
  private func learned(
    _ hops: [(Int, String)] = [(301, "https://new.example/feed")], access: FeedAccess? = nil,
    from connected: String? = nil
  ) throws -> FeedState {
    var state = FeedState()
    for hours in [0, 12, 24] as [Int64] {
      state = try fetch(state, hops, at: now + .hours(hours), access: access, from: connected).state
    }
    return state
  }

  private func next(_ state: FeedState) throws -> String? {
    try feed(url: configured).addressToAsk(state)?.text
  }

  // MARK: Learning

  @Test(arguments: [301, 308])
  func `three sightings over a day are learned, and reported once`(status: Int) throws {
    var state = FeedState()
    var said: [MoveChange?] = []
    for hours in [0, 12, 24, 36] as [Int64] {
      // A learned address does not redirect.
      let hops = state.learnedMove == nil ? [(status, "https://new.example/feed")] : []
      let change = try fetch(state, hops, at: now + .hours(hours))
      state = change.state
      said.append(change.move)
    }

    #expect(said == [nil, nil, .learned("https://new.example/feed"), nil])
    #expect(try next(state) == "https://new.example/feed")
  }

  @Test func `many sightings within a day, or two over a year, are not enough`() throws {
    var state = FeedState()
    for hour in 0..<24 as Range<Int64> {
      state = try fetch(state, [(301, "/new")], at: now + .hours(hour)).state
    }
    let once = try fetch(FeedState(), [(301, "/new")]).state

    #expect(state.learnedMove == nil)
    #expect(state.seenMove?.sightings == 24)
    #expect(try fetch(state, [(301, "/new")], at: now + .hours(24)).state.learnedMove != nil)
    #expect(try fetch(once, [(301, "/new")], at: now + .days(365)).state.learnedMove == nil)
  }

  /// The states after fetches whose documents name a new address; a nil stands for a 304.
  private func learned(naming addresses: [String?], access: FeedAccess? = nil) throws -> FeedState {
    var state = FeedState()
    for (number, address) in addresses.enumerated() {
      state = try fetch(
        state, [], at: now + .hours(Int64(number) * 12), access: access, named: address,
        status: address == nil ? 304 : 200
      ).state
    }
    return state
  }

  @Test(
    arguments: [
      (["https://new.example/", "https://new.example/", "https://new.example/"], "https://new.example/"),
      (["https://new.example/", nil, nil], "https://new.example/"),
      (["https://new.example/", "https://new.example/"], nil),
      (["https://new.example/", "https://new.example/", ""], nil),
      (["https://new.example/", "https://other.example/", "https://new.example/"], nil),
      (["https://PLANET.example:443/feed", nil, nil], nil), (["http://planet.example/x", nil, nil], nil),
      (["https://192.168.1.1/", nil, nil], nil), (["https://me:pw@new.example/", nil, nil], nil),
      (["magnet:?x", nil, nil], nil),
    ] as [([String?], String?)])
  func `a document that names a new address is like a permanent redirect`(
    addresses: [String?], expected: String?
  ) throws {
    #expect(try learned(naming: addresses).learnedMove?.address == expected)
  }

  @Test func `a document does not lead credentials to another origin`() throws {
    let secret = try access { $0.credentials = .bearer("geheim") }
    func moved(_ address: String) throws -> String? {
      try learned(naming: [address, nil, nil], access: secret).learnedMove?.address
    }

    #expect(try moved("https://new.example/") == nil)
    #expect(try moved("https://planet.example/new") == "https://planet.example/new")
  }

  @Test func `a document after a temporary redirect, or at its new address, says nothing`() throws {
    var state = try fetch(FeedState(), [(302, "https://cdn.example/")], named: "https://new.example/").state
    #expect(state.moves.isEmpty)

    state = try learned()
    let there = try fetch(state, [], at: now + .hours(36), named: configured)
    #expect(there.move == nil)
    #expect(there.state.learnedMove != nil)
  }

  @Test func `only the permanent part of a chain is learned`() throws {
    let mixed = try learned([
      (301, "https://new.example/feed"), (302, "https://cdn.example/f"), (301, "https://cdn.example/g"),
    ])
    let whole = try learned([(301, "https://new.example/feed"), (308, "https://new.example/atom")])

    #expect(mixed.learnedMove?.address == "https://new.example/feed")
    #expect(whole.learnedMove?.address == "https://new.example/atom")
  }

  @Test(arguments: [[(301, "/other")], [(302, "/new")], []] as [[(Int, String)]])
  func `another target, or none, starts again`(between: [(Int, String)]) throws {
    var state = FeedState()
    for (hours, hops) in [(0, [(301, "/new")]), (12, [(301, "/new")]), (24, between), (36, [(301, "/new")])]
      as [(Int64, [(Int, String)])]
    {
      state = try fetch(state, hops, at: now + .hours(hours)).state
    }

    #expect(state.learnedMove == nil)
    #expect(state.seenMove?.sightings == 1)
  }

  @Test func `a failure neither adds nor removes a sighting, and one in the future starts again`() throws {
    let once = try fetch(FeedState(), [(301, "/new")]).state
    let ahead = try fetch(FeedState(), [(301, "/new")], at: now + .days(3)).state

    #expect(
      try fetch(once, [(301, "/new")], .notAFeed(.html), at: now + .hours(30)).state.moves == once.moves)
    #expect(try fetch(ahead, [(301, "/new")]).state.seenMove?.firstSeen == now)
  }

  // MARK: Limits of learning

  private func access(_ change: (inout FeedAccess) -> Void) throws -> FeedAccess {
    var access = FeedAccess(address: try #require(WebAddress(configured)))
    change(&access)
    return access
  }

  @Test(
    arguments: [
      ("http://planet.example/feed", 301, "https://planet.example/feed", nil, true),
      ("https://planet.example/feed", 302, "https://new.example/feed", nil, false),
      ("https://planet.example/feed", 303, "https://new.example/feed", nil, false),
      ("https://planet.example/feed", 307, "https://new.example/feed", nil, false),
      ("https://planet.example/feed", 301, "/" + String(repeating: "a", count: 2048), nil, false),
      ("http://192.168.1.5/feed", 301, "/new", "192.168.1.5", true),
      // Allowed only by the feed's own address: they would fail as soon as the machine gets another.
      ("http://nas.lan/feed", 301, "http://nas.lan:8080/", "192.168.1.5", false),
      ("http://nas.lan/feed", 301, "/new", "192.168.1.5", false),
    ] as [(String, Int, String, String?, Bool)])
  func `permanent redirects are learned, unless long or to a private host`(
    address: String, status: Int, target: String, connected: String?, isLearned: Bool
  ) throws {
    let access = FeedAccess(address: try #require(WebAddress(address)))

    let state = try learned([(status, target)], access: access, from: connected)

    #expect((state.learnedMove != nil) == isLearned)
    #expect(state.moves.isEmpty != isLearned)
  }

  @Test func `a secret address learns nothing`() throws {
    #expect(
      try learned([(301, "/new?token=geheim")], access: access { $0.isAddressSecret = true }).moves.isEmpty)
  }

  @Test func `credentials keep an address at its origin`() throws {
    let accesses = [
      try access { $0.credentials = .bearer("geheim") }, try access { $0.credentials = .netrc },
      try access { $0.headers = [HeaderField("Cookie", "geheim")] },
      FeedAccess(address: try #require(WebAddress("https://me:geheim@planet.example/feed"))),
    ]
    for access in accesses {
      #expect(try learned([(301, "https://new.example/feed")], access: access).moves.isEmpty)
      #expect(try learned([(301, "https://planet.example:8443/feed")], access: access).moves.isEmpty)
      #expect(try learned([(301, "https://planet.example/new")], access: access).learnedMove != nil)
    }
  }

  @Test func `a learned address may lead to the private one of the last fetch, and to no other`() throws {
    let access = FeedAccess(address: try #require(WebAddress(configured)))
    let own = try #require(NetworkAddress("10.0.0.5"))
    func reach(_ learned: String, _ connected: NetworkAddress? = nil) -> AddressReach {
      RequestChain(
        access, validators: Validators(), network: NetworkSettings(), userAgent: "test",
        startingAt: WebAddress(learned), connected: connected
      ).request.reach
    }

    #expect(reach("https://new.example/feed") == .publicOr([]))
    // The name is the feed's own, and may meanwhile lead to another address.
    #expect(reach("https://planet.example/new") == .publicOr([]))
    #expect(reach("https://planet.example/new", own) == .publicOr([AddressBlock(own)]))
  }

  @Test func `the private address of a fetch is stored until the next one has another or none`() throws {
    let first = try fetch(FeedState(), [], from: "192.168.1.5").state
    let moved = try fetch(first, [], from: "192.168.1.9").state
    let failed = try fetch(moved, [], .status(404), from: "10.0.0.1").state
    let outside = try fetch(failed, []).state

    #expect(
      [first, moved, failed, outside].map { $0.innerAddress?.description }
        == ["192.168.1.5", "192.168.1.9", "192.168.1.9", nil])
  }

  // MARK: Forgetting

  @Test func `learned and configured address alternate while both fail`() throws {
    var state = try learned()
    var asked: [String?] = []
    for hours in [30, 40, 50] as [Int64] {
      state = try fetch(state, [], .status(404), at: now + .hours(hours)).state
      asked.append(try next(state))
    }

    #expect(asked == [configured, "https://new.example/feed", configured])
    #expect(state.learnedMove != nil)
  }

  @Test
  func
    `a learned address is forgotten when the configured one works without redirecting there, and that is reported once`()
    throws
  {
    let doubted = try fetch(learned(), [], .status(404), at: now + .hours(30)).state

    let change = try fetch(doubted, [], at: now + .hours(40))

    #expect(change.move == .forgotten("https://new.example/feed"))
    #expect(change.state.moves.isEmpty)
    #expect(try fetch(change.state, [], at: now + .hours(50)).move == nil)
  }

  @Test(arguments: [301, 302])
  func `a learned address stays while the configured one redirects there`(status: Int) throws {
    let doubted = try fetch(learned(), [], .status(500), at: now + .hours(30)).state

    let change = try fetch(doubted, [(status, "https://new.example/feed")], at: now + .hours(40))

    #expect(change.move == nil)
    #expect(try next(change.state) == "https://new.example/feed")
  }

  @Test func `any counted failure makes the learned address doubtful, one unrelated to it does not`() throws {
    for failure: FetchFailure in [
      .status(404), .status(410), .notAFeed(.html), .unresolved(host: "", detail: ""), .tls(""),
      .refused(host: ""), .truncated, .challenged("Cloudflare"), .tooManyRedirects(1), .status(500),
    ] {
      #expect(try next(fetch(learned(), [], failure, at: now + .hours(30)).state) == configured, "\(failure)")
    }
    for failure: FetchFailure in [.rateLimited(status: 429, retryAfter: nil), .offline, .suspended] {
      let state = try fetch(learned(), [], failure, at: now + .hours(30)).state
      #expect(try next(state) == "https://new.example/feed", "\(failure)")
    }
  }

  @Test func `a feed that moves on is learned again while the old address is requested`() throws {
    var state = try learned()
    var said: [MoveChange?] = []
    for hours in [30, 42, 54] as [Int64] {
      #expect(try next(state) == "https://new.example/feed", "\(hours)")
      let change = try fetch(state, [(301, "https://newer.example/feed")], at: now + .hours(hours))
      state = change.state
      said.append(change.move)
    }

    #expect(said == [nil, nil, .learned("https://newer.example/feed")])
    #expect(state.moves.map(\.address) == ["https://newer.example/feed"])
  }

  @Test func `a feed that moves back is requested at the configured address`() throws {
    let change = try fetch(learned(), [(301, configured)], at: now + .hours(30))

    #expect(change.move == .forgotten("https://new.example/feed"))
    #expect(try next(change.state) == configured)
  }

  @Test func `410 at the learned address counts only if the configured one answers 410, too`() throws {
    let first = try fetch(learned(), [], .status(410), at: now + .hours(30))
    let second = try fetch(first.state, [], .status(410), at: now + .hours(40))
    let third = try fetch(second.state, [], .status(410), at: now + .hours(70))

    #expect(first.state.goneSince == nil)
    #expect(first.state.backoffClass == .refused)
    #expect(second.state.goneSince == now + .hours(40))
    #expect(second.health == nil)
    #expect(third.health == .gone)
  }

  @Test func `another request forgets the learned address, another title does not`() throws {
    let state = with(try learned()) { ($0.requestFingerprint, $0.configurationFingerprint) = (1, 1) }

    #expect(stateUnderConfiguration(state, configuration: 2, request: 1).learnedMove != nil)
    #expect(stateUnderConfiguration(state, configuration: 2, request: 2).moves.isEmpty)
  }

  @Test func `a rate limit of the learned address's host postpones the feed`() throws {
    let (feed, state, end) = (try feed(url: configured), try learned(), now + .hours(49))
    func reason(_ name: String) -> DueReason {
      let run = context(now: now + .hours(48), hosts: [name: limitedHost(until: end)])
      return dueDecision(feed, state, run).reason
    }

    #expect(reason("new.example") == .postponed(.hostLimit, until: end))
    #expect(reason("planet.example") != .postponed(.hostLimit, until: end))
  }
}

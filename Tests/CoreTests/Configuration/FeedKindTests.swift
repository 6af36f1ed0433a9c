// Feed kinds and files: their requests, validators and waits.

import Core
import Testing

@Suite struct FeedKindTests {
  private let home = WebAddress("https://example.org/feed").unsafelyUnwrapped

  private func mapping(_ items: String, _ parts: [JSONMapping.Part: String] = [.id: "/id"]) throws -> FeedKind
  {
    .json(
      JSONMapping(
        items: [try JSONPointer(parsing: items)],
        parts: try parts.mapValues { [try JSONSource(parsing: $0)] }))
  }

  @Test func `a feed of kind json asks for JSON, and takes what the server has`() throws {
    var access = FeedAccess(address: home)
    access.kind = try mapping("/list")

    let chain = RequestChain(access, validators: Validators(), network: NetworkSettings(), userAgent: "test")

    #expect(chain.request.fields.first { $0.name == "Accept" }?.value == "application/json, */*;q=0.5")
  }

  @Test func `another mapping drops the validators, so that the whole document comes again`() throws {
    let kinds = [
      .feed, try mapping("/list"), try mapping("/other"), try mapping("/list", [.id: "/uuid"]),
      try mapping("/list", [.title: "/id"]),
    ]
    let prints = try kinds.flatMap { kind in
      try ["https://planet.example/atom.xml", "file:///srv/x.json"].map { url in
        try #require(with(try feed(url: url)) { $0.kind = kind }.requestFingerprint)
      }
    }

    #expect(Set(prints).count == 2 * kinds.count)
  }

  @Test func `a file has the interval of a feed with validators, and if it is missing the same short wait`()
    throws
  {
    let file = try feed(url: "file:///srv/x.xml")
    let without = fetched(.hours(2)) { $0.validators = Validators() }
    var state = fetched(.days(9))
    for count in 1...9 {
      state = stateAfterFailure(state, attempt(file, nil), failure: .file("gone"), reason: "gone").state
      #expect(state.failures == count)
    }

    expect("whether it has any or not", file, without, .yes)
    try expect("as no other feed", feed(), without, .no)
    expect("missing", file, state, .no, context(now: now + .minutes(14)))
    expect("and again", file, state, .yes, context(now: now + .minutes(17)))
  }

  @Test func `a feed that becomes a file is fetched without its old validators, and never shared`() throws {
    let plain = try feed()
    let assets = try ["planet", "two"].map { with(try feed($0)) { $0.kind = .asset } }
    let plan = with(PlannedFeeds()) {
      _ = $0.add(assets + [try? feed("three")].compactMap(\.self), [:], context())
    }

    let shared = SharedRequests(plan.due)

    #expect(assets[0].requestFingerprint != plain.requestFingerprint)
    #expect(assets[0].plainAccess?.kind == .asset)
    #expect(plan.due.map { shared.isWaiting($0.name) } == [false, false, false])
  }
}

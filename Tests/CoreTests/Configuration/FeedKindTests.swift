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

  @Test func `another mapping drops the validators, so that the whole document comes again`()
    throws
  {
    var prints: Set<UInt64> = []
    let kinds = [
      .feed, try mapping("/list"), try mapping("/other"), try mapping("/list", [.id: "/uuid"]),
      try mapping("/list", [.title: "/id"]),
    ]
    for kind in kinds {
      var spec = try feed()
      spec.kind = kind
      prints.insert(try #require(spec.requestFingerprint))
      spec.url = .plain("file:///srv/x.json")
      prints.insert(try #require(spec.requestFingerprint))
    }

    #expect(prints.count == 2 * kinds.count)
  }

  @Test func `a file has the interval of a feed with validators, whether it has any or not`() throws {
    var state = fetched(.hours(2))
    state.validators = Validators()

    #expect(dueDecision(try feed(url: "file:///srv/x.xml"), state, context()).isDue)
    #expect(!dueDecision(try feed(), state, context()).isDue)
  }

  @Test func `a missing file is retried after the same short wait each time`() throws {
    let file = try feed(url: "file:///srv/x.xml")
    var state = fetched(.days(9))
    for count in 1...9 {
      state =
        stateAfterFailure(state, attempt(file, nil), failure: .file("gone"), reason: "gone").state
      #expect(state.failures == count)
    }

    #expect(!dueDecision(file, state, context(now: now + .minutes(14))).isDue)
    #expect(dueDecision(file, state, context(now: now + .minutes(17))).isDue)
  }
}

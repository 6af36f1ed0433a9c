// Transfers queued by a fetch.

import Core
import Testing

@testable import Store

@Suite final class QueueingTests: TransferSuite {
  @Test func `a wanted asset of a new item is queued with its item, in the order of the findings`()
    async throws
  {
    var commit = fetch(
      world.planet, [item("a", title: "A", published: now - .days(2)), item(nil, link: "https://b.example/")])
    commit.assets.known = [found(.new(0), "a"), found(.new(1), "b", index: 2)]
    commit.assets.wanted = commit.assets.known.reversed()

    let items = try #require(try await store.commit(commit))

    let queued = try await store.unsettled()
    #expect(queued.map(\.description) == ["Title of b", "Title of a"])
    #expect(queued.map(\.number) == queued.map(\.number).sorted())
    let transfer = try #require(queued.last)
    #expect(transfer.status == .queued)
    #expect(transfer.feed == world.planet)
    #expect(transfer.asset == found(.new(0), "a").asset)
    #expect(
      transfer.item
        == TransferItem(number: items[0], id: "a", title: "A", published: now - .days(2), firstSeen: now))
    #expect(queued.first?.item?.id == "https://b.example/")
    #expect(queued.first?.asset.index == 2)
  }

  @Test func `all assets are stored, but only wanted assets are queued`() async throws {
    var commit = fetch(world.planet, [item("a"), item("b")])
    commit.assets.known = [found(.new(0), "a"), found(.new(1), "b")]
    commit.assets.wanted = [found(.new(1), "b")]

    let items = try #require(try await store.commit(commit))

    #expect(
      try await store.knownAssets(world.planet) == [
        KnownAsset(item: items[0], key: found(.new(0), "a").asset.key),
        KnownAsset(item: items[1], key: found(.new(1), "b").asset.key),
      ])
    #expect(try await store.unsettled().map(\.item?.id) == ["b"])
    #expect(try await store.assetsOf(items)[items[0]] == [found(.new(0), "a").asset])
  }

  @Test func `an asset of a push belongs to a document that names another address for it`() async throws {
    var commit = StoreTests.fetch(world.planet, [item("a"), item("b")])
    commit.assets.known = [found(.new(0), "a"), found(.new(1), "b")]
    commit.assets.known[0].isPushed = true
    commit.assets.wanted = commit.assets.known
    let items = try #require(try await store.commit(commit))
    func pushed() async throws -> [Bool] { try await store.unsettled().map(\.isPushed) }
    #expect(try await pushed() == [true, false])

    var again = StoreTests.fetch(world.planet, [])
    again.state.innerAddress = NetworkAddress("10.0.0.1")
    again.assets.shown = [found(.known(items[0]), "a")]
    _ = try await store.commit(again)
    #expect(try await pushed() == [true, false])
    again.assets.shown[0].asset.url += "?other=1"
    _ = try await store.commit(again)
    #expect(try await pushed() == [false, false])
  }

  @Test func `an asset keeps the address of its feed at that time`() async throws {
    func fetch(_ guid: String?, at address: String?) async throws {
      var commit = StoreTests.fetch(
        world.planet, guid.map { [item($0)] } ?? [], wanting: guid.map { [found(.new(0), $0)] } ?? [])
      commit.state.innerAddress = address.flatMap { NetworkAddress($0) }
      try await store.commit(commit)
    }
    /// Each with the present address of the feed.
    func named() async throws -> [[String]] {
      try await store.unsettled().map { $0.innerAddresses.map(\.description) }
    }

    try await fetch("a", at: "192.168.1.5")
    try await fetch("b", at: nil)
    try await fetch(nil, at: "192.168.1.9")
    #expect(try await named() == [["192.168.1.5", "192.168.1.9"], []])

    // An asset named again belongs to the present address of the feed.
    let items = try await store.knownItems(world.planet).map(\.number)
    var again = StoreTests.fetch(world.planet, [])
    again.state.innerAddress = NetworkAddress("10.0.0.1")
    again.assets.shown = [found(.known(items[1]), "b")]
    _ = try await store.commit(again)
    #expect(try await named() == [["192.168.1.5", "10.0.0.1"], ["10.0.0.1", "10.0.0.1"]])
    // Another address in a public document belongs to that document.
    again.state.innerAddress = nil
    again.assets.shown[0].asset.url += "?token=2"
    _ = try await store.commit(again)
    #expect(try await named() == [["192.168.1.5"], []])
  }

  // Signed addresses expire, and the feed names new ones.
  @Test func `a waiting transfer gets the feed's new address, a finished one does not`() async throws {
    let done = try await world.running("b")
    try await world.settle(done)
    let items = try await [world.commit(["a"])[0], #require(done.item?.number)]
    var again = fetch(world.planet)
    again.assets.shown = zip(items, ["a", "b"]).map { item, name in
      var renewed = found(.known(item), name)
      renewed.asset.url += "?token=2"
      return renewed
    }

    try await store.commit(again)

    #expect(try await store.unsettled().map(\.asset.url) == [found(.new(0), "a").asset.url + "?token=2"])
    let assets = try await store.assetsOf(items)
    #expect(items.map { assets[$0]?.first?.url.hasSuffix("token=2") } == [true, false])
  }

  @Test func `a known asset is not queued again`() async throws {
    let items = try await world.commit(["a"])
    var again = fetch(world.planet)
    again.assets.known = [found(.known(items[0]), "a"), found(.known(items[0]), "a?token=2")]
    again.assets.known[1].asset.url = "https://example.org/a.mp3?token=2"
    again.assets.wanted = again.assets.known

    try await store.commit(again)

    #expect(try await store.unsettled().count == 1)
  }

  @Test func `an asset that a document has twice is queued once`() async throws {
    var commit = fetch(world.planet, [item("a")])
    commit.assets.known = [found(.new(0), "a")]
    commit.assets.wanted = [found(.new(0), "a"), found(.new(0), "a")]

    try await store.commit(commit)

    #expect(try await store.unsettled().count == 1)
  }

  @Test func `a new asset of a known item is queued`() async throws {
    let items = try await world.commit(["a"])
    try await store.commit(fetch(world.planet, wanting: [found(.known(items[0]), "second", index: 2)]))

    #expect(try await store.unsettled().map(\.item?.id) == ["a", "a"])
  }

  @Test func `an asset that a rule left out is queued when the document corrects it, and only once`()
    async throws
  {
    var first = fetch(world.planet, [item("a"), item("b")])
    first.assets.known = [found(.new(0), "a"), found(.new(1), "b")]
    first.assets.known[0].asset.omittedBy = .types
    first.assets.known[1].asset.omittedBy = .keep
    let items = try #require(try await store.commit(first))
    let key = KnownAsset(item: items[0], key: first.assets.known[0].asset.key)
    #expect(try await store.omittedAssets(world.planet).keys.map(\.self) == [key])
    #expect(try await store.omittedCounts() == [world.planet: [.types: 1, .keep: 1]])
    #expect(try await store.assetsOf(items)[items[1]]?.first?.omittedBy == .keep)

    var later = fetch(world.planet)
    later.assets.known = [found(.known(items[0]), "a")]
    later.assets.known[0].asset.type = "audio/ogg"
    later.assets.wanted = later.assets.known
    for _ in 1...2 { try await store.commit(later) }

    #expect(try await store.unsettled().map(\.asset.type) == ["audio/ogg"])
    #expect(try await store.omittedCounts() == [world.planet: [.keep: 1]])

    try await store.addTransfers(world.planet, [items[1]], isAskedFor: true, at: now)
    #expect(try await store.queuedFiles(world.planet).map(\.item).sorted() == items)
    #expect(try await store.omittedCounts() == [:])
  }

  @Test func `an asset of another feed's item or of no item is refused`() async throws {
    let items = try await world.commit(["a"], feed: try name("other"))
    try await store.commit(
      fetch(
        world.planet, [item("b")],
        wanting: [found(.known(items[0]), "b"), found(.new(1), "c"), found(.new(-1), "d")]))

    #expect(try await store.knownAssets(world.planet).isEmpty)
    #expect(try await store.unsettled().count == 1)
  }

  @Test(.onFile) func `a commit that fails queues nothing and opens no session`() async throws {
    try await store.execute("CREATE TRIGGER no BEFORE INSERT ON fetch BEGIN SELECT raise(ABORT, 'no'); END")

    await #expect(throws: StoreFailure.self) { try await world.commit(["a"]) }

    #expect(try await store.unsettled().isEmpty)
    #expect(try await store.knownAssets(world.planet).isEmpty)
    #expect(try await store.number("SELECT count(*) FROM session") == 0)
  }

  @Test func `whether a feed's assets are recorded is part of its state`() async throws {
    var commit = fetch(world.planet)
    commit.state.recordsAssets = true

    try await store.commit(commit)

    #expect(try await store.feedState(world.planet)?.recordsAssets == true)
    #expect(try await store.writtenState(world.planet) == commit.state)
  }
}

@Suite final class FeedBodyTests: TransferSuite {
  @Test func `a feed of kind asset is queued once, and is then not in flight`() async throws {
    let round = try await store.beginRound(.timer, process: 1, at: now)
    for isFirst in [true, false] {
      try await store.recordAttempts([world.planet], round: round, at: now)
      let number = try await store.queueFeedBody(world.planet, description: "list.txt", round: round, at: now)
      #expect((number != nil) == isFirst)
      #expect(try await store.number("SELECT count(*) FROM attempt") == 0, "\(isFirst)")
    }

    let queued = try await store.unsettled()
    #expect(queued.map(\.isFeedBody) == [true])
    #expect(queued.map(\.asset.url) == [""])
    #expect(queued.map(\.description) == ["list.txt"])
    _ = try await store.beginRound(.timer, process: 2, at: now)
    #expect(try await store.feedState(world.planet)?.crashes == 0)
  }

  @Test func `after the end of its transfer a feed of kind asset can be queued again`() async throws {
    try await store.queueFeedBody(world.planet, description: "list.txt", round: nil, at: now)
    try await world.settle(try #require(try await store.unsettled().first), .failed)

    #expect(try await store.queueFeedBody(world.planet, description: "list.txt", round: nil, at: now) != nil)
  }

  @Test func `other transfers of the feed do not prevent its own`() async throws {
    try await world.commit(["a"])

    #expect(try await store.queueFeedBody(world.planet, description: "list.txt", round: nil, at: now) != nil)
  }

  @Test func `the attempt of another run is not changed`() async throws {
    let round = try await store.beginRound(.timer, process: 1, at: now)
    try await store.recordAttempts([world.planet], round: round, at: now)

    try await store.queueFeedBody(world.planet, description: "list.txt", round: round + 1, at: now)

    #expect(try await store.number("SELECT count(*) FROM attempt") == 1)
  }
}

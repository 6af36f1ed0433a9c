// The WebSub hubs of feeds: replaced by each document, kept without one.

import Core
import Testing

@testable import Store

@Suite struct HubTests {
  private func links(_ hubs: [String], topic: String? = nil) -> HubLinks {
    var links = HubLinks()
    for hub in hubs { links.add(hub: hub) }
    links.take(topic: topic)
    return links
  }

  private func store(_ links: HubLinks?..., in directory: TemporaryDirectory) async throws -> Store {
    let store = try directory.open()
    for links in links {
      var commit = fetch(try name("planet"))
      commit.hubLinks = links
      try await store.commit(commit, run: nil, nextDue: nil, configured: [])
    }
    return store
  }

  @Test func `hubs are stored in order, with the topic`() async throws {
    let expected = links(
      ["https://b.example/", "https://a.example/"], topic: "https://planet.example/feed")

    let store = try await store(expected, in: try TemporaryDirectory())

    #expect(try await store.facts(of: try name("planet")).hubLinks == expected)
  }

  @Test func `a fetch without a document keeps the hubs, a document without hubs removes them`() async throws
  {
    let known = links(["https://hub.example/"])
    let directory = try TemporaryDirectory()

    let kept = try await store(known, nil, in: directory)
    let before = try await kept.facts(of: try name("planet")).hubLinks
    let gone = try await store(HubLinks(), in: directory)
    let after = try await gone.facts(of: try name("planet")).hubLinks

    #expect(before == known)
    #expect(after == HubLinks())
  }

  @Test func `the hubs of a forgotten feed are removed`() async throws {
    let directory = try TemporaryDirectory()
    let store = try await store(links(["https://hub.example/"]), in: directory)

    try await store.forgetDormant(configured: [], before: now + .days(1))

    #expect(try await store.number("SELECT count(*) FROM hub") == 0)
  }
}

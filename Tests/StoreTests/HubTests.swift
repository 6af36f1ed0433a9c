// The WebSub hubs of feeds: replaced by each document, kept without one.

import Core
import Testing

@testable import Store

@Suite final class HubTests: StoreSuite {
  private func links(_ hubs: [String], topic: String? = nil) -> HubLinks {
    var links = HubLinks()
    for hub in hubs { links.add(hub: hub) }
    links.accept(topic: topic)
    return links
  }

  /// The stored hubs after fetches with these.
  private func hubs(after links: HubLinks?...) async throws -> HubLinks {
    for links in links {
      var commit = fetch(planet)
      commit.hubLinks = links
      try await store.commit(commit)
    }
    return try await store.facts(of: planet).hubLinks
  }

  @Test func `hubs are stored in order, with the topic`() async throws {
    let expected = links(["https://b.example/", "https://a.example/"], topic: "https://planet.example/feed")

    #expect(try await hubs(after: expected) == expected)
  }

  @Test func `a fetch without a document keeps the hubs, a document without hubs removes them`() async throws
  {
    let known = links(["https://hub.example/"])

    #expect(try await hubs(after: known, nil) == known)
    #expect(try await hubs(after: HubLinks()) == HubLinks())
  }

  @Test func `the hubs of a forgotten feed are removed`() async throws {
    _ = try await hubs(after: links(["https://hub.example/"]))

    try await store.forgetDormant(configured: [], before: now + .days(1))

    #expect(try await store.number("SELECT count(*) FROM hub") == 0)
  }
}

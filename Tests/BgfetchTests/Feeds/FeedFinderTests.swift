// How `bgfetch add` finds a feed by an address, in this process: the directory of podcasts is a server of the test's own.

import Core
import Machine
import TestKit
import Testing

@testable import bgfetch

@Suite struct FeedFinderTests {
  @Test func `the feed of a podcast is the one that Apple's directory names`() async throws {
    let server = try ScriptedServer()
    let results = "{\"results\": [{\"feedUrl\": \"\(server.url("/radio"))\"}]}"
    server.on("/lookup", .document(results, type: "text/javascript"))
    server.feed("/radio", ["a"], title: "Radio")
    let lookup = try #require(WebAddress(server.url("/lookup")))
    let loop = CurlLoop(connections: 1, proxies: .empty, ownAddresses: { [] })
    defer { loop.shutdown() }
    let finder = FeedFinder(
      loop, network: NetworkSettings(), userAgent: "test", now: Instant(secondsSince1970: 0))

    let found = try await finder.feed(of: .podcast(lookup: lookup))

    #expect(found?.address == server.url("/radio"))
    #expect(found?.title == "Radio")
    #expect(server.requests.map(\.path) == ["/lookup", "/radio"])
  }
}

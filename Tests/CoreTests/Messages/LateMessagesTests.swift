// How messages are delivered after newer ones with the same identifier.

import Core
import Testing

@Suite struct LateMessagesTests {

  private func message(_ number: Int64, _ group: String, feed: String?) -> Delivery {
    newMessage(number, group, feed: feed, identifier: "planet")
  }

  @Test(
    arguments: [
      ("feed", "planet", "feed", "planet", .beside), ("item", "planet", "item", "planet", .beside),
      ("run", "planet", "run", "planet", .beside), ("feed", "planet", "feed", "moon", .beside),
      // An alert and news under one identifier do not say the same.
      ("fixed", "planet", "feed", "planet", .beside), ("feed", "planet", "fixed", "planet", .beside),
      ("fixed", "planet", "fixed", "planet", .outdated), ("fixed", "planet", "fixed", "moon", .beside),
      // Summaries are about no one feed.
      ("fixed", nil, "fixed", nil, .beside), ("fixed", nil, "fixed", "planet", .beside),
    ] as [(String, String?, String, String?, MessageLateness)])
  func `a late message is delivered beside the newer one, except about a feed's health`(
    group: String, feed: String?, newerGroup: String, newerFeed: String?, expected: MessageLateness
  ) {
    let late = message(1, group, feed: feed)

    #expect(lateness(of: late, after: [message(2, newerGroup, feed: newerFeed)]) == expected)
    #expect(lateness(of: late, after: []) == .inTime)
  }

  @Test func `a message delivered beside another has no identifier`() {
    #expect(
      withoutIdentifier(JSONValue(["title": "t", "identifier": "planet"]))
        == JSONValue(["title": "t", "identifier": nil]))
  }
}

// How messages are delivered after newer ones with the same identifier.

import Core
import Testing

@Suite struct LateMessagesTests {

  private func message(_ number: Int64, _ group: String, feed: String?) -> Delivery {
    newMessage(number, group, feed: feed, identifier: "planet")
  }

  enum Late {
    /// Without its identifier.
    case beside
    case outdated
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
    ] as [(String, String?, String, String?, Late)])
  func `a late message is delivered beside the newer one, except about a feed's health`(
    group: String, feed: String?, newerGroup: String, newerFeed: String?, expected: Late
  ) {
    let late = message(1, group, feed: feed)

    let fields = fields(of: late, after: [message(2, newerGroup, feed: newerFeed)])
    switch expected {
    case .beside: #expect(fields == JSONValue(["identifier": nil]))
    case .outdated: #expect(fields == nil)
    }
    #expect(Core.fields(of: late, after: []) == late.event.fields)
  }
}

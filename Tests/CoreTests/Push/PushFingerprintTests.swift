// What a change of `push`, `adapt` and `notify.delay` means for what is known of a feed.

import Core
import Testing

@Suite struct PushFingerprintTests {
  @Test func `any change of them is a change of the feed, and none of its request`() throws {
    let feeds = [
      try feed(), try pushed(url: "https://p.example/{a}"), try pushed(url: "https://p.example/{b}"),
      try pushed(description: "https://p.example/{a}"),
      try pushed(url: "https://p.example/{a}", description: "x"),
      try pushed(limit: PushLimit(count: 7)), try pushed(limit: PushLimit(interval: .hours(2))),
      try pushed { $0.adaptsToHabits = true }, try pushed { $0.notify?.delay = .seconds(1) },
      try pushed { $0.notify?.delay = .minutes(1) },
    ]

    #expect(Set(feeds.map(\.fingerprint)).count == feeds.count)
    #expect(Set(feeds.map(\.requestFingerprint)).count == 1)
  }

  @Test func `where nothing is said a feed has the fingerprint that it had before pushes`() throws {
    // Those of the version before, so that a new one fetches no feed anew.
    let prints = try [feed().fingerprint, podcast().fingerprint]

    #expect(prints == [14_030_829_235_319_507_167, 455_514_468_206_344_213])
    #expect(try pushed().fingerprint == prints[0])
  }
}

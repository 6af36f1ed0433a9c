// Which waiting messages become one.

import Core
import Testing

@Suite struct MessageJoinTests {

  /// A message that waits; `feed` is nil if it is about none.
  private func message(
    _ number: Int64, _ group: String, feed: String?, identifier: String? = nil, triggerAt: Instant? = nil,
    postponedUntil: Instant? = nil
  ) -> Delivery {
    with(newMessage(number, group, feed: feed, identifier: identifier ?? feed)) {
      ($0.triggerAt, $0.postponedUntil) = (triggerAt, postponedUntil)
    }
  }

  /// Messages of a feed each.
  private func messages(_ count: Int64, _ group: String = "feed", postponedUntil: Instant? = nil)
    -> [Delivery]
  {
    (1...count).map { message($0, group, feed: "feed\($0)", postponedUntil: postponedUntil) }
  }

  /// The result of a join, with messages by their numbers.
  private enum Joined: Equatable {
    case one([Int64])
    case summary([Int64], identifier: String)
  }

  private func join(_ waiting: [Delivery], sent: Int = 0, limit: Int? = 5) -> Joined? {
    messageJoin(waiting, sent: sent, limit: limit, at: now).map { join in
      let numbers = join.messages.map(\.number)
      return join.summary.map { .summary(numbers, identifier: $0) } ?? .one(numbers)
    }
  }

  @Test func `messages of one feed become one, even if their identifiers count`() {
    let others = messages(2)
    func planet(_ number: Int64, _ identifier: String? = nil) -> Delivery {
      message(number, "feed", feed: "planet", identifier: identifier)
    }

    #expect(join([planet(3)] + others + [planet(4)]) == .one([3, 4]))
    #expect(join(others) == nil)
    #expect(join([planet(1, ""), planet(2, "")]) == .one([1, 2]))
  }

  @Test func `messages about items become one where their identifiers are the same`() {
    func item(_ number: Int64, _ identifier: String) -> Delivery {
      message(number, "item", feed: "planet", identifier: identifier)
    }

    #expect(join([item(1, "planet/a"), item(2, "planet/b")]) == nil)
    #expect(join([item(1, "planet/a"), item(2, "planet/b"), item(3, "planet/a")]) == .one([1, 3]))
    #expect(join([item(1, ""), item(2, "")]) == nil)
  }

  @Test func `messages of several feeds under one identifier become a summary under it`() {
    #expect(
      join([
        message(1, "feed", feed: "planet", identifier: "news"), message(2, "feed", feed: "moon"),
        message(3, "item", feed: "sun", identifier: "news"),
      ]) == .summary([1, 3], identifier: "news"))
  }

  @Test func `the last of several messages about a feed's health counts`() {
    func health(_ number: Int64, _ feed: String?) -> Delivery {
      message(number, "fixed", feed: feed, identifier: "feed.health")
    }

    #expect(
      join([health(1, "feed"), message(2, "feed", feed: "b"), health(3, "feed"), health(4, "feed")])
        == .one([1, 3, 4]))
    let joined = messageJoin(
      [health(1, "feed"), health(2, "feed")].map { delivery in
        with(delivery) {
          $0.event.fields = JSONValue(["identifier": "feed.health", "title": "\(delivery.number)"])
        }
      }, sent: 0, limit: 5, at: now)
    let event = joined?.event(origin: EventOrigin(round: 8, time: now, cause: .timer), hook: "d")
    #expect(event?.text("title") == "2")
    // Messages about added feeds are about different ones each.
    #expect(join([health(1, nil), health(2, nil)]) == nil)
  }

  @Test func `postponed messages become one summary, however few they are, those of a run one message`() {
    #expect(join(messages(2, postponedUntil: now)) == .summary([1, 2], identifier: "bgfetch"))
    #expect(join(messages(1, postponedUntil: now)) == nil)
    #expect(join(messages(1, postponedUntil: now) + [message(2, "item", feed: "b")]) == nil)
    #expect(join(messages(3, "run", postponedUntil: now)) == .one([1, 2, 3]))
  }

  @Test func `up to five messages a run stay apart, or the hook's limit, more become one`() {
    #expect(join(messages(5)) == nil)
    #expect(join(messages(6)) == .summary([1, 2, 3, 4, 5, 6], identifier: "bgfetch"))
    #expect(join(messages(2), sent: 4) == .summary([1, 2], identifier: "bgfetch"))
    #expect(join(messages(1), sent: 9) == nil)
    #expect(join(messages(2), limit: 1) == .summary([1, 2], identifier: "bgfetch"))
    #expect(join(messages(50), sent: 50, limit: nil) == nil)
    #expect(join(messages(2, postponedUntil: now), limit: nil) == .summary([1, 2], identifier: "bgfetch"))
    #expect(messagesToKeep(messages(2), sent: 50, limit: nil, at: now) == [])
  }

  @Test(
    arguments: [
      ("run", 0, 0, 2), ("run", 0, 179, 2), ("run", 0, 180, 0), ("run", 0, -1, 0), ("feed", 0, 0, 0),
      ("feed", 4, 0, 0), ("feed", 5, 0, 2), ("feed", 5, 180, 0), ("item", 9, 0, 2),
    ] as [(String, Int, Int64, Int)])
  func `during fetches, messages of a run wait, and so do other messages beyond five`(
    group: String, sent: Int, age: Int64, count: Int
  ) {
    let kept = messagesToKeep(
      messages(2, group), sent: sent, limit: 5, at: Instant(secondsSince1970: now.secondsSince1970 + age))
    #expect(kept.count == count)
  }

  @Test func `messages of a run become one, with those that wait for their delay`() {
    #expect(join(messages(2, "run")) == .one([1, 2]))
    #expect(join(messages(1, "run")) == nil)
    #expect(
      join([message(1, "run", feed: "planet", triggerAt: now), delayed(2, "run", feed: "moon")])
        == .one([1, 2]))
  }

  /// A message whose delay is not over.
  private func delayed(_ number: Int64, _ group: String, feed: String, identifier: String? = nil) -> Delivery
  {
    message(number, group, feed: feed, identifier: identifier, triggerAt: now + .minutes(1))
  }

  @Test(arguments: ["feed", "item"])
  func `a due message includes those with its identifier that wait only for their delay`(group: String) {
    let due = message(1, group, feed: "planet", triggerAt: now)

    #expect(join([due, delayed(2, group, feed: "planet")]) == .one([1, 2]))
    #expect(join([due, delayed(2, group, feed: "moon")]) == nil)
    #expect(
      join([due, delayed(2, group, feed: "moon", identifier: "planet")])
        == .summary([1, 2], identifier: "planet"))
  }

  /// A message of a run about files, which still waits for one or does not any more.
  private func ofFiles(
    _ number: Int64, _ group: String, feed: String, run: Int64 = 7, awaits: Bool = true
  ) -> Delivery {
    with(newMessage(number, group, feed: feed, identifier: "news", run: run)) {
      ($0.readyBy, $0.awaitsFiles) = (now + .hours(24), awaits)
    }
  }

  @Test(
    arguments: [("run", nil), ("feed", "news"), ("item", "news")] as [(String, String?)])
  func `messages of a run that replace one another are one, although one waits for files`(
    group: String, identifier: String?
  ) {
    let joined = identifier.map { Joined.summary([1, 2], identifier: $0) } ?? .one([1, 2])
    let other = ofFiles(2, group, feed: "b")

    #expect(join([ofFiles(1, group, feed: "a", awaits: false), other]) == joined)
    #expect(join([message(1, group, feed: "a", identifier: "news"), other]) == joined)
    #expect(join([ofFiles(1, group, feed: "a", run: 8, awaits: false), other]) == nil)
  }

  @Test func `beyond the limit, messages of a run about files come as one when the last file is there`() {
    let messages = (1...9).map { number in
      with(ofFiles(number, "feed", feed: "f\(number)", run: number == 9 ? 8 : 7, awaits: number > 1)) {
        $0.event.fields = .object([])
      }
    }
    let waiting = Array(messages.dropFirst())
    let plain = with(messages[0]) { $0.readyBy = nil }

    #expect(join(messages, sent: 1, limit: 2) == nil)
    #expect(join(messages, sent: 2, limit: 2) == .summary(Array(1...8), identifier: "bgfetch"))
    #expect(join(messages, sent: 2, limit: nil) == nil)
    #expect(join([plain] + waiting, sent: 2, limit: 2) == nil)
    #expect(join(waiting, sent: 2, limit: 2) == nil)
  }

  @Test func `messages of which none is due wait for the first, and count toward no limit`() {
    let waiting = (6...9).map { delayed($0, "feed", feed: "feed\($0)") }

    for group in ["feed", "item", "run"] {
      #expect(
        join([delayed(1, group, feed: "planet"), delayed(2, group, feed: "planet")]) == nil, "\(group)")
    }
    #expect(join(messages(5) + waiting) == nil)
    #expect(join(messages(1, postponedUntil: now) + waiting) == nil)
  }
}

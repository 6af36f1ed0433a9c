// When feeds are due next, as recorded for runs of many feeds.

import Testing

@testable import Core
@testable import Store

@Suite final class DueIndexTests: StoreSuite {
  private let names = ["early", "late", "never", "unknown"].compactMap { FeedName($0) }
  private var configured: FeedNames { FeedNames(names) }

  override init() async throws {
    try await super.init()
    let round = try await store.beginRound(.timer, process: 1, at: now)
    for feed in names.prefix(3) {
      try await store.commit(fetch(feed), round: round, nextDue: nil, configured: configured)
    }
    try await record(
      7, [names[0]: now + .minutes(10), names[1]: now + .hours(5), names[2]: DueDecision.never])
  }

  /// Records the moments of all feeds in two parts.
  private func record(
    _ fingerprint: UInt64, _ moments: [FeedName: Instant], without missing: Set<FeedName> = []
  ) async throws {
    let feeds = names.filter { !missing.contains($0) }
    try await store.beginScan()
    for part in [feeds.prefix(2), feeds.dropFirst(2)] {
      try await store.recordDue(ofPart: part.map { FeedScan($0, dueAt: moments[$0]) }, at: now)
    }
    try await store.recordAllDue(fingerprint, configured: FeedNames(feeds), at: now)
  }

  private func due(_ fingerprint: UInt64 = 7, at moment: Instant) async throws -> [String]? {
    try await store.mayBeDue(fingerprint, at: moment)?.map(\.text).sorted()
  }

  @Test func `feeds whose moment has come or is unknown may be due`() async throws {
    #expect(try await due(at: now) == ["unknown"])
    #expect(try await due(at: now + .minutes(8)) == ["unknown"])
    #expect(try await due(at: now + .minutes(9)) == ["early", "unknown"])
    #expect(try await due(at: now + .hours(5)) == ["early", "late", "unknown"])
    let next = try #require(try await store.nextDue(after: now + .minutes(10)))
    #expect(next.feed == names[1])
    #expect(next.at == now + .hours(5))
    #expect(try await store.nextDue(after: now + .hours(5)) == nil)
  }

  @Test func `all feeds are looked at for another fingerprint, an earlier clock, and after a day`()
    async throws
  {
    #expect(try await due(8, at: now) == nil)
    #expect(try await due(at: now - .seconds(1)) == nil)
    #expect(try await due(at: now + .days(1)) == nil)
    try await store.recordDue([], at: now + .minutes(5))
    #expect(try await due(at: now + .minutes(4)) == nil)
    #expect(try await due(at: now + .minutes(5)) == ["unknown"])
  }

  @Test func `every change of a feed makes its moment unknown`() async throws {
    try await store.commit(fetch(names[1]), configured: configured)
    #expect(try await due(at: now) == ["late", "unknown"])

    try await store.pause([names[0]], until: nil, at: now)
    #expect(try await due(at: now) == ["early", "late", "unknown"])

    try await store.beginScan()
    try await store.recordDue([FeedScan(names[0], dueAt: DueDecision.never)], at: now)
    #expect(try await due(at: now) == ["late", "unknown"])
    try await store.resume([names[0]], at: now)
    #expect(try await due(at: now) == ["early", "late", "unknown"])
  }

  @Test(.onFile)
  func `a commit records the moment of its feed under its own fingerprint, unless the feed has changed`()
    async throws
  {
    func commit(under fingerprint: UInt64) async throws {
      var commit = fetch(names[0])
      commit.record.ended = now + .minutes(1)
      commit.lasting = LastingMoment(now + .hours(3), under: fingerprint)
      try await store.commit(commit, configured: configured)
    }
    try await commit(under: 7)
    #expect(try await due(at: now + .hours(2)) == ["unknown"])
    #expect(try await due(at: now + .hours(3)) == ["early", "unknown"])
    // A clock that is set back decides otherwise.
    #expect(try await due(at: now) == nil)

    try await commit(under: 8)
    #expect(try await due(at: now + .hours(2)) == ["early", "unknown"])
    try await commit(under: 7)
    #expect(try await due(at: now + .hours(2)) == ["early", "unknown"])
  }

  @Test func `a moment that was decided before a change is not recorded`() async throws {
    try await store.pause(Array(names.prefix(2)), until: nil, at: now)
    try await store.beginScan()
    try await store.resume([names[0]], at: now)

    let looks = names.prefix(2).map { FeedScan($0, dueAt: DueDecision.never) }
    try await store.recordDue(looks, at: now)
    #expect(try await due(at: now) == ["early", "unknown"])
    try await store.recordDue(ofPart: looks, at: now)
    try await store.recordAllDue(8, configured: configured, at: now)
    #expect(try await due(8, at: now) == ["early", "unknown"])
  }

  @Test func `a crash makes the moments of feeds in flight unknown`() async throws {
    try await store.recordAttempts([names[2]], round: 1, at: now)
    try await store.loseRuns()
    try await store.settleInterrupted(at: now + .minutes(1))

    #expect(try await due(at: now + .minutes(1)) == ["never", "unknown"])
  }

  @Test func `recording which feeds are configured, or when they are due, is not a change`() async throws {
    let changes = try await store.changes()
    try await store.recordConfigured(configured, at: now + .days(2))
    try await store.recordDue([FeedScan(names[0], dueAt: now + .minutes(20))], at: now)

    #expect(try await store.changes() == changes)
    #expect(try await due(at: now + .minutes(10)) == ["unknown"])
  }

  @Test func `feeds that left the configuration are not looked at each time`() async throws {
    let moments = Dictionary(uniqueKeysWithValues: names.prefix(3).map { ($0, now + .hours(1)) })
    try await record(9, moments, without: [names[3]])

    #expect(try await due(9, at: now) == [])
    // Their return is another configuration, and so another note.
    try await record(10, [:])
    #expect(try await due(10, at: now) == ["early", "late", "never", "unknown"])
  }

  // MARK: Many feeds

  private let many = (0..<2500).compactMap { FeedName("m\($0)") }

  private var parts: [ArraySlice<FeedName>] { [many[..<1000], many[1000..<2000], many[2000...]] }

  private func notePart(_ feeds: ArraySlice<FeedName>) async throws {
    let looks = feeds.map { FeedScan($0, dueAt: $0 == feeds.first ? nil : now + .hours(1)) }
    try await store.recordDue(ofPart: looks, at: now)
  }

  @Test func `the moments of very many feeds are recorded in parts`() async throws {
    let changes = try await store.changes()
    for part in parts { try await notePart(part) }
    #expect(try await due(7, at: now) == nil)
    try await store.recordAllDue(11, configured: FeedNames(many), at: now)

    #expect(try await store.changes() == changes)
    // The feeds of `init` are no longer configured.
    #expect(try await due(11, at: now) == ["m0", "m1000", "m2000"])
    #expect(try await due(11, at: now + .hours(1))?.count == 2500)
  }

  @Test func `a feed that changes between two parts is looked at again`() async throws {
    try await notePart(parts[0])
    try await store.pause([many[7]], until: nil, at: now)
    for part in parts.dropFirst() { try await notePart(part) }
    try await store.recordAllDue(7, configured: FeedNames(many), at: now)

    #expect(try await due(7, at: now) == ["m0", "m1000", "m2000", "m7"])
  }

  // MARK: Machines that share the store

  /// Records that these feeds may be due, at hosts.
  private func place(_ hosts: [FeedName: String]) async throws {
    try await store.recordDue(ofPart: names.map { FeedScan($0, dueAt: nil, host: hosts[$0]) }, at: now)
    try await store.recordAllDue(7, configured: configured, at: now)
  }

  private func mayBeDue(hosts: Int, feeds: Int) async throws -> [String]? {
    try await store.mayBeDue(7, at: now, within: RoundLimit(hosts: hosts, feeds: feeds))?.map(\.text).sorted()
  }

  @Test func `a limited round has all feeds of few hosts, those first that have been due longest`()
    async throws
  {
    try await place([names[0]: "a", names[1]: "b", names[2]: "a", names[3]: "c"])
    try await store.recordDue([FeedScan(names[3], dueAt: now - .hours(1), host: "c")], at: now)

    #expect(try await mayBeDue(hosts: 9, feeds: 9) == ["early", "late", "never", "unknown"])
    #expect(try await mayBeDue(hosts: 2, feeds: 9) == ["early", "late", "never"])
    #expect(try await mayBeDue(hosts: 9, feeds: 3)?.count == 3)
  }

  @Test func `a feed that is due again at once goes behind those that have been due longer`() async throws {
    try await place([names[0]: "a", names[1]: "b", names[2]: "c", names[3]: "d"])
    let looks = [names[0], names[1]].map { FeedScan($0, dueAt: now, host: $0.text) }

    #expect(try await store.recordDue(looks, at: now) == 2)
    #expect(try await mayBeDue(hosts: 2, feeds: 9) == ["never", "unknown"])
    // A later moment that has come as well tells nothing new.
    let later = looks.map { FeedScan($0.feed, dueAt: now + .seconds(9), host: $0.host) }
    #expect(try await store.recordDue(later, at: now + .minutes(1)) == 0)
  }

  @Test func `feeds without a known host are looked at`() async throws {
    try await place([names[0]: "a"])

    #expect(try await mayBeDue(hosts: 1, feeds: 9) == ["early", "late", "never", "unknown"])
  }
}

// When feeds are due next, as recorded for runs of very many feeds.

import Core
import Testing

@testable import StateStore

@Suite struct DueIndexTests {
  private let directory: TemporaryDirectory
  private let store: Store
  private let names: [FeedName]
  private let configured: FeedNames

  init() async throws {
    directory = try TemporaryDirectory()
    store = try directory.open()
    names = try ["early", "late", "never", "unknown"].map(name)
    configured = FeedNames(names)
    let run = try await store.beginRun(.timer, process: 1, at: now)
    for feed in names.prefix(3) {
      try await store.commit(fetch(feed), run: run, nextDue: nil, configured: configured)
    }
    try await store.noteDue(
      [names[0]: now + .minutes(10), names[1]: now + .hours(5), names[2]: DueDecision.never],
      all: (7, configured), changes: try await store.changes(), at: now)
  }

  private func due(_ note: UInt64 = 7, at moment: Instant) async throws -> [String]? {
    try await store.mayBeDue(note, at: moment)?.map(\.text).sorted()
  }

  @Test func `feeds whose moment has come or is unknown may be due`() async throws {
    #expect(try await due(at: now) == ["unknown"])
    #expect(try await due(at: now + .minutes(8)) == ["unknown"])
    #expect(try await due(at: now + .minutes(9)) == ["early", "unknown"])
    #expect(try await due(at: now + .hours(5)) == ["early", "late", "unknown"])
    let next = try #require(try await store.nextDue(after: now + .minutes(10)))
    #expect(next.feed == names[1] && next.at == now + .hours(5))
    #expect(try await store.nextDue(after: now + .hours(5)) == nil)
  }

  @Test func `all feeds are looked at for another note, an earlier clock, and after a day`() async throws {
    #expect(try await due(8, at: now) == nil)
    #expect(try await due(at: now - .seconds(1)) == nil)
    #expect(try await due(at: now + .days(1)) == nil)
    try await store.noteDue(
      [:], all: nil, changes: try await store.changes(), at: now + .minutes(5))
    #expect(try await due(at: now + .minutes(4)) == nil)
    #expect(try await due(at: now + .minutes(5)) == ["unknown"])
  }

  @Test func `every change of a feed makes its moment unknown`() async throws {
    try await store.commit(fetch(names[1]), run: nil, nextDue: nil, configured: configured)
    #expect(try await due(at: now) == ["late", "unknown"])

    try await store.pause([names[0]], until: nil, at: now)
    #expect(try await due(at: now) == ["early", "late", "unknown"])

    try await store.noteDue(
      [names[0]: DueDecision.never], all: nil, changes: try await store.changes(), at: now)
    try await store.unpause([names[0]], at: now)
    #expect(try await due(at: now) == ["early", "late", "unknown"])
  }

  @Test func `a moment that was decided before a change is not recorded`() async throws {
    try await store.pause([names[0]], until: nil, at: now)
    let changes = try await store.changes()
    try await store.unpause([names[0]], at: now)

    try await store.noteDue([names[0]: DueDecision.never], all: nil, changes: changes, at: now)
    #expect(try await due(at: now) == ["early", "unknown"])
    try await store.noteDue([:], all: (8, configured), changes: changes, at: now)
    #expect(try await due(8, at: now) == nil)
  }

  @Test func `a crash makes the moments of feeds in flight unknown`() async throws {
    try await store.recordAttempts([names[2]], run: 1, at: now)
    try await store.settleInterrupted(at: now + .minutes(1))

    #expect(try await due(at: now + .minutes(1)) == ["never", "unknown"])
  }

  @Test func `recording which feeds are configured, or when they are due, is not a change`() async throws {
    let changes = try await store.changes()
    try await store.noteConfigured(configured, at: now + .days(2))
    try await store.noteDue(
      [names[0]: now + .minutes(20)], all: nil, changes: changes, at: now)

    #expect(try await store.changes() == changes)
    #expect(try await due(at: now + .minutes(10)) == ["unknown"])
  }

  @Test func `feeds that left the configuration are not looked at each time`() async throws {
    let moments = Dictionary(uniqueKeysWithValues: names.prefix(3).map { ($0, now + .hours(1)) })
    try await store.noteDue(
      moments, all: (9, FeedNames(names.dropLast())), changes: try await store.changes(), at: now)

    #expect(try await due(9, at: now) == [])
    // Their return is another configuration, and so another note.
    try await store.noteDue(
      [:], all: (10, configured), changes: try await store.changes(), at: now)
    #expect(try await due(10, at: now) == ["early", "late", "never", "unknown"])
  }
}

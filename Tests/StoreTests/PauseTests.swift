// Pauses, which only the person changes.

import Core
import Testing

@testable import Store

@Suite final class PauseTests: StoreSuite {
  private func pause() async throws -> Pause? { try await store.feedState(planet)?.pause }

  @Test func `a feed is paused until a moment or until it is resumed`() async throws {
    try await store.commit(fetch(planet), configured: [planet])
    #expect(try await pause() == nil)

    try await store.pause([planet], until: nil, at: now)
    #expect(try await pause() == Pause(until: nil))
    try await store.pause([planet], until: now + .days(2), at: now)
    #expect(try await pause() == Pause(until: now + .days(2)))
    #expect(try await store.feedStates()[planet]?.pause == Pause(until: now + .days(2)))
    try await store.resume([planet], at: now)
    #expect(try await pause() == nil)
  }

  @Test func `a feed never fetched can be paused, and stays new`() async throws {
    try await store.pause([planet], until: nil, at: now)

    var state = FeedState()
    state.pause = Pause(until: nil)
    #expect(try await store.writtenState(planet) == state)
  }

  @Test func `a commit started before the pause keeps the pause`() async throws {
    let before = fetch(planet, [item("a")])
    try await store.pause([planet], until: now + .days(2), at: now)

    try await store.commit(before, configured: [planet])
    #expect(try await pause() == Pause(until: now + .days(2)))

    var with = fetch(planet)
    with.state.pause = Pause(until: nil)
    try await store.resume([planet], at: now)
    try await store.commit(with, configured: [planet])
    #expect(try await pause() == nil)
  }

  @Test func `only changed feeds are returned`() async throws {
    let feeds = [planet, other]

    #expect(try await store.resume(feeds, at: now) == [])
    #expect(try await store.pause([planet], until: nil, at: now) == [planet])
    #expect(try await store.pause(feeds, until: nil, at: now) == [other])
    #expect(try await store.pause([planet], until: now + .days(1), at: now) == [planet])
    #expect(try await store.pause([planet], until: now + .days(1), at: now) == [])
    // A pause that has ended need not be resumed.
    #expect(try await store.resume(feeds, at: now + .days(1)) == [other])
    #expect(try await pause() == nil)
  }

  @Test func `a paused feed keeps its items and its part of the badge`() async throws {
    try await store.commit(fetch(planet, [item("a")]), configured: [planet])

    try await store.pause([planet], until: nil, at: now)

    #expect(try await store.badge(configured: [planet]) == 1)
    #expect(try await store.unseenCounts() == [planet: 1])
  }
}

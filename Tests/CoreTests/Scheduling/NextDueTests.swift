// The moment that is stored with each fetch: from when on the rules allow the next one.

import Core
import Testing

@Suite struct NextDueTests {
  @Test func `after a success the next moment is the end of the interval, less slack`() throws {
    let next = nextDue(try feed(interval: .every(.hours(1))), fetched(.zero), context())

    #expect(next == now + .hours(1) - .minutes(2))
  }

  @Test func `longer freshness makes the next moment later`() throws {
    var state = fetched(.zero)
    state.freshness = ServerFreshness(notBefore: now + .hours(6), source: "max-age")

    #expect(nextDue(try feed(), state, context()) == now + .hours(6))
  }

  @Test func `a limit on the feed's host counts`() throws {
    var host = HostState()
    host.limitedUntil = now + .hours(3)

    let next = nextDue(try feed(), fetched(.zero), context(hosts: ["planet.example": host]))

    #expect(next == now + .hours(3))
  }

  @Test func `a feed that only naming makes due has no next moment`() throws {
    #expect(nextDue(try feed(interval: .never), fetched(.zero), context()) == nil)
  }

  @Test func `a feed never fetched is due at once`() throws {
    #expect(nextDue(try feed(), FeedState(), context()) == now)
  }
}

@Suite struct FeedHealthTests {
  @Test func `failures, gone feeds and feeds that crashed runs are problems, and nothing else is`() {
    var gone = fetched(.zero)
    gone.isGone = true
    var crashing = fetched(.zero)
    crashing.crashes = 2
    var once = fetched(.zero)
    once.crashes = 1

    #expect(failing(1, .transient, .zero).isProblem)
    #expect(gone.isProblem)
    #expect(crashing.isProblem)
    #expect(!once.isProblem)
    #expect(!fetched(.zero).isProblem)
    #expect(!FeedState().isProblem)
  }

  @Test(arguments: [
    (FetchFailure.offline, false), (.captivePortal("portal.example"), false), (.suspended, false),
    (.refused(host: "planet.example"), true), (.status(404), true),
  ])
  func `a failure counts unless it is about this machine or the run`(failure: FetchFailure, isCounted: Bool)
    throws
  {
    let change = stateAfterFailure(
      failing(3, .transient, .zero), attempt(try feed()), failure: failure, reason: "")

    #expect(change.isCounted == isCounted)
  }

  @Test func `a run looks at more old rows than it can add`() {
    for fetches in [0, 1, 1000, 100_000] { #expect(Retention.pruned(after: fetches) > fetches) }
  }
}

// The work that `run --watch` finds.

import Core
import Testing

@Suite struct WatchOutlookTests {
  private func punctual(_ pushes: [FeedName: PushDemand] = [:]) -> PlanningContext {
    var context = PlanningContext(now: now, zone: .utc, machine: "test", pushes: pushes)
    context.isPunctual = true
    return context
  }

  @Test func `the daemon wakes in the second in which the next feed is due`() throws {
    let hourly = try feed("hourly", interval: .every(.hours(1)))
    let quarter = try feed("quarter", interval: .every(.minutes(15)))
    let states = [hourly.name: fetched(.minutes(10)), quarter.name: fetched(.minutes(14))]

    // Without slack, which is for timers that come a little early.
    let outlook = watchOutlook([hourly, quarter], states, punctual())

    #expect(outlook == WatchOutlook(next: now + .minutes(1)))
  }

  @Test func `due feeds and others are separate`() throws {
    let due = try feed("due", interval: .every(.hours(1)))
    let other = try feed("other", interval: .every(.hours(3)))
    let new = try feed("new")
    let states = [due.name: fetched(.hours(1)), other.name: fetched(.hours(2))]

    let outlook = watchOutlook([due, other, new], states, punctual())

    #expect(
      outlook
        == WatchOutlook(
          due: [.feed(due.name, since: now), .feed(new.name, since: nil)], next: now + .hours(1)))
  }

  @Test func `a due feed is the same demand until it is fetched, and then another one`()
    throws
  {
    let quick = try feed("quick", interval: .every(.seconds(1)))
    func due(_ state: FeedState, at moment: Instant) -> Set<WatchDemand> {
      var context = PlanningContext(now: moment, zone: .utc, machine: "test")
      context.isPunctual = true
      return watchOutlook([quick], [quick.name: state], context).due
    }
    let first = due(FeedState(), at: now)
    let second = due(fetched(.seconds(3)), at: now)

    #expect(first == due(FeedState(), at: now + .minutes(1)))
    #expect(second == due(fetched(.seconds(3)), at: now + .minutes(1)))
    #expect(first.isDisjoint(with: second))
    #expect(second.isDisjoint(with: due(fetched(.seconds(1)), at: now)))
  }

  @Test func `the daemon does not wait with the lock for freshness that is about to end`() throws {
    let wishing = try feed("wishing", interval: .every(.minutes(5)))
    var state = fetched(.hours(1))
    state.freshness = ServerFreshness(notBefore: now + .seconds(30), source: "max-age")

    #expect(dueDecision(wishing, state, context()).waitUntil == now + .seconds(30))
    #expect(!dueDecision(wishing, state, punctual()).isDue)
    #expect(
      watchOutlook([wishing], [wishing.name: state], punctual()) == WatchOutlook(next: now + .seconds(30)))
    #expect(
      watchOutlook([wishing], [wishing.name: state], context()) == WatchOutlook(next: now + .seconds(30)))
  }

  @Test(arguments: [.everyRun, .every(.zero)] as [MinimumInterval])
  func `every-run means every five minutes if there is no timer`(
    interval: MinimumInterval
  ) throws {
    let eager = try feed("eager", interval: interval)
    let scheduled = try feed("scheduled", interval: interval, schedule: ["* * * * *"])
    let states = [eager.name: fetched(.minutes(1)), scheduled.name: fetched(.minutes(1))]

    #expect(watchOutlook([eager], states, punctual()) == WatchOutlook(next: now + .minutes(4)))
    #expect(watchOutlook([eager], states, context()).due.count == 1)
    #expect(watchOutlook([scheduled], states, punctual()).due.count == 1)
  }

  @Test func `a feed that only pushes or names make due is never due by itself`() throws {
    let never = try feed("never", interval: .never)

    #expect(watchOutlook([never], [never.name: fetched(.hours(1))], punctual()) == WatchOutlook())
  }

  @Test func `a push is known by its number, also one with a file of its own`() throws {
    let news = try feed("news", interval: .never)
    var show = try feed("show", interval: .every(.hours(1)))
    var push = PushSpec()
    push.url = try Template(parsing: "https://show.example/{content-id}.mp3")
    show.sharedPush = SharedPush(push)
    let pushes = [news.name, show.name].map { name in
      (name, PushDemand(pushes: [StoredPush(number: 7, feed: name, payload: "{}", received: now)]))
    }
    let states = [news.name: fetched(.minutes(1)), show.name: fetched(.minutes(1))]

    let outlook = watchOutlook(
      [news, show], states, punctual(Dictionary(uniqueKeysWithValues: pushes)))

    #expect(outlook.due == [.push(news.name, 7), .push(show.name, 7)])
    #expect(outlook.next == now + .minutes(59))
  }
}

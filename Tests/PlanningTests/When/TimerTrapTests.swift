// The trap of miniflux #2201: an hourly timer and an hourly interval that give a fetch every two hours.

import Model
import Planning
import Testing
import Timing

@Suite struct TimerTrapTests {
  /// The gaps between fetches of a simulated week, in seconds.
  private func gaps(every timer: Int64, _ feed: FeedSpec, jitter: Int64, seed: UInt64, answer: Response)
    -> [Int64]
  {
    var numbers = SeededNumbers(state: seed)
    var state = FeedState()
    var fetches: [Instant] = []
    for tick in stride(from: 0, to: 7 * 86_400 as Int64, by: Int64.Stride(timer)) {
      let run = now + .seconds(tick + Int64.random(in: 0...jitter, using: &numbers))
      let decision = dueDecision(feed, state, context(now: run))
      guard decision.isDue else { continue }
      let start = max(run, decision.waitUntil ?? run)
      fetches.append(start)
      var fetch = attempt(feed, at: run, answer)
      fetch.ended = start
      state = stateAfterSuccess(state, fetch, result: .noData, reason: "", hints: nil).state
      state.validators.entityTag = "\"1\""
    }
    return zip(fetches.dropFirst(), fetches).map { $0.since($1).seconds }
  }

  @Test(arguments: [1, 5, 15, 60], [1, 2, 3] as [UInt64])
  func `an hourly interval stays hourly whatever the timer`(minutes: Int64, seed: UInt64) throws {
    let feed = try feed(interval: .every(.hours(1)))

    let gaps = gaps(every: minutes * 60, feed, jitter: 40, seed: seed, answer: reply(304))

    #expect(gaps.count >= 166)
    #expect(gaps.allSatisfy { (58 * 60...61 * 60).contains($0) })
  }

  @Test(arguments: [1, 5, 15] as [Int64])
  func `an interval as long as the timer is kept at every run`(minutes: Int64) throws {
    let feed = try feed(interval: .every(.minutes(minutes)))
    let jitter = minutes == 1 ? 3 : 40 as Int64

    let gaps = gaps(every: minutes * 60, feed, jitter: jitter, seed: 7, answer: reply(304))

    #expect(gaps.allSatisfy { $0 <= minutes * 60 + jitter })
  }

  @Test func `an hourly timer and a max-age of an hour give hourly fetches`() throws {
    let feed = try feed(interval: .every(.minutes(5)))

    let gaps = gaps(
      every: 3600, feed, jitter: 0, seed: 7, answer: reply(304, [("Cache-Control", "max-age=3600")]))

    // Each fetch begins a second later, until after an hour of minutes one tick is too early.
    #expect(gaps.filter { $0 > 3601 }.count <= 3)
    #expect(gaps.allSatisfy { $0 >= 3600 })
  }
}

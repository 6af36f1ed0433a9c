// The weight of openings after some time.

import Core
import Testing

@Suite struct HabitDecayTests {
  private let then = Instant(secondsSince1970: 1_800_000_000)

  @Test(
    arguments: [
      (.zero, 1), (.hours(11), 1), (.days(1), 0.9675), (.days(21), 0.5), (.days(-3), 1), (.days(100_000), 0),
    ] as [(Interval, Double)])
  func `an opening counts half after three weeks, and nothing is gained by a clock set back`(
    age: Interval, weight: Double
  ) {
    #expect(abs(Habit.decayed(1, from: then, to: then + age) - weight) < 0.001)
  }

  @Test func `the same minute of every day is a day older each time, some seconds early or late`() {
    var weight = 0.0
    var last = then
    for day in 1...500 {
      let next = then + .days(Int64(day)) + .seconds(day % 2 == 0 ? 25 : -25)
      weight = Habit.decayed(weight, from: last, to: next) + 1
      last = next
    }

    // The limit of a daily opening: 1 / (1 - 0.9675).
    #expect(abs(weight - 30.77) < 0.1)
  }
}

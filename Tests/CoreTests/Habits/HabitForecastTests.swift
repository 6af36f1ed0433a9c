// When openings become peaks, and how peaks are bounded and worded.

import Core
import Testing

@Suite struct HabitForecastTests {
  /// The forecast in words.
  private func text(_ habit: Habit, at now: Instant = now) -> String { habitForecast(habit, at: now).text }

  @Test func `nothing is predicted before three days with openings`() throws {
    #expect(text(Habit()) == "no openings yet; a prediction needs 3 days with openings")
    #expect(text(habit(working: try days(2, "12:00", "12:00"))).hasPrefix("openings on 2 of the 3 days"))
    #expect(text(habit(working: try days(3, "12:00"))) == "looks 12:00 on working days; none yet at weekends")
  }

  @Test func `peaks go from their first looks to all but the last tenth, on working days and at weekends`()
    throws
  {
    func habit(_ minutes: [String]) throws -> Habit {
      CoreTests.habit(working: try minutes.map { [try clock($0)] })
    }
    let noon = ["12:00", "12:04", "12:08", "12:02", "12:06", "12:10", "12:03", "12:05", "12:07", "12:20"]
    let midnight = ["23:50", "00:05", "23:55", "00:10", "23:58", "00:00"]
    let both = CoreTests.habit(working: try days(8, "07:30", "18:00"), weekend: try days(4, "10:00"))
    let once = CoreTests.habit(working: [[600, 615, 630, 645], [], [900], [1100]])

    #expect(text(both) == "looks 07:30, 18:00 on working days; 10:00 at weekends")
    #expect(text(try habit(noon)) == "looks 12:00-12:11 on working days; hardly ever at weekends")
    #expect(text(try habit(midnight)) == "looks 23:50-00:11 on working days; none yet at weekends")
    // Two rushes are two peaks, and close ones are one.
    let rushes = try [days(6, "12:00", "13:10"), days(6, "12:00", "12:25")].map {
      CoreTests.habit(working: $0)
    }
    #expect(text(rushes[0]).hasPrefix("looks 12:00, 13:10 on"))
    #expect(text(rushes[1]).hasPrefix("looks 12:00-12:26 on"))
    // Consecutive looks of one day are not a habit.
    #expect(text(once) == "no habit: looks at no particular time")
  }

  @Test(arguments: 1...12)
  func `looks at any time predict nothing`(seed: UInt64) {
    var numbers = SeededNumbers(state: seed)
    func anyTime(_ count: Int) -> [[Int]] {
      (0..<count).map { _ in
        (0..<Int.random(in: 1...7, using: &numbers)).map { _ in Int.random(in: 420..<1440, using: &numbers) }
      }
    }

    #expect(
      text(habit(working: anyTime(40), weekend: anyTime(16))) == "no habit: looks at no particular time")
  }

  @Test func `several looks in a row, at any time, seldom seem to be a habit`() {
    var predicted = 0
    for seed in 1...300 as ClosedRange<UInt64> {
      var numbers = SeededNumbers(state: seed)
      let rows = (0..<12).map { _ in
        let begin = Int.random(in: 410...1360, using: &numbers)
        return [
          begin, begin + .random(in: 15...25, using: &numbers), begin + .random(in: 30...60, using: &numbers),
        ]
      }
      if habitForecast(habit(working: rows), at: now).predicts { predicted += 1 }
    }

    #expect(predicted <= 10)
  }

  @Test func `looks every half hour through the day predict nothing`() {
    let flat = Array(repeating: (0..<48).map { $0 * 30 }, count: 10)

    #expect(text(habit(working: flat, weekend: flat)) == "no habit: looks at no particular time")
  }

  @Test func `weekends without looks are known after ten days`() throws {
    #expect(text(habit(working: try days(9, "12:00"))).hasSuffix("none yet at weekends"))
    #expect(text(habit(working: try days(10, "12:00"))).hasSuffix("hardly ever at weekends"))
    let weekend = text(habit(weekend: try days(10, "12:00")))
    #expect(weekend == "looks hardly ever on working days; 12:00 at weekends")
  }

  @Test func `looks of long ago are forgotten`() throws {
    let habit = habit(working: try days(20, "12:00"))

    #expect(text(habit, at: now + .days(30)).hasPrefix("looks 12:00"))
    #expect(text(habit, at: now + .days(300)) == "no habit: looks at no particular time")
  }

  @Test func `invalid histogram values are ignored`() throws {
    var habit = habit(working: try days(5, "12:00"))
    for (minute, weight) in [(5000, 9), (-1, 9), (60, .nan), (120, -9), (180, .infinity)] as [(Int, Double)] {
      habit.bins.append(HabitBin(kind: .working, minute: minute, weight: weight, at: now))
    }

    #expect(text(habit).hasPrefix("looks 12:00 on working days"))
  }
}

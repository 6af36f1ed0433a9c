// When openings become a habit, and how a habit is worded.

import Testing

@testable import Core

@Suite struct LearnedHabitTests {
  private func text(_ habit: Habit, at now: Instant = now) -> String { habit.text(at: now) }

  private func predicts(_ habit: Habit, at now: Instant = now) -> Bool { habit.predicts(at: now) }

  @Test func `nothing is predicted before three days with openings`() throws {
    #expect(text(Habit()) == "no openings yet; a prediction needs 3 days with openings")
    #expect(text(habit(working: try days(2, "12:00", "12:00"))).hasPrefix("openings on 2 of the 3 days"))
    #expect(text(habit(working: try days(3, "12:00"))) == "openings on 3 days")
  }

  @Test func `looks that gather on several days are a habit, consecutive looks of one day are not`() throws {
    #expect(predicts(habit(working: try days(8, "07:30", "18:00"), weekend: try days(4, "10:00"))))
    #expect(predicts(habit(weekend: try days(10, "12:00"))))
    #expect(!predicts(habit(working: [[600, 615, 630, 645], [], [900], [1100]])))
  }

  @Test(arguments: 1...12)
  func `looks at any time predict nothing`(seed: UInt64) {
    var numbers = SeededNumbers(state: seed)
    func anyTime(_ count: Int) -> [[Int]] {
      (0..<count).map { _ in
        (0..<Int.random(in: 1...7, using: &numbers)).map { _ in Int.random(in: 420..<1440, using: &numbers) }
      }
    }

    #expect(text(habit(working: anyTime(40), weekend: anyTime(16))).hasSuffix(", at no particular time"))
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
      if predicts(habit(working: rows)) { predicted += 1 }
    }

    #expect(predicted <= 10)
  }

  @Test func `looks every half hour through the day predict nothing`() {
    let flat = Array(repeating: (0..<48).map { $0 * 30 }, count: 10)

    #expect(!predicts(habit(working: flat, weekend: flat)))
  }

  @Test func `looks of long ago are forgotten`() throws {
    let habit = habit(working: try days(20, "12:00"))

    #expect(predicts(habit, at: now + .days(30)))
    #expect(!predicts(habit, at: now + .days(300)))
  }

  @Test func `invalid histogram values are ignored`() throws {
    var habit = habit(working: try days(5, "12:00"))
    for (minute, weight) in [(5000, 9), (-1, 9), (60, .nan), (120, -9), (180, .infinity)] as [(Int, Double)] {
      habit.bins.append(HabitBin(kind: .working, minute: minute, weight: weight, at: now))
    }

    #expect(predicts(habit))
  }
}

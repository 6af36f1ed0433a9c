// The meaning of texts of hours of the week, and the problems of wrong ones.

import Testing

@testable import Core

@Suite struct WeeklyHoursTextTests {
  /// Minutes of the week from a day, 0 is Sunday, and times of day.
  private static func window(_ day: Int, _ from: Int, _ to: Int) -> Range<Int> {
    day * 1440 + from * 60..<day * 1440 + to * 60
  }

  private static func windows(_ days: ClosedRange<Int>, _ from: Int, _ to: Int) -> [Range<Int>] {
    days.map { window($0, from, to) }
  }

  @Test(
    arguments: [
      ("always", [0..<10_080]), (" Always ", [0..<10_080]), ("00:00-24:00", [0..<10_080]),
      ("mon-fri 08:00-18:00", windows(1...5, 8, 18)), ("Monday-FRIDAY 8:00-18:00", windows(1...5, 8, 18)),
      ("mon - fri 08:00 - 18:00", windows(1...5, 8, 18)),
      ("mon\u{2013}fri 08:00\u{2013}18:00", windows(1...5, 8, 18)),
      ("mon,tue,wed,thu,fri 08:00-18:00", windows(1...5, 8, 18)),
      ("mon, tue-fri 08:00-18:00", windows(1...5, 8, 18)), ("sat,sun", [window(0, 0, 24), window(6, 0, 24)]),
      ("sat-sun", [window(0, 0, 24), window(6, 0, 24)]), ("fri-mon", [0..<2880, 5 * 1440..<10_080]),
      ("wed-wed", [window(3, 0, 24)]), ("10:00-11:00", windows(0...6, 10, 11)),
      // Over midnight, every day and at the end of the week.
      (
        "22:00-06:00",
        [0..<360] + (0...5).map { $0 * 1440 + 1320..<$0 * 1440 + 1800 } + [6 * 1440 + 1320..<10_080]
      ),
      ("sat 22:00-06:00", [0..<360, 6 * 1440 + 1320..<10_080]),
      ("fri 22:00-06:00", [5 * 1440 + 1320..<6 * 1440 + 360]), ("fri 22:00-00:00", [window(5, 22, 24)]),
      ("fri 22:00-24:00", [window(5, 22, 24)]),
      ("mon 08:00-12:00, 13:00-18:00", [window(1, 8, 12), window(1, 13, 18)]),
      ("mon 08:00-12:00,13:00-18:00,sat", [window(1, 8, 12), window(1, 13, 18), window(6, 0, 24)]),
      ("sat, mon 08:00-12:00", [window(1, 8, 12), window(6, 8, 12)]),
      ("mon 08:00-12:00, tue 09:00-10:00", [window(1, 8, 12), window(2, 9, 10)]),
      // A comma is as good as a blank.
      ("mon-fri, 08:00-18:00", windows(1...5, 8, 18)), ("mon,", [window(1, 0, 24)]),
      ("mon fri", [window(1, 0, 24), window(5, 0, 24)]),
      ("mon 08:00-12:00 13:00-18:00", [window(1, 8, 12), window(1, 13, 18)]),
      // Windows that touch or overlap are one.
      ("mon 08:00-12:00, 12:00-18:00", [window(1, 8, 18)]),
      ("mon 13:00-18:00, 08:00-14:00, 09:00-10:00", [window(1, 8, 18)]), ("mon,tue", [1440..<4320]),
    ] as [(String, [Range<Int>])])
  func `a text means these minutes of the week`(text: String, minutes: [Range<Int>]) throws {
    let hours = try WeeklyHours(parsing: text)

    #expect(hours.windows == minutes)
    #expect(hours.text == text)
  }

  @Test func `hours that mean the same are equal, however they are written`() throws {
    #expect(try WeeklyHours(parsing: "00:00-24:00") == .always)
    #expect(try WeeklyHours(parsing: "sun-sat").isAlways)
    #expect(try WeeklyHours(parsing: "22:00-06:00, 06:00-22:00").isAlways)
    #expect(try WeeklyHours(parsing: "sat,sun") == WeeklyHours(parsing: "Sunday, Saturday"))
    #expect(try WeeklyHours(parsing: "sat") != WeeklyHours(parsing: "sun"))
  }

  @Test func `the union of several texts has the hours of each`() throws {
    let both = try WeeklyHours(parsing: "mon-fri 08:00-12:00").union(WeeklyHours(parsing: "mon 11:00-14:00"))

    #expect(try both == WeeklyHours(parsing: "mon 08:00-14:00, tue-fri 08:00-12:00"))
    #expect(both.text == "mon-fri 08:00-12:00, mon 11:00-14:00")
  }

  @Test(arguments: [
    ("", 1, "there is no window; write mon-fri 08:00-18:00, or always"),
    ("mon-fri-sun", 9, "a day or a time is missing; write mon-fri 08:00-18:00, or always"),
    ("mon-", 5, "a day or a time is missing; write mon-fri 08:00-18:00, or always"),
    ("08:00-08:00", 1, "08:00-08:00 is empty; write 00:00-24:00 for the whole day"),
    (
      "08:60-18:00", 1,
      "\"08:60\" is not a time of day; write times as in mon-fri 08:00-18:00, from 00:00 to 24:00"
    ),
    (
      "08:00-25:00", 7,
      "\"25:00\" is not a time of day; write times as in mon-fri 08:00-18:00, from 00:00 to 24:00"
    ),
    (
      "08:00-24:30", 7,
      "\"24:30\" is not a time of day; write times as in mon-fri 08:00-18:00, from 00:00 to 24:00"
    ),
    ("24:00-06:00", 1, "24:00-06:00 is empty; write 00:00-24:00 for the whole day"),
    ("8-18", 1, "\"8\" is not a time of day; write times as in mon-fri 08:00-18:00, from 00:00 to 24:00"),
    (
      "08:00-18", 7, "\"18\" is not a time of day; write times as in mon-fri 08:00-18:00, from 00:00 to 24:00"
    ),
    (
      "8.30-17h15", 1,
      "\"8.30\" is not a time of day; write times as in mon-fri 08:00-18:00, from 00:00 to 24:00"
    ),
    ("08:00", 1, "\"08:00\" has no end; write both times, as in mon-fri 08:00-18:00"),
    (
      "firday", 1,
      "\"firday\" is not a day of the week; write mon, tue, wed, thu, fri, sat, sun or ranges such as mon-fri"
    ),
    (
      "weekend", 1,
      "\"weekend\" is not a day of the week; write mon, tue, wed, thu, fri, sat, sun or ranges such as mon-fri"
    ),
    (
      "always, mon", 1,
      "\"always\" is not a day of the week; write mon, tue, wed, thu, fri, sat, sun or ranges such as mon-fri"
    ),
  ])
  func `a problem has a place, a message and a cure`(text: String, column: Int, message: String) {
    let problem = #expect(throws: TextProblem.self) { try WeeklyHours(parsing: text) }

    #expect(problem.map { "\($0.what); \($0.cure)" } == message)
    #expect(problem?.column == column)
  }

  @Test func `no text crashes the reader`() {
    var numbers = SeededNumbers(state: 7)
    let pieces = [
      "mon", "fri", "08:00", "24:00", "99:99", "-", ",", " ", ":", "9", "pm", "é", "always", "\u{2013}",
    ]
    for _ in 0..<2000 {
      let text = (0..<Int.random(in: 0...8, using: &numbers)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &numbers)]
      }.joined()
      do throws(TextProblem) {
        let hours = try WeeklyHours(parsing: text)
        #expect(!hours.windows.isEmpty, "\(text)")
        #expect(hours.windows.allSatisfy { !$0.isEmpty }, "\(text)")
      } catch {
        #expect(!error.what.isEmpty, "\(text)")
        #expect(!error.cure.isEmpty, "\(text)")
        #expect((1...text.unicodeScalars.count + 1).contains(error.column), "\(text)")
      }
    }
  }
}

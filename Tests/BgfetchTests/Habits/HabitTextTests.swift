// How `bgfetch history --habits` draws a day.

@testable import Core
import Testing

@testable import bgfetch

@Suite struct HabitTextTests {
  private func day(_ peaks: [HabitPeak], _ fetches: [Int], _ looks: [Int: Double]) -> HabitDay {
    HabitDay(
      kind: .working, looks: (0..<1440).map { looks[$0] ?? 0 },
      forecast: DayForecast(peaks: peaks, stretch: 4),
      fetches: fetches)
  }

  private func lines(
    _ drawing: DayDrawing, _ days: [HabitDay], daysWithOpenings: Int = 12
  ) throws -> [String] {
    var feed = FeedSpec(name: try #require(FeedName("planet")), url: .plain("https://planet.example/"))
    feed.adaptsToHabits = true
    var habit = Habit()
    habit.days = daysWithOpenings
    return habitLines(feed, habit, days, drawing)
  }

  @Test func `a day is a row of bars with its peaks and fetches below`() throws {
    let day = day(
      [HabitPeak(begins: 435, length: 30), HabitPeak(begins: 720)], [230, 425, 710],
      [437: 6, 445: 1, 463: 4, 720: 8, 1200: 0.5])

    let drawn = try lines(DayDrawing(columns: 80, showsUnicode: true), [day])

    #expect(
      drawn == [
        "planet: openings on 12 days", "  working days: looks 07:15-07:45, 12:00",
        "        00       03       06       09       12       15       18       21",
        "looks                        ▆▁▄            █                       ▁",
        "peaks                        ===            =",
        "fetches            ^         ^             ^",
      ])
  }

  @Test(arguments: [
    (0, "nothing is known yet"), (2, "nothing is known yet"), (3, "looks at no particular time"),
  ])
  func `before there is a prediction nothing is claimed`(days: Int, text: String) throws {
    let drawn = try lines(
      DayDrawing(columns: 80, showsUnicode: true), [day([], [], [:])], daysWithOpenings: days)

    #expect(drawn[1] == "  working days: \(text)")
  }

  @Test func `without UTF-8 bars are ASCII`() throws {
    let drawn = try lines(
      DayDrawing(columns: 80, showsUnicode: false), [day([], [], [720: 8, 721: 8, 780: 4])])

    #expect(drawn.last == "looks                                       @  :")
  }

  @Test(arguments: [(20, 1), (60, 2), (80, 3), (103, 3), (104, 4), (nil, 3)] as [(Int?, Int)])
  func `the drawing is as wide as the terminal lets it be`(columns: Int?, hour: Int) throws {
    let drawing = DayDrawing(columns: columns, showsUnicode: true)
    #expect(drawing.columnsOfHour == hour)
    for line in try lines(drawing, [day([HabitPeak(begins: 1430, length: 20)], [1439], [0: 1, 1439: 1])])
      .dropFirst(2)
    {
      #expect(displayWidth(line) <= max(columns ?? 80, 32))
    }
  }
}

// The drawing of a week by `bgfetch why`.

import Testing

@testable import Core
@testable import bgfetch

@Suite struct WeekDrawingTests {
  private func week(_ looks: [Int: Double], news: [Int: Double] = [:]) -> LearnedWeek {
    LearnedWeek(
      looks: (0..<7).map { day in (0..<1440).map { day < 5 ? looks[$0] ?? 0 : 0 } },
      news: news.isEmpty
        ? Array(repeating: [], count: 7)
        : (0..<7).map { day in (0..<288).map { day == 2 ? news[$0] ?? 0.1 : 0.1 } })
  }

  @Test func `a week has a row of bars for each day, the person's beside the publisher's`() {
    let drawing = WeekDrawing(columns: 80)

    #expect(
      drawing.lines(week([437: 4, 463: 4, 720: 8, 1200: 2], news: [108: 90, 110: 90])) == [
        "     you look                  it publishes",
        "     00:00 06:00 12:00 18:00   00:00 06:00 12:00 18:00", "Mon         █    █       ▂",
        "Tue         █    █       ▂", "Wed         █    █       ▂              █",
        "Thu         █    █       ▂", "Fri         █    █       ▂", "Sat", "Sun",
      ])
    #expect(drawing.lines(week([:])) == [])
  }

  @Test(arguments: [(20, 12), (53, 12), (60, 24), (98, 24), (103, 48), (nil, 24)] as [(Int?, Int)])
  func `the drawing fits the terminal`(columns: Int?, day: Int) throws {
    let drawing = WeekDrawing(columns: columns)
    #expect(drawing.columns == day)
    let drawn = drawing.lines(week([0: 1, 1439: 1], news: [287: 9]))
    #expect(drawn.allSatisfy { displayWidth($0) <= max(columns ?? 80, 31) })
    #expect(drawn.contains { $0.hasSuffix("█") })
  }
}

// The answers of a person in the two lists of `bgfetch browse`, fzf and the numbered menu, and the hints about them.

import Foundation
import Testing

@testable import bgfetch

@Suite struct BrowseAnswerTests {
  @Test(
    arguments: [
      ("", .more), ("  ", .more), ("q", .end), ("Q", .end),
      ("12", .wish(BrowseWish(action: .read, range: 12...12))),
      ("#12", .wish(BrowseWish(action: .read, range: 12...12))),
      ("9-7", .wish(BrowseWish(action: .read, range: 7...9))),
      ("s 3", .wish(BrowseWish(action: .seen, range: 3...3))),
      ("o3", .wish(BrowseWish(action: .open, range: 3...3))),
      ("z", .wish(BrowseWish(action: .undo))), ("r", .wish(BrowseWish(action: .order))),
    ] as [(String, MenuAnswer)])
  func `an answer is a number, a letter, or both`(line: String, answer: MenuAnswer) {
    #expect(MenuAnswer(line) == answer)
  }

  @Test(arguments: ["s", "z 3", "r3", "3 s", "q 3", "--all", "s @news", "s3x", "💥"])
  func `other answers are mistakes`(line: String) {
    guard case .mistake = MenuAnswer(line) else {
      Issue.record("\(MenuAnswer(line))")
      return
    }
  }

  @Test(
    arguments: [
      ("typed\n\n12\t 12 *  Title\n", "typed", 12, BrowseWish(action: .read, range: 12...12)),
      ("\nctrl-s\n12\tx\n", "", 12, BrowseWish(action: .seen, range: 12...12)),
      ("nothing\nctrl-o\n", "nothing", nil, nil), ("nothing\n\n", "nothing", nil, nil),
      ("\nctrl-z\n", "", nil, BrowseWish(action: .undo)), ("", "", nil, nil),
    ] as [(String, String, Int64?, BrowseWish?)])
  func `fzf answers with what was typed, a key and an item`(
    output: String, query: String, number: Int64?, wish: BrowseWish?
  ) {
    let answer = FzfAnswer(output)

    #expect(answer.query == query)
    #expect(answer.number == number)
    #expect(answer.wish == wish)
  }

  @Test(arguments: [12, 20, 40, 80])
  func `no hint is broken on a narrow terminal`(columns: Int) {
    let hints = ["N read", "o N browser", "s N seen", "Enter more"]

    let lines = hintLines(hints, columns)

    #expect(lines.allSatisfy { $0.count <= columns })
    #expect(lines.flatMap { $0.components(separatedBy: "  ") } == hints)
  }
}

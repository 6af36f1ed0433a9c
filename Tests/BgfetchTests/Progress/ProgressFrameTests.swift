// Bars on a terminal: the bytes, and what a person sees then.

import Testing

@testable import bgfetch

@Suite struct ProgressFrameTests {
  private static let begin = "\u{1B}[?2026h"
  private static let end = "\u{1B}[?2026l"
  private static let noWrap = "\u{1B}[?7l"
  private static let wrap = "\u{1B}[?7h\r"

  @Test func `bars are drawn over one another, the cursor at their beginning`() {
    var frame = ProgressFrame()
    let two = "a\u{1B}[K\nb\u{1B}[J"

    #expect(
      frame.drawing(["a", "b"]) == Self.begin + Self.noWrap + two + Self.wrap + "\u{1B}[1A" + Self.end)
    #expect(
      frame.drawing(["a", "b"]) == Self.begin + "\r" + Self.noWrap + two + Self.wrap + "\u{1B}[1A" + Self.end)
    #expect(frame.drawing(["e"]) == Self.begin + "\r" + Self.noWrap + "e\u{1B}[J" + Self.wrap + Self.end)
    #expect(frame.drawing([]) == Self.begin + "\r\u{1B}[J" + Self.end)
    #expect(frame.drawing([]) == "")
  }

  @Test func `other lines are written above the bars, in the same write`() {
    var frame = ProgressFrame()
    #expect(frame.drawing([], above: "first\n") == "first\n")

    _ = frame.drawing(["a"])

    #expect(
      frame.drawing(["a"], above: "second\n")
        == Self.begin + "\r\u{1B}[Jsecond\n" + Self.noWrap + "a\u{1B}[J" + Self.wrap + Self.end)
  }

  @Test func `what others wrote meanwhile is not drawn over`() {
    var frame = ProgressFrame()
    var terminal = PretendTerminal(columns: 20, rewraps: true)
    terminal.write(frame.drawing(["a", "b"]))
    terminal.write("\n\n$ bg\n")

    frame.forget()
    terminal.write(frame.drawing(["c"]))

    #expect(terminal.lines == ["a", "b", "$ bg", "c"])
  }

  @Test(arguments: [(100, 60), (200, 80), (100, 12), (80, 3), (60, 100), (40, 39)], [true, false])
  func `nothing is left of wider bars, and nothing else is erased`(
    widths: (before: Int, after: Int), rewraps: Bool
  ) {
    var frame = ProgressFrame()
    var terminal = PretendTerminal(columns: widths.before, rewraps: rewraps)
    func bars(_ count: Int) -> [String] {
      (0..<count).map { String(repeating: "\($0)", count: terminal.columns - 1) }
    }
    terminal.write("$\n1\n2\n3\n4\n5\n6\n7\n8\n9\n")
    let above = ["$"] + (1...9).map(String.init)
    terminal.write(frame.drawing(bars(6)))
    terminal.write(frame.drawing(bars(6)))

    terminal.resize(to: widths.after)
    terminal.write(frame.drawing(bars(6)))
    #expect(terminal.lines == above + bars(6))

    terminal.resize(to: max(2, widths.after / 2))
    terminal.write(frame.drawing(bars(4), above: "a\n"))
    #expect(terminal.lines == above + ["a"] + bars(4))

    terminal.resize(to: 2)
    terminal.write(frame.drawing([], above: "b\n"))
    #expect(terminal.lines.suffix(2) == ["a", "b"])
  }

  @Test(arguments: [true, false])
  func `bars that reach a narrower terminal than they were made for keep to a row each`(rewraps: Bool) {
    var frame = ProgressFrame()
    var terminal = PretendTerminal(columns: 60, rewraps: rewraps)
    terminal.write("$\n")
    terminal.write(frame.drawing([String(repeating: "a", count: 99), String(repeating: "b", count: 99)]))

    terminal.write(frame.drawing(["c"]))

    #expect(terminal.lines == ["$", "c"])
  }
}

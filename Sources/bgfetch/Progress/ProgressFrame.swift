// Which bytes bring bars onto a terminal, other lines above them, and all away again.

/// The bars that stand on a terminal, below everything else, the cursor at the beginning of the first one.
///
/// A terminal that becomes narrower wraps the lines that stand on it, or cuts them, and nobody can ask which it did.
/// In both cases the cursor stays with its text, and everything from there on is ours, in however many rows.
struct ProgressFrame: Hashable {
  /// How many lines there are.
  private(set) var height = 0

  /// No bars yet.
  init() {}

  /// What puts lines in the place of the ones that are there, and text above them.
  ///
  /// Control functions are those of ECMA-48; mode 2026 lets terminals that know it show all of it at once. Without
  /// mode 7 the bars keep to a row each also where the terminal has become narrower before it reads them.
  ///
  /// - Parameters:
  ///   - lines: the bars, none wider than the terminal and fewer than its rows; none to take them away.
  ///   - text: lines to stand above them, each with its newline; empty for none.
  /// - Returns: bytes to be written at once.
  mutating func drawing(_ lines: [String], above text: String = "") -> String {
    guard height > 0 || !lines.isEmpty else { return text }
    let back = height > 0 ? "\r" : ""
    height = lines.count
    // Bars are written over one another, so that nothing is blank in between; text is not, it may be of any width.
    let above = text.isEmpty ? "" : Self.clear + text
    let bars = lines.isEmpty ? Self.clear : rows(lines)
    return "\u{1B}[?2026h" + back + above + bars + "\u{1B}[?2026l"
  }

  /// Others have written to the terminal: what was drawn stays where it is, and the next bars stand below.
  mutating func forget() { height = 0 }

  /// Lines, and the way back to the beginning of the first.
  private func rows(_ lines: [String]) -> String {
    let up = lines.count > 1 ? "\u{1B}[\(lines.count - 1)A" : ""
    return "\u{1B}[?7l" + lines.joined(separator: "\u{1B}[K\n") + Self.clear + "\u{1B}[?7h\r" + up
  }

  /// Erases from the cursor to the end of the screen.
  private static let clear = "\u{1B}[J"
}

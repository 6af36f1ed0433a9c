// Which bytes bring bars onto a terminal, other lines above them, and all away again.

/// The bars that stand on a terminal, below everything else, the cursor in the line after them.
///
/// There the shell's prompt is well placed too, whatever ends the program.
struct ProgressFrame: Hashable {
  /// How many lines there are.
  private(set) var height = 0

  /// No bars yet.
  init() {}

  /// What puts lines in the place of the ones that are there, and text above them.
  ///
  /// Control functions are those of ECMA-48; mode 2026 lets terminals that know it show all of it at once.
  ///
  /// - Parameters:
  ///   - lines: the bars, none wider than the terminal; none to take them away.
  ///   - text: lines to stand above them, each with its newline; empty for none.
  /// - Returns: bytes to be written at once.
  mutating func drawing(_ lines: [String], above text: String = "") -> String {
    defer { height = lines.count }
    guard height > 0 || !lines.isEmpty else { return text }
    let up = height > 0 ? "\r\u{1B}[\(height)A" : ""
    // Bars are written over one another, so that nothing is blank in between; text is not, it may be of any width.
    let cleared = text.isEmpty ? "" : "\u{1B}[J" + text
    let bars = lines.map { $0 + "\u{1B}[K\n" }.joined()
    let rest = height > lines.count && text.isEmpty ? "\u{1B}[J" : ""
    return "\u{1B}[?2026h" + up + cleared + bars + rest + "\u{1B}[?2026l"
  }

  /// Others have written to the terminal: what was drawn stays where it is, and the next bars stand below.
  mutating func forget() { height = 0 }
}

// Draws progress bars on the terminal, and writes other messages above them.

import Core
import Machine
import Synchronization

/// The progress bars of running transfers; without a terminal only messages are printed.
final class ProgressDisplay: Sendable {
  private struct State {
    var running: [TransferProgress] = []
    var frame = ProgressFrame()
    /// The time of the last drawing, in milliseconds.
    var drawn: Int64?
  }

  private let isOn: Bool
  private let showsUnicode: Bool
  private let showsColor: Bool
  private let state = Mutex(State())

  /// The least time between two drawings, in milliseconds.
  private static let pause: Int64 = 100

  init(isWanted: Bool, showsColor: Bool, environment: [String: String]) {
    isOn = isWanted && environment["TERM", default: ""] != "dumb"
    showsUnicode = writesUTF8(environment)
    self.showsColor = showsColor
    // If this fails, bars stay on the terminal while the process is suspended.
    if isOn { try? DrawingBelow.eraseWhenSuspended() }
  }

  /// Updates the bars after an event; they are drawn at most every `pause`.
  func note(_ event: TransferEvent) {
    guard isOn else { return }
    state.withLock { state in
      switch event {
      case .began(let line, let offset, _):
        state.running.append(TransferProgress(line: line, received: offset, total: nil, bytesPerSecond: 0))
      case .progress(let running):
        state.running = running
      case .placed(let line, _), .unchanged(let line), .failed(let line, _), .left(let line, _, _):
        state.running.removeAll { $0.line.number == line.number }
      case .removed, .lowSpace, .directoryGone, .directoryUnusable: return
      }
      draw(&state, isUrgent: state.running.isEmpty)
    }
  }

  /// Writes messages above the bars.
  func write(_ text: String) {
    guard isOn else {
      Console.write(text, to: .error)
      return
    }
    state.withLock { state in draw(&state, above: text, isUrgent: true) }
  }

  /// Removes the bars; the next event draws them again.
  func end() {
    guard isOn else { return }
    state.withLock { state in
      state.running = []
      draw(&state, isUrgent: true)
    }
  }

  private func draw(_ state: inout State, above text: String = "", isUrgent: Bool) {
    let now = WallClock.monotonicMilliseconds()
    guard isUrgent || state.drawn.map({ now - $0 >= Self.pause }) ?? true else { return }
    state.drawn = now
    guard StandardStream.error.isForeground, let size = TerminalSize(.error) else {
      // Another process may write to the terminal meanwhile, and its text must not be overwritten.
      state.frame.forget()
      DrawingBelow.note(isDrawn: false)
      if !text.isEmpty { Console.write(text, to: .error) }
      return
    }
    let screen = ProgressScreen(
      columns: size.columns, rows: size.rows, showsUnicode: showsUnicode, showsColor: showsColor)
    let output = state.frame.drawing(progressLines(state.running, on: screen), above: text)
    guard !output.isEmpty else { return }
    if state.frame.height > 0 { DrawingBelow.note(isDrawn: true) }
    Console.write(output, to: .error)
    if state.frame.height == 0 { DrawingBelow.note(isDrawn: false) }
  }
}

/// The current size and capabilities of the terminal.
struct ProgressScreen: Hashable {
  var columns: Int
  var rows: Int
  /// Whether it shows more than ASCII.
  var showsUnicode: Bool
  var showsColor: Bool
}

/// Whether a process with this environment writes UTF-8: the first of the variables that is set decides (locale(7)).
func writesUTF8(_ environment: [String: String]) -> Bool {
  let named = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
  guard let codeset = named?.split(separator: ".").dropFirst().first else { return false }
  return ["utf-8", "utf8"].contains(codeset.prefix { $0 != "@" }.lowercased())
}

/// The bars at the bottom of a terminal, with the cursor at the beginning of the first bar.
///
/// A terminal that becomes narrower wraps its lines or cuts them; programs cannot ask which. In both cases the cursor
/// keeps its place in the text, and everything after it is bars.
struct ProgressFrame: Hashable {
  /// The number of bars.
  private(set) var height = 0

  init() {}

  /// The output that replaces the bars and writes text above them.
  ///
  /// Control functions are those of ECMA-48. Mode 2026 makes terminals that know it show everything at once. Mode 7,
  /// line wrap, is off, in case the terminal has just become narrower.
  ///
  /// - Parameters:
  ///   - lines: the bars, not wider than the terminal, and fewer than its rows; empty to remove all bars.
  ///   - text: lines for above the bars, each with its newline.
  /// - Returns: text to write in one call.
  mutating func drawing(_ lines: [String], above text: String = "") -> String {
    guard height > 0 || !lines.isEmpty else { return text }
    let back = height > 0 ? "\r" : ""
    height = lines.count
    // New bars overwrite old ones, which avoids flicker. Text may have any width, so bars are erased first.
    let above = text.isEmpty ? "" : Self.clear + text
    let bars = lines.isEmpty ? Self.clear : rows(lines)
    return "\u{1B}[?2026h" + back + above + bars + "\u{1B}[?2026l"
  }

  /// Leaves the bars where they are, because another process may have written below them; new bars follow below.
  mutating func forget() { height = 0 }

  /// The bars, and the movement back to the beginning of the first.
  private func rows(_ lines: [String]) -> String {
    let up = lines.count > 1 ? "\u{1B}[\(lines.count - 1)A" : ""
    return "\u{1B}[?7l" + lines.joined(separator: "\u{1B}[K\n") + Self.clear + "\u{1B}[?7h\r" + up
  }

  /// Erases from the cursor to the end of the screen.
  private static let clear = "\u{1B}[J"
}

// Draws progress bars on the terminal, and writes other messages above them.

import Core
import Host
import Sync
import Synchronization

/// The bars of running transfers on a terminal; where there is none to draw on, it only passes on what is said.
final class ProgressDisplay: Sendable {
  /// What is on the terminal, and what would be.
  private struct State {
    var running: [TransferProgress] = []
    var rates = SmoothedRates()
    var frame = ProgressFrame()
    /// When bars were last drawn, in milliseconds.
    var drawn: Int64?
  }

  private let isOn: Bool
  private let showsUnicode: Bool
  private let showsColor: Bool
  private let state = Mutex(State())

  /// The least milliseconds between two drawings.
  private static let pause: Int64 = 100

  /// Bars where they are wanted and the terminal can show them; others only pass on what is said.
  init(isWanted: Bool, showsColor: Bool, environment: [String: String]) {
    isOn = isWanted && environment["TERM", default: ""] != "dumb"
    showsUnicode = writesUTF8(environment)
    self.showsColor = showsColor
    // Without it bars are in the shell's way while the process is suspended, and that is all.
    if isOn { try? DrawingBelow.endsWhenSuspended() }
  }

  /// Takes note of what happened; it is drawn by and by.
  func note(_ event: TransferEvent) {
    guard isOn else { return }
    state.withLock { state in
      switch event {
      case .began(let line, let offset, _):
        state.running.append(TransferProgress(line: line, received: offset, total: nil, bytesPerSecond: 0))
      case .progress(let running):
        state.running = state.rates.take(running, at: WallClock.monotonicMilliseconds())
      case .placed(let line, _), .unchanged(let line), .failed(let line, _), .left(let line, _, _):
        state.running.removeAll { $0.line.number == line.number }
      case .removed, .lowSpace, .directoryGone, .directoryUnusable: return
      }
      draw(&state, isUrgent: state.running.isEmpty)
    }
  }

  /// Writes lines about the run, above the bars.
  func write(_ text: String) {
    guard isOn else { return Console.write(text, to: .error) }
    state.withLock { state in draw(&state, above: text, isUrgent: true) }
  }

  /// Takes the bars away; nothing is drawn before the next event.
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
      // What others write there meanwhile is not to be drawn over.
      state.frame.forget()
      DrawingBelow.note(isThere: false)
      return text.isEmpty ? () : Console.write(text, to: .error)
    }
    let screen = ProgressScreen(
      columns: size.columns, rows: size.rows, showsUnicode: showsUnicode, showsColor: showsColor)
    let output = state.frame.drawing(progressLines(state.running, on: screen), above: text)
    guard !output.isEmpty else { return }
    if state.frame.height > 0 { DrawingBelow.note(isThere: true) }
    Console.write(output, to: .error)
    if state.frame.height == 0 { DrawingBelow.note(isThere: false) }
  }
}

/// The terminal that bars are drawn on, as it is at one moment.
struct ProgressScreen: Hashable {
  var columns: Int
  var rows: Int
  /// Whether it shows more than ASCII.
  var showsUnicode: Bool
  var showsColor: Bool
}

/// Whether a process with this environment writes UTF-8 (locale(7)): what of these variables is set first decides.
func writesUTF8(_ environment: [String: String]) -> Bool {
  let named = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
  guard let codeset = named?.split(separator: ".").dropFirst().first else { return false }
  return ["utf-8", "utf8"].contains(codeset.prefix { $0 != "@" }.lowercased())
}

/// The bars that stand on a terminal, below everything else, the cursor at the beginning of the first one.
///
/// A terminal that becomes narrower wraps the lines that stand on it, or cuts them, and nobody can ask which it did.
/// In both cases the cursor stays with its text, and everything from there on is ours, in however many rows.
struct ProgressFrame: Hashable {
  /// How many lines there are.
  private(set) var height = 0

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

/// How fast each transfer is, over the last seconds.
struct SmoothedRates {
  /// How fast a transfer was at its last moment, and since when it is known.
  private struct Known {
    var received: Int64
    var rate: Double
    var since: Int64
    var at: Int64
  }

  private var known: [Int64: Known] = [:]

  /// How long a moment counts, in milliseconds.
  private static let memory = 4000.0

  init() {}

  /// Takes how far transfers are at a moment, in milliseconds that only ever grow, and gives the same with smoothed rates.
  ///
  /// Transfers that are not among them are forgotten.
  mutating func take(_ running: [TransferProgress], at now: Int64) -> [TransferProgress] {
    var next: [Int64: Known] = [:]
    let smoothed = running.map { progress in
      var progress = progress
      let known = known(of: progress, at: now)
      next[progress.line.number] = known
      progress.bytesPerSecond = Int64(known.rate)
      return progress
    }
    known = next
    return smoothed
  }

  /// The mean since the beginning first, and from then on that of the last seconds.
  private func known(of progress: TransferProgress, at now: Int64) -> Known {
    // What starts over has a new beginning.
    guard var last = known[progress.line.number], last.received <= progress.received else {
      let rate = Double(max(0, progress.bytesPerSecond))
      return Known(received: progress.received, rate: rate, since: now, at: now)
    }
    let elapsed = Double(now - last.at)
    guard elapsed > 0 else { return last }
    let present = Double(progress.received - last.received) * 1000 / elapsed
    last.rate += (present - last.rate) * elapsed / min(Double(now - last.since), Self.memory + elapsed)
    last.received = progress.received
    last.at = now
    return last
  }
}

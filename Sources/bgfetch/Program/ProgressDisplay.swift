// Draws bars on the terminal that standard error is, and writes what else is said above them.

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

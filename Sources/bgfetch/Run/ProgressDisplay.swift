// The live line of running downloads at the bottom of a terminal; other messages are written above it.

import Core
import Machine
import Running
import Synchronization

/// The live line of running transfers; without a terminal only messages are printed.
final class ProgressDisplay: Sendable {
  private struct State {
    var running: [TransferProgress] = []
    var isDrawn = false
  }

  private let isOn: Bool
  private let state = Mutex(State())

  init(isWanted: Bool, environment: [String: String]) {
    isOn = isWanted && environment["TERM", default: ""] != "dumb"
  }

  /// Updates the line after an event.
  func record(_ event: RunEvent) {
    guard isOn else { return }
    state.withLock { state in
      switch event {
      case .transferBegan(let transfer, let offset, _):
        state.running.append(
          TransferProgress(transfer: transfer, received: offset, total: nil, bytesPerSecond: 0))
      case .transferProgress(let running):
        state.running = running
      case .transferPlaced(let transfer, _), .transferUnchanged(let transfer),
        .transferFailed(let transfer, _),
        .transferLeft(let transfer, _, _):
        state.running.removeAll { $0.transfer.number == transfer.number }
      default: return
      }
      draw(&state)
    }
  }

  /// Writes messages above the line.
  func write(_ text: String) {
    guard isOn else {
      Console.write(text, to: .error)
      return
    }
    state.withLock { state in draw(&state, above: text) }
  }

  /// Removes the line; the next event draws it again.
  func end() {
    guard isOn else { return }
    state.withLock { state in
      state.running = []
      draw(&state)
    }
  }

  private func draw(_ state: inout State, above text: String = "") {
    guard StandardStream.error.isForeground, let columns = StandardStream.error.columns else {
      // Another process may write to the terminal meanwhile, and its text must not be overwritten.
      state.isDrawn = false
      if !text.isEmpty { Console.write(text, to: .error) }
      return
    }
    let line = progressLine(state.running, columns: columns)
    let output = drawing(line, above: text, replacing: state.isDrawn)
    guard !output.isEmpty else { return }
    state.isDrawn = line != nil
    Console.write(output, to: .error)
  }
}

/// The output that draws the live line, or removes it, and writes text above it.
///
/// The cursor stays at the beginning of the line. A terminal that becomes narrower wraps its lines or cuts them; programs
/// cannot ask which. In both cases the cursor keeps its place in the text, and everything after it is the line. Control
/// functions are those of ECMA-48. Mode 7, line wrap, is off, in case the terminal has just become narrower.
///
/// - Parameters:
///   - line: the line, not wider than the terminal; nil for none.
///   - text: lines for above it, each with its newline.
///   - isDrawn: whether an earlier line is on the terminal.
/// - Returns: text to write in one call.
func drawing(_ line: String?, above text: String = "", replacing isDrawn: Bool) -> String {
  guard isDrawn || line != nil else { return text }
  let clear = "\u{1B}[J"
  // A new line overwrites the old one, which avoids flicker. Text may have any width, so the line is erased first.
  let above = text.isEmpty && line != nil ? "" : clear + text
  return (isDrawn ? "\r" : "") + above + (line.map { "\u{1B}[?7l\($0)\(clear)\u{1B}[?7h\r" } ?? "")
}

/// The name of the running transfer, or the number of several, and the figures of all together, as many as fit.
///
/// The line leaves the last column of the terminal free: text in it makes some terminals begin a new line.
func progressLine(_ running: [TransferProgress], columns: Int) -> String? {
  guard var sum = running.first else { return nil }
  for progress in running.dropFirst() {
    sum.received += progress.received
    sum.bytesPerSecond += progress.bytesPerSecond
    // A server may say any size.
    sum.total = sum.total.flatMap { total in progress.total.map { total &+ $0 } }
  }
  var name = counted(running.count, "transfer")
  if running.count == 1 {
    name = cleanText("\(sum.transfer.feed): \(sum.transfer.description)", limit: 500)
  }
  let width = max(1, columns - 1)
  var figures = [
    percent(sum.received, of: sum.total).map { "\($0) %" }, timeLeft(sum),
    ByteCount(sum.bytesPerSecond).text + "/s", sizeText(sum.received, of: sum.total),
  ].compactMap { $0 }
  func room() -> Int { width - figures.reduce(0) { $0 + 2 + displayWidth($1) } }
  while !figures.isEmpty, room() < min(16, displayWidth(name)) { figures.removeLast() }
  return ([fitted(name, room())] + figures).joined(separator: "  ")
}

/// The received and total size in one unit: `12.3 of 45.1 MB`; `12.3 MB` if the total is unknown.
func sizeText(_ received: Int64, of total: Int64?) -> String {
  let total = total.flatMap { $0 > 0 ? " of " + ByteCount($0).text : nil }
  return ByteCount(received).text + (total ?? "")
}

/// The received share in percent, 100 only for a complete file; nil if the total is unknown.
func percent(_ received: Int64, of total: Int64?) -> Int? {
  guard let total, total > 0 else { return nil }
  return received >= total ? 100 : min(99, Int(Double(max(0, received)) / Double(total) * 100))
}

/// The remaining time at the present rate: `0:42`, `12:05`, `2:05:00`, `4 d`; nil if it is unknown.
func timeLeft(_ progress: TransferProgress) -> String? {
  guard let total = progress.total, progress.bytesPerSecond > 0, total >= progress.received else {
    return nil
  }
  let remaining = total - progress.received
  let seconds = remaining / progress.bytesPerSecond + (remaining % progress.bytesPerSecond > 0 ? 1 : 0)
  let left = Interval.seconds(seconds)
  return left < .days(2) ? left.playingTime : left.rounded
}

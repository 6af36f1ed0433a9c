// The experiment's table.

import Core

/// The table, and the goals that are not reached.
public func reportText(_ trials: [Trial]) -> String {
  var lines: [String] = []
  var setup: Setup?
  for (next, summary) in summaries(trials) {
    if next != setup {
      if setup != nil { lines.append("") }
      lines.append("minimum-interval \(next.interval.text), woken every \(next.tick.text)")
      lines.append(
        "  who              fetches a day   minutes since fetch   at equal fetches, of fixed     of plain"
      )
      lines.append(
        "                   plain  habits   plain  fixed habits   median  10 %  90 % worst  median worst"
      )
      setup = next
    }
    lines.append("  " + row(summary))
  }
  lines += [""] + (misses(trials).isEmpty ? ["goal reached"] : misses(trials).map { "MISSED: " + $0 })
  return lines.joined(separator: "\n")
}

private func row(_ summary: Summary) -> String {
  func column(_ value: Double, _ digits: Int, _ width: Int) -> String { left(decimal(value, digits), width) }
  return summary.kind.rawValue + String(repeating: " ", count: max(1, 15 - summary.kind.rawValue.count))
    + column(summary.value(\.plainFetches), 1, 7) + column(summary.value(\.fetches), 1, 8)
    + column(summary.value(\.plain), 0, 8) + column(summary.value(\.even), 0, 7)
    + column(summary.value(\.habits), 0, 7) + column(summary.value(\.ofEven), 2, 9)
    + column(summary.value(\.ofEven, at: 0.1), 2, 6) + column(summary.value(\.ofEven, at: 0.9), 2, 6)
    + column(summary.value(\.ofEven, at: 1), 2, 6)
    + column(summary.value(\.ofPlain), 2, 8) + column(summary.value(\.ofPlain, at: 1), 2, 6)
}

func left(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

/// A number that is not negative, with this many decimal places.
func decimal(_ value: Double, _ digits: Int) -> String {
  let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
  let scaled = Int((value * scale).rounded())
  guard digits > 0 else { return String(scaled) }
  let fraction = String(scaled % Int(scale))
  return "\(scaled / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
}

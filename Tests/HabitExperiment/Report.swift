// The experiment's table, and its chart as an SVG for light and dark pages.

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
        "  who              fetches a day   minutes since fetch   at equal fetches, of fixed           of plain  missed"
      )
      lines.append(
        "                   plain  habits   plain  fixed habits   median  10 %  90 % worst reachable  median worst median"
      )
      setup = next
    }
    lines.append("  " + row(summary))
  }
  lines += [""] + (misses(trials).isEmpty ? ["goal reached"] : misses(trials).map { "MISSED: " + $0 })
  return lines.joined(separator: "\n")
}

private func row(_ summary: Summary) -> String {
  func column(_ value: Double, _ digits: Int, _ width: Int) -> String {
    left(decimal(value, digits), width)
  }
  return summary.kind.rawValue + String(repeating: " ", count: max(1, 15 - summary.kind.rawValue.count))
    + column(summary.value(\.plainFetches), 1, 7) + column(summary.value(\.fetches), 1, 8)
    + column(summary.value(\.plain.sinceFetch), 0, 8) + column(summary.value(\.even.sinceFetch), 0, 7)
    + column(summary.value(\.habits.sinceFetch), 0, 7) + column(summary.value(\.ofEven), 2, 9)
    + column(summary.value(\.ofEven, at: 0.1), 2, 6) + column(summary.value(\.ofEven, at: 0.9), 2, 6)
    + column(summary.value(\.ofEven, at: 1), 2, 6)
    + (summary.trials[0].reachable == nil ? left("", 10) : column(summary.value { $0.reachable ?? 1 }, 2, 10))
    + column(summary.value(\.ofPlain), 2, 8) + column(summary.value(\.ofPlain, at: 1), 2, 6)
    + column(summary.value(\.ratioBehind), 2, 7)
}

private func left(_ text: String, _ width: Int) -> String {
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

/// The chart of one set-up: the staleness at fixed intervals and with habits, at equal fetches.
public func chart(_ trials: [Trial], _ setup: Setup) -> String {
  let rows = summaries(trials).filter { $0.setup == setup }.map(\.summary)
  let longest = rows.map { $0.value(\.even.sinceFetch, at: 0.9) }.max() ?? 1
  // The scale ends with a round number of minutes.
  let step = [10.0, 15, 20, 30, 60, 120].first { $0 * 6 >= longest } ?? 240
  let steps = Int((longest / step).rounded(.up))
  let plot = (left: 130.0, width: 460.0, top: 62.0, row: 40.0)
  let bottom = plot.top + plot.row * Double(rows.count)
  func x(_ minutes: Double) -> String {
    decimal(plot.left + plot.width * minutes / (step * Double(steps)), 1)
  }
  func length(_ minutes: Double) -> String { decimal(plot.width * minutes / (step * Double(steps)), 1) }

  var parts: [String] = []
  for number in 0...steps {
    let place = x(step * Double(number))
    parts.append("<path class=\"grid\" d=\"M\(place) \(decimal(plot.top - 6, 1))V\(decimal(bottom, 1))\"/>")
    parts.append(
      "<text class=\"scale\" x=\"\(place)\" y=\"\(decimal(bottom + 16, 1))\">\(Int(step) * number)</text>")
  }
  for (number, row) in rows.enumerated() {
    let top = plot.top + plot.row * Double(number)
    parts.append("<text class=\"who\" x=\"120\" y=\"\(decimal(top + 20, 1))\">\(row.kind.rawValue)</text>")
    let bars = [("fixed", 3.0, \Trial.even.sinceFetch), ("habits", 17.0, \Trial.habits.sinceFetch)]
    for (name, offset, path) in bars {
      let y = top + offset
      parts.append(
        "<rect class=\"\(name)\" x=\"\(x(0))\" y=\"\(decimal(y, 1))\" width=\"\(length(row.value { $0[keyPath: path] }))\""
          + " height=\"12\"/>")
      let ends = [0.1, 0.9].map { share in x(row.value({ $0[keyPath: path] }, at: share)) }
      parts.append("<path class=\"spread\" d=\"M\(ends[0]) \(decimal(y + 6, 1))H\(ends[1])\"/>")
    }
  }
  let height = decimal(bottom + 40, 0)
  return """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 620 \(height)" width="620" height="\(height)" role="img">
    <title>How old a feed is when the person looks, at equal fetches</title>
    <style>
    text { font: 12px sans-serif; fill: #59636e } .head { font-size: 14px; font-weight: bold; fill: #1f2328 }
    .who { text-anchor: end; fill: #1f2328 } .scale { text-anchor: middle } .grid { stroke: #d1d9e0 }
    .fixed { fill: #a8b3bd } .habits { fill: #1a7f64 } .spread { stroke: #59636e; stroke-width: 1.5 }
    @media (prefers-color-scheme: dark) {
    text { fill: #9198a1 } .head, .who { fill: #f0f6fc } .grid { stroke: #3d444d }
    .fixed { fill: #656c76 } .habits { fill: #3fb68b } .spread { stroke: #d1d7e0 } }
    </style>
    <text class="head" x="12" y="20">Minutes since the last fetch when the person looks, at equal fetches a day</text>
    <rect class="fixed" x="12" y="32" width="12" height="12"/><text x="30" y="42">fixed interval</text>
    <rect class="habits" x="122" y="32" width="12" height="12"/><text x="140" y="42">adapt: habits</text>
    <text x="240" y="42">minimum-interval \(setup.interval.text), woken every \(setup.tick.text); line: 10 to 90 %</text>
    \(parts.joined(separator: "\n"))
    </svg>

    """
}

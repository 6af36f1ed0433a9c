// The experiment's chart, an SVG that reads on light and on dark pages.

import Core

/// The chart of one set-up: how stale feeds are at fixed intervals and with habits, at equal fetches.
public func chart(_ trials: [Trial], _ setup: Setup) -> String {
  let rows = summaries(trials).filter { $0.setup == setup }.map(\.summary)
  let longest = rows.map { $0.value(\.even.sinceFetch, at: 0.9) }.max() ?? 1
  // A scale that ends with a round number of minutes.
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

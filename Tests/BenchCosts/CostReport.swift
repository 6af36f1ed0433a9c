// The measurements as a table and as a chart.

import Foundation

func table(_ results: [BenchResult]) -> String {
  var lines = [
    "| what | beside | CPU | wall | CPU of bgfetch | memory |", "| --- | --- | --- | --- | --- | --- |",
  ]
  for result in results {
    let cells = [
      result.title, result.floor, number(result.ratio(\.processor)) + " ×",
      number(result.ratio(\.wall)) + " ×", seconds(median(result.own.map(\.processor))),
      "\(Int(median(result.own.map(\.memory)).rounded())) MiB",
    ]
    lines.append("| " + cells.joined(separator: " | ") + " |")
  }
  return lines.joined(separator: "\n")
}

/// Bars of the ratios of CPU time; the line at 1 is the other program.
func chartText(_ results: [BenchResult]) -> String {
  let (row, left, width) = (44, 260, 300)
  // Longer bars are cut, so that the others can be compared.
  let most = 4.0
  func x(_ ratio: Double) -> Int { left + Int(Double(width) * min(ratio, most) / most) }
  let height = 40 + row * results.count
  var parts = [
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 \(height)" width="640" height="\(height)" role="img">
    <title>CPU time of bgfetch beside other programs with the same work</title>
    <style>
    text { font: 13px sans-serif; fill: #24292f } .beside { font-size: 11px; fill: #57606a } rect { fill: #2f6f4f }
    line { stroke: #57606a; stroke-dasharray: 3 3 }
    @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .beside { fill: #9aa4ae } rect { fill: #57ab7a } }
    </style>
    """
  ]
  for (index, result) in results.enumerated() {
    let top = 30 + row * index
    let ratio = result.ratio(\.processor)
    parts.append(
      """
      <text x="0" y="\(top + 14)">\(result.title)</text>
      <text class="beside" x="0" y="\(top + 29)">\(result.floor)</text>
      <rect x="\(left)" y="\(top + 4)" width="\(max(2, x(ratio) - left))" height="20" rx="2"/>
      <text x="\(x(ratio) + 6)" y="\(top + 19)">\(number(ratio)) ×</text>
      """)
  }
  parts.append("<line x1=\"\(x(1))\" y1=\"22\" x2=\"\(x(1))\" y2=\"\(height - 6)\"/>")
  parts.append("<text class=\"beside\" x=\"\(x(1) - 30)\" y=\"16\">the other = 1</text>\n</svg>\n")
  return parts.joined(separator: "\n")
}

private func number(_ ratio: Double) -> String { String(format: "%.2f", ratio) }

private func seconds(_ value: Double) -> String {
  value < 0.1 ? String(format: "%.1f ms", value * 1000) : String(format: "%.2f s", value)
}

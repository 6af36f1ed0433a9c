// Lengths of time and sizes. A number without a unit is refused.

import Core

extension Field {
  /// A duration within bounds; the words are its alternatives.
  func interval(
    atLeast least: Interval = .zero, atMost most: Interval = .days(3650), or words: [String] = []
  ) throws(Mistake) -> Interval {
    var expected: String { list(["a duration such as 90s, 15m, 1h30m, 2d"] + words, "or") }
    let text = try text(expecting: expected)
    guard let interval = Interval(text: text) else {
      var mistake = noQuantity(text, "duration", expected)
      mistake.cure = meantWord(text, among: words) ?? mistake.cure
      throw mistake
    }
    try require(interval >= least, "\(name) \(text) is too short", cure: "write \(least.text) or more")
    try require(interval <= most, "\(name) \(text) is too long", cure: "write \(most.text) or less")
    return interval
  }

  /// A size within bounds; `suffix` follows the unit.
  func size(atLeast least: ByteCount, suffix: String = "") throws(Mistake) -> ByteCount {
    var expected: String { "a size such as " + list(["512KiB", "2MiB", "1GB"].map { $0 + suffix }, "or") }
    let text = try text(expecting: expected)
    guard text.hasSuffix(suffix), let size = ByteCount(text: String(text.dropLast(suffix.count))) else {
      throw noQuantity(text, suffix.isEmpty ? "size" : "size per second", expected)
    }
    try require(
      size >= least, "\(name) \(text) is too small", cure: "write \(least.bytes)B\(suffix) or more")
    return size
  }

  private func noQuantity(_ text: String, _ kind: String, _ expected: String) -> Mistake {
    let fault = Int64(text) == nil ? "is not a \(kind)" : "has no unit"
    return mistake("\(name) \"\(shown(text))\" \(fault)", cure: "write " + expected)
  }
}

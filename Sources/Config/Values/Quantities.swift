// Lengths of time and sizes. A number without a unit is refused.

import Core

extension Field {
  /// A duration within bounds.
  func interval(
    atLeast least: Interval = .zero, atMost most: Interval = .days(3650), or words: [String] = []
  ) throws(Mistake) -> Interval {
    let orWords = words.map { ", or \($0)" }.joined()
    func mistake(_ value: String, _ isWhat: String, _ cure: String) -> Mistake {
      self.mistake("\(name) \(value) \(isWhat)", cure: "write " + cure)
    }
    var expected: String { list(["a duration such as 90s, 15m, 1h30m, 2d"] + words, "or") }
    let text = try text(expecting: expected)
    if let interval = Interval(text: text) {
      if interval < least { throw mistake(text, "is too short", "\(least.text) or more" + orWords) }
      if interval > most { throw mistake(text, "is too long", "\(most.text) or less" + orWords) }
      return interval
    }
    if let slip = nearest(text, among: words) {
      throw self.mistake(
        "\(name) \"\(shown(text))\" is not a duration", cure: "did you mean \"\(slip.word)\"?")
    }
    throw mistake("\"\(shown(text))\"", Int64(text) == nil ? "is not a duration" : "has no unit", expected)
  }

  /// A size within bounds; `suffix` follows the unit.
  func size(
    atLeast least: ByteCount, suffix: String = "", or words: [String] = []
  ) throws(Mistake) -> ByteCount {
    func mistake(_ value: String, _ isWhat: String, _ cure: String) -> Mistake {
      self.mistake("\(name) \(value) \(isWhat)", cure: "write " + cure)
    }
    var expected: String {
      "a size such as " + list(["512KiB", "2MiB", "1GB"].map { $0 + suffix } + words, "or")
    }
    let fewest = "\(least.bytes)B\(suffix) or more" + words.map { ", or \($0)" }.joined()
    let text = try text(expecting: expected)
    if text.hasSuffix(suffix), let size = ByteCount(text: String(text.dropLast(suffix.count))) {
      if size < least { throw mistake(text, "is too small", fewest) }
      return size
    }
    let isWhat = Int64(text) == nil ? "is not a size" + (suffix.isEmpty ? "" : " per second") : "has no unit"
    throw mistake("\"\(shown(text))\"", isWhat, expected)
  }
}

// Lengths of time and sizes. A number without a unit is refused; the cure shows what it may mean.

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
    let tooShort = (what: "is too short", cure: "\(least.text) or more" + orWords)
    let tooLong = (what: "is too long", cure: "\(most.text) or less" + orWords)
    var expected: String { list(["a duration such as 90s, 15m, 1h30m, 2d"] + words, "or") }
    let text = try text(expecting: expected)
    if let interval = Interval(text: text) {
      if interval < least { throw mistake(text, tooShort.what, tooShort.cure) }
      if interval > most { throw mistake(text, tooLong.what, tooLong.cure) }
      return interval
    }
    // The proposals must pass this check themselves.
    func allowed(_ texts: [String]) -> String? {
      let usable = texts.filter { text in Interval(text: text).map { $0 >= least && $0 <= most } ?? false }
      return usable.isEmpty ? nil : list(usable, "or")
    }
    if let number = Int64(text) {
      if let lengths = allowed(lengths(of: number)) { throw mistake("\"\(number)\"", "has no unit", lengths) }
      let (what, cure) = number <= 0 ? tooShort : tooLong
      throw mistake("\(number)", what, cure)
    }
    if let slip = nearest(text, among: words) {
      throw self.mistake(
        "\(name) \"\(shown(text))\" is not a duration", cure: "did you mean \"\(slip.word)\"?")
    }
    throw mistake(
      "\"\(shown(text))\"", "is not a duration", likelyInterval(text).flatMap { allowed([$0]) } ?? expected)
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
    if let number = Int64(text) {
      throw number < least.bytes
        ? mistake("\(number)", "is too small", fewest)
        : mistake(
          "\"\(number)\"", "has no unit",
          "\(number)B\(suffix), \(number)KiB\(suffix) or \(number)MiB\(suffix)")
    }
    let likely = likelySize(text, suffix: suffix)
    // The size does not fit into a number of bytes.
    if likely == text { throw mistake(text, "is too large", "1000TiB\(suffix) or less") }
    throw mistake(
      "\"\(shown(text))\"", "is not a size" + (suffix.isEmpty ? "" : " per second"), likely ?? expected)
  }
}

/// The lengths that `60` may mean.
private func lengths(of number: Int64) -> [String] {
  guard number != 0 else { return ["0s"] }
  return ["\(number)s", "\(number)m", number % 60 == 0 ? "\(number / 60)h" : "\(number)h"]
}

/// The probable meaning of `90 minutes`, `1.5h` or `2 weeks`.
private func likelyInterval(_ text: String) -> String? {
  var unit = text[...]
  guard let number = parseNumber(from: &unit), let seconds = secondsOfUnit(unit) else { return nil }
  let total = number * Double(seconds)
  guard total >= 1, total < 1e9, total == total.rounded() else { return nil }
  return Interval(seconds: Int64(total)).text
}

/// The seconds of a unit, by the beginning of its name; months and years have no fixed length.
private func secondsOfUnit(_ unit: Substring) -> Int64? {
  let unit = unit.lowercased()
  if unit.hasPrefix("mo") || unit == "ms" || !unit.allSatisfy(\.isLetter) { return nil }
  switch unit.first {
  case "s": return 1
  case "m": return 60
  case "h": return 3600
  case "d": return 86_400
  case "w": return 604_800
  default: return nil
  }
}

/// The probable meaning of `10M`, `2 MiB` or `1mb`.
private func likelySize(_ text: String, suffix: String) -> String? {
  var text = text.lowercased()
  for ending in ["/s", "ps"] where text.hasSuffix(ending) { text = String(text.dropLast(2)) }
  var unit = text[...]
  guard let number = parseNumber(from: &unit), number == number.rounded(), number >= 0, number < 1e9,
    let letter = unit.first, "bkmgt".contains(letter)
  else { return nil }
  let whole = "\(Int64(number))"
  if letter == "b" { return "\(whole)B\(suffix)" }
  let capital = letter.uppercased()
  switch unit.dropFirst() {
  case "", "ib", "i":
    return "\(whole)\(capital)iB\(suffix)" + (unit.count == 1 ? " or \(whole)\(capital)B\(suffix)" : "")
  case "b": return "\(whole)\(capital)B\(suffix)"
  default: return nil
  }
}

/// Removes a number and the blanks after it from the beginning of a text; nil if no number is there.
private func parseNumber(from text: inout Substring) -> Double? {
  let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
  text = text.dropFirst(digits.count).drop { $0 == " " }
  return Double(digits)
}

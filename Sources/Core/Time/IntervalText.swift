// The text people write for a length of time, `1h30m`. What a key allows is the configuration's business.

extension Interval {
  /// The units, longest first, which is the order they are written in.
  private static let units: [(letter: UInt8, seconds: Int64)] = [
    (UInt8(ascii: "d"), 86_400), (UInt8(ascii: "h"), 3600), (UInt8(ascii: "m"), 60), (UInt8(ascii: "s"), 1),
  ]

  /// Reads text such as `90s`, `15m`, `1h30m`, `2d` or `0s`.
  ///
  /// Each of the units d, h, m and s stands at most once, longer ones first, each after its own digits. Nil for
  /// everything else: a number without a unit (`60` may be seconds or minutes), signs, fractions, blanks, and what
  /// does not fit.
  public init?(text: String) {
    var total: Int64 = 0
    var number: Int64?
    var allowed = Self.units[...]
    for byte in text.utf8 {
      if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
        let (tens, tooBig) = (number ?? 0).multipliedReportingOverflow(by: 10)
        let (sum, overflow) = tens.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
        guard !tooBig, !overflow else { return nil }
        number = sum
      } else {
        guard let count = number, let unit = allowed.firstIndex(where: { $0.letter == byte }) else {
          return nil
        }
        let (part, tooBig) = count.multipliedReportingOverflow(by: Self.units[unit].seconds)
        let (sum, overflow) = total.addingReportingOverflow(part)
        guard !tooBig, !overflow else { return nil }
        total = sum
        number = nil
        allowed = Self.units[(unit + 1)...]
      }
    }
    // Digits left over have no unit; no unit used at all means that there was nothing to read.
    guard number == nil, allowed.count < Self.units.count, total <= Self.longest.seconds else { return nil }
    self.init(seconds: total)
  }

  /// The length in the one way this program writes it: longest units first, none that is zero, for example `1h30m`.
  ///
  /// No time at all is `0s`. `Interval(text:)` reads it back to the same length.
  public var text: String {
    guard seconds > 0 else { return "0s" }
    var text = ""
    var rest = seconds
    for unit in Self.units where rest >= unit.seconds {
      text += "\(rest / unit.seconds)\(Character(Unicode.Scalar(unit.letter)))"
      rest %= unit.seconds
    }
    return text
  }
}

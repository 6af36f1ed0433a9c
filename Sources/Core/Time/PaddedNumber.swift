// Numbers of a fixed width, as dates and times are written.

extension BinaryInteger {
  /// The number in decimal, filled up on the left to so many characters; a minus sign stays in front.
  func padded(to width: Int, with filler: Character = "0") -> String {
    let digits = String(magnitude)
    let sign = self < 0 ? "-" : ""
    return sign + String(repeating: filler, count: max(0, width - digits.utf8.count - sign.utf8.count))
      + digits
  }
}

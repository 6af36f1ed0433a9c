// RFC 3339 text of a moment: what the program prints and what BGFETCH_NOW is read from.

extension Instant {
  /// The moment as RFC 3339 text in UTC, for example `2026-11-21T08:30:00Z`.
  public var rfc3339: String {
    let civil = CivilTime(secondsSince1970: secondsSince1970)
    return "\(civil.year.padded(to: 4))-\(civil.month.padded(to: 2))-\(civil.day.padded(to: 2))"
      + "T\(civil.hour.padded(to: 2)):\(civil.minute.padded(to: 2)):\(civil.second.padded(to: 2))Z"
  }

  /// Reads RFC 3339 text with `Z` or a numeric offset; fractions of a second are dropped.
  ///
  /// Nil if it is not that.
  public init?(rfc3339 text: String) {
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int? {
      guard range.upperBound <= bytes.count else { return nil }
      var value = 0
      for byte in bytes[range] {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + Int(byte - 0x30)
      }
      return value
    }
    func byte(_ index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }
    guard let year = number(0..<4), byte(4) == UInt8(ascii: "-"), let month = number(5..<7),
      byte(7) == UInt8(ascii: "-"), let day = number(8..<10),
      [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")].contains(byte(10)),
      let hour = number(11..<13), byte(13) == UInt8(ascii: ":"), let minute = number(14..<16),
      byte(16) == UInt8(ascii: ":"), let second = number(17..<19),
      (1...12).contains(month), (1...CivilTime.daysInMonth(month, year: year)).contains(day),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    var index = 19
    if byte(index) == UInt8(ascii: ".") {
      index += 1
      let start = index
      while let digit = byte(index), (0x30...0x39).contains(digit) { index += 1 }
      guard index > start else { return nil }
    }
    let offset: Int
    switch byte(index) {
    case UInt8(ascii: "Z"), UInt8(ascii: "z"):
      guard index + 1 == bytes.count else { return nil }
      offset = 0
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      guard let hours = number(index + 1..<index + 3), byte(index + 3) == UInt8(ascii: ":"),
        let minutes = number(index + 4..<index + 6), index + 6 == bytes.count, hours < 24, minutes < 60
      else { return nil }
      offset = (hours * 3600 + minutes * 60) * (byte(index) == UInt8(ascii: "-") ? -1 : 1)
    default:
      return nil
    }
    let civil = CivilTime(
      year: year, month: month, day: day, hour: hour, minute: minute, second: min(second, 59))
    self.init(secondsSince1970: civil.secondsSince1970 + Int64(second == 60 ? 1 : 0) - Int64(offset))
  }
}

extension Instant {
  /// The moment as RFC 3339 text with the offset of a zone, for example `2026-11-21T09:30:00+01:00`.
  public func rfc3339(in zone: Zone) -> String {
    let offset = zone.offset(at: self)
    guard offset != 0 else { return rfc3339 }
    let minutes = abs(offset) / 60
    let local = Instant(secondsSince1970: secondsSince1970 + Int64(offset)).rfc3339.dropLast()
    return "\(local)\(offset < 0 ? "-" : "+")\((minutes / 60).padded(to: 2)):\((minutes % 60).padded(to: 2))"
  }
}

// Time zones as values: offsets from UTC, and the moments that local times name. Machine finds and reads the zone files.

/// A time zone: the offset from UTC at any moment, in seconds, east positive.
public struct Zone: Equatable, Sendable {
  /// The name from the user or the system, such as `Europe/Berlin`.
  public let name: String
  /// The offset before the first transition.
  let initialOffset: Int
  /// Changes of the offset, ascending.
  let transitions: [Transition]
  /// The rule after the last transition; nil keeps the last offset forever.
  let footer: PosixRule?
  /// When a person reads times of this zone on a terminal, where they are short; nil elsewhere.
  public var readAt: Instant?

  /// A moment and the offset that begins there.
  struct Transition: Equatable, Sendable {
    let at: Instant
    let offset: Int
  }

  public static let utc = Zone(name: "UTC", initialOffset: 0, transitions: [], footer: nil)
}

extension Zone {
  /// A zone from a rule in the environment variable TZ, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
  ///
  /// The rule applies to all years. Nil if the text is not such a rule (POSIX XBD 8.3, RFC 9636 §3.3.1) but, for example,
  /// the name of a zone file.
  public init?(name: String, posix text: String) {
    guard let rule = PosixRule(text: text) else { return nil }
    self.init(name: name, initialOffset: rule.standardOffset, transitions: [], footer: rule)
  }

  /// Seconds to add to UTC for local time at a moment; negative west of Greenwich.
  public func offset(at moment: Instant) -> Int {
    Int(period(containing: moment.secondsSince1970).offset)
  }

  /// The local time at a moment.
  public func civil(at moment: Instant) -> CivilTime {
    let seconds = OffsetPeriod.clamped(moment.secondsSince1970)
    return CivilTime(secondsSince1970: seconds + period(containing: seconds).offset)
  }
}

/// A period with one offset, in seconds since 1970 in UTC.
struct OffsetPeriod: Sendable {
  let start: Int64
  let end: Int64
  /// Seconds to add to UTC for local time.
  let offset: Int64
  /// The offset before this period, or `offset` if this is the first.
  let previousOffset: Int64

  /// The `start` of the first period: the first `Instant`.
  static let beginning: Int64 = -Interval.longest.seconds
  /// The `end` of the last period: the second after the last `Instant`.
  static let forever: Int64 = Interval.longest.seconds + 1
  /// The limit of all offsets: 26 hours (RFC 9636 §3.2).
  static let widestOffset: Int64 = 26 * 3600

  /// A second within the first and the last `Instant`, so that sums with offsets cannot overflow.
  static func clamped(_ seconds: Int64) -> Int64 {
    min(max(seconds, beginning), forever - 1)
  }

  /// The seconds skipped when this period began; zero if clocks were set back.
  var gapBefore: Int64 { max(0, offset - previousOffset) }
}

extension Zone {
  /// The period that contains a second; takes logarithmic time in the number of transitions.
  func period(containing second: Int64) -> OffsetPeriod {
    let second = OffsetPeriod.clamped(second)
    let passed = transitions.sortedIndex { $0.at.secondsSince1970 > second }
    let start = passed > 0 ? transitions[passed - 1].at.secondsSince1970 : OffsetPeriod.beginning
    let previousOffset = Int64(passed > 1 ? transitions[passed - 2].offset : initialOffset)
    if passed == transitions.count, let footer {
      let period = footer.period(containing: second)
      // The rule may have changes before the table's last one; those never happened.
      guard period.start <= start else { return period }
      return OffsetPeriod(
        start: start, end: period.end, offset: period.offset,
        previousOffset: passed > 0 ? previousOffset : period.offset)
    }
    return OffsetPeriod(
      start: start,
      end: passed < transitions.count ? transitions[passed].at.secondsSince1970 : OffsetPeriod.forever,
      offset: Int64(passed > 0 ? transitions[passed - 1].offset : initialOffset),
      previousOffset: previousOffset)
  }
}

extension Zone {
  /// The first moment at which clocks of this zone show a local time or, where a clock change skips it, a later one.
  public func firstMoment(of civil: CivilTime) -> Instant {
    Instant(secondsSince1970: firstSecond(reaching: civil.secondsSince1970))
  }

  /// The first second at which clocks show a local time or a later one: the end of the gap if the time is skipped.
  func firstSecond(reaching local: Int64) -> Int64 {
    var period = period(containing: local - OffsetPeriod.widestOffset)
    while period.end + period.offset <= local, period.end < OffsetPeriod.forever {
      period = self.period(containing: period.end)
    }
    return max(period.start, local - period.offset)
  }

  /// The latest local time that clocks have shown up to and including a second.
  ///
  /// It differs from the current local time only for a while after clocks were set back.
  func furthestLocalTime(through second: Int64) -> Int64 {
    let second = OffsetPeriod.clamped(second)
    var period = period(containing: second)
    var furthest = second + period.offset
    while period.start > max(second - 2 * OffsetPeriod.widestOffset, OffsetPeriod.beginning) {
      period = self.period(containing: period.start - 1)
      furthest = max(furthest, period.end - 1 + period.offset)
    }
    return furthest
  }
}

extension Zone {
  /// Parses a zone file of versions 2 to 4 (RFC 9636).
  ///
  /// Such files contain everything twice; the first block, in 32 bits, is skipped. Later versions are read like 4, as the
  /// standard allows. Nil if the file breaks the standard, counts leap seconds, or is of version 1.
  public init?(name: String, zoneFile bytes: [UInt8]) {
    var reader = ZoneFileReader(bytes: bytes[...])
    guard let first = reader.header(), first.version >= "2",
      reader.parse(first.blockSize(timeSize: 4)) != nil,
      let table = reader.header().flatMap({ reader.table($0) }), let footer = reader.footer()
    else { return nil }
    let rule = PosixRule(text: footer)
    guard footer.isEmpty || rule != nil else { return nil }
    self.init(name: name, initialOffset: table.initialOffset, transitions: table.transitions, footer: rule)
  }
}

private struct ZoneFileHeader {
  let version: UInt8
  let utcMarkCount: Int
  let standardMarkCount: Int
  let leapSecondCount: Int
  let transitionCount: Int
  let typeCount: Int
  let abbreviationSize: Int

  /// The size in bytes of the following block; the counts have 32 bits, so this cannot overflow.
  func blockSize(timeSize: Int) -> Int {
    transitionCount * (timeSize + 1) + typeCount * 6 + abbreviationSize + leapSecondCount * (timeSize + 4)
      + standardMarkCount + utcMarkCount
  }
}

/// Takes the parts of a zone file from its front; each function returns nil if its part is not there.
private struct ZoneFileReader {
  var bytes: ArraySlice<UInt8>

  mutating func parse(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= bytes.count else { return nil }
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }

  mutating func header() -> ZoneFileHeader? {
    guard bytes.starts(with: "TZif".utf8), let header = parse(44) else { return nil }
    func count(_ index: Int) -> Int {
      Int(UInt32(truncatingIfNeeded: bigEndian(header.dropFirst(20 + index * 4).prefix(4))))
    }
    return ZoneFileHeader(
      version: header[header.startIndex + 4], utcMarkCount: count(0), standardMarkCount: count(1),
      leapSecondCount: count(2), transitionCount: count(3), typeCount: count(4), abbreviationSize: count(5))
  }

  mutating func table(
    _ header: ZoneFileHeader
  ) -> (initialOffset: Int, transitions: [Zone.Transition])? {
    let timeSize = 8
    guard header.leapSecondCount == 0, let bytes = parse(header.blockSize(timeSize: timeSize)) else {
      return nil
    }
    var block = ZoneFileReader(bytes: bytes)
    guard let times = block.parse(header.transitionCount * timeSize),
      let types = block.parse(header.transitionCount), let offsets = block.offsets(count: header.typeCount),
      let initialOffset = offsets.first
    else { return nil }
    var transitions: [Zone.Transition] = []
    transitions.reserveCapacity(header.transitionCount)
    for (index, type) in types.enumerated() {
      let time = bigEndian(times.dropFirst(index * timeSize).prefix(timeSize))
      // The types exist, and the times are in reach and ascend.
      guard offsets.indices.contains(Int(type)), OffsetPeriod.clamped(time) == time || time < 0,
        transitions.last.map({ $0.at.secondsSince1970 < time }) ?? true
      else { return nil }
      transitions.append(
        Zone.Transition(at: Instant(secondsSince1970: time), offset: offsets[Int(type)]))
    }
    return (initialOffset, transitions)
  }

  /// The offsets of the local time types: the first four of each type's six bytes.
  private mutating func offsets(count: Int) -> [Int]? {
    guard let types = parse(count * 6) else { return nil }
    var offsets: [Int] = []
    for index in 0..<count {
      let offset = bigEndian(types.dropFirst(index * 6).prefix(4))
      guard abs(offset) < OffsetPeriod.widestOffset else { return nil }
      offsets.append(Int(offset))
    }
    return offsets
  }

  /// The text of the yearly rule between two line ends; it may be empty.
  mutating func footer() -> String? {
    guard parse(1)?.first == "\n", let end = bytes.firstIndex(of: "\n") else { return nil }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }
}

/// A signed big-endian number of four or eight bytes.
private func bigEndian(_ bytes: ArraySlice<UInt8>) -> Int64 {
  let isNegative = (bytes.first ?? 0) >= 0x80
  return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
}

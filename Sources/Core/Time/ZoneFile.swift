// Parses the system's zone files, TZif of RFC 9636, without trusting their bytes.

/// The reason why bytes are not a usable zone file.
public enum ZoneFileProblem: Error, Hashable, Sendable {
  case notAZoneFile
  /// The bytes end before the length that the header announces.
  case cutShort
  /// The bytes break this rule of RFC 9636.
  case malformed(String)
  /// The last line, which is not a yearly rule.
  case unreadableRule(String)
  /// The seconds include leap seconds, as in `right/Europe/Berlin`.
  case countsLeapSeconds
}

extension Zone {
  /// Parses a zone file of versions 1 to 4 (RFC 9636).
  ///
  /// Versions from 2 on contain everything twice; the first block, in 32 bits, is skipped. Later versions are read like 4, as
  /// the standard allows.
  public init(name: String, zoneFile bytes: [UInt8]) throws(ZoneFileProblem) {
    var reader = ZoneFileReader(bytes: bytes[...])
    var header = try reader.header()
    let hasSecondBlock = header.version >= UInt8(ascii: "2")
    if hasSecondBlock {
      _ = try reader.take(header.blockSize(timeSize: 4))
      header = try reader.header()
    }
    let table = try reader.table(header, timeSize: hasSecondBlock ? 8 : 4)
    self.init(
      name: name, initialOffset: table.initialOffset, transitions: table.transitions,
      footer: hasSecondBlock ? try reader.footer() : nil)
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

private struct ZoneFileReader {
  var bytes: ArraySlice<UInt8>

  mutating func take(_ count: Int) throws(ZoneFileProblem) -> ArraySlice<UInt8> {
    guard count <= bytes.count else { throw .cutShort }
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }

  mutating func header() throws(ZoneFileProblem) -> ZoneFileHeader {
    guard bytes.starts(with: "TZif".utf8) else { throw .notAZoneFile }
    let header = try take(44)
    func count(_ index: Int) -> Int {
      Int(UInt32(truncatingIfNeeded: bigEndian(header.dropFirst(20 + index * 4).prefix(4))))
    }
    return ZoneFileHeader(
      version: header[header.startIndex + 4], utcMarkCount: count(0), standardMarkCount: count(1),
      leapSecondCount: count(2), transitionCount: count(3), typeCount: count(4), abbreviationSize: count(5))
  }

  mutating func table(
    _ header: ZoneFileHeader, timeSize: Int
  ) throws(ZoneFileProblem) -> (initialOffset: Int, transitions: [Zone.Transition]) {
    var block = ZoneFileReader(bytes: try take(header.blockSize(timeSize: timeSize)))
    guard header.leapSecondCount == 0 else { throw .countsLeapSeconds }
    let times = try block.take(header.transitionCount * timeSize)
    let types = try block.take(header.transitionCount)
    let offsets = try block.offsets(count: header.typeCount)
    guard let initialOffset = offsets.first else { throw .malformed("there is at least one local time type") }

    var transitions: [Zone.Transition] = []
    transitions.reserveCapacity(header.transitionCount)
    for (index, type) in types.enumerated() {
      let time = bigEndian(times.dropFirst(index * timeSize).prefix(timeSize))
      guard offsets.indices.contains(Int(type)) else { throw .malformed("a transition's type exists") }
      guard OffsetPeriod.clamped(time) == time || time < 0 else {
        throw .malformed("transitions are in reach")
      }
      guard transitions.last.map({ $0.at.secondsSince1970 < time }) ?? true else {
        throw .malformed("transitions ascend")
      }
      transitions.append(
        Zone.Transition(at: Instant(secondsSince1970: time), offset: offsets[Int(type)]))
    }
    return (initialOffset, transitions)
  }

  /// The offsets of the local time types: the first four of each type's six bytes.
  private mutating func offsets(count: Int) throws(ZoneFileProblem) -> [Int] {
    let types = try take(count * 6)
    var offsets: [Int] = []
    for index in 0..<count {
      let offset = bigEndian(types.dropFirst(index * 6).prefix(4))
      guard abs(offset) < OffsetPeriod.widestOffset else { throw .malformed("offsets are below 26 hours") }
      offsets.append(Int(offset))
    }
    return offsets
  }

  /// The yearly rule between two line ends; nil if the line is empty.
  mutating func footer() throws(ZoneFileProblem) -> PosixRule? {
    guard try take(1).first == UInt8(ascii: "\n") else {
      throw .malformed("the footer begins with a line end")
    }
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { throw .cutShort }
    let text = String(decoding: bytes[..<end], as: UTF8.self)
    guard !text.isEmpty else { return nil }
    guard let rule = PosixRule(text: text) else { throw .unreadableRule(text) }
    return rule
  }
}

/// A signed big-endian number of four or eight bytes.
private func bigEndian(_ bytes: ArraySlice<UInt8>) -> Int64 {
  let isNegative = (bytes.first ?? 0) >= 0x80
  return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
}

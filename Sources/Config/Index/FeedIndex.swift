// Where each feed is in the files of a configuration, so that a command about one feed of very many reads that feed only.
// An index is stored between runs. It belongs to one version of the files; the caller makes sure that they are unchanged.

import Core

/// The places of all feeds in the files of a configuration.
public struct FeedIndex: Sendable {
  /// The index as it is stored: the number of files; for each file its size and its numbers of feeds and of rests; for
  /// each feed the fingerprint of its name and its range in the file; the places of all feeds, by fingerprint; the ranges
  /// of the rests.
  public let stored: [UInt8]
  /// The files with the places of their feeds, the main file first.
  let files: [(size: Int, places: Range<Int>)]
  /// For each file, the ranges that are neither feeds nor blank, in order.
  private let rests: [[Range<Int>]]

  /// An index of these files, the main file first; nil if feeds are written in a way that needs the whole file: between
  /// braces, or with anchors.
  public init?(of files: [[UInt8]]) {
    var head: [UInt8] = []
    var records: [UInt8] = []
    var fingerprints: [UInt64] = []
    var rests: [UInt8] = []
    head.append(number: UInt64(files.count), bytes: 4)
    for bytes in files {
      let text = EditedText(bytes)
      guard bytes.count <= UInt32.max, let outline = FeedsOutline(text), !outline.hasAnchors else {
        return nil
      }
      switch outline.form {
      case .missing, .null, .block: break
      case .flow, .other: return nil
      }
      var (restCount, end) = (0, 0)
      func addRest(_ rest: Range<Int>) {
        guard bytes[rest].contains(where: { $0 > UInt8(ascii: " ") }) else { return }
        restCount += 1
        rests.append(range: rest)
      }
      for entry in outline.entries {
        let start = text.lineStart(of: entry.key.lowerBound)
        guard FeedName(entry.name) != nil, text.skipBlanks(from: start) == entry.key.lowerBound,
          Self.isKey(entry.name, bytes, at: start), text.isRestOfLineFree(from: entry.end),
          end <= start, start <= entry.end
        else { return nil }
        fingerprints.append(Self.fingerprint(of: entry.name))
        records.append(number: Self.fingerprint(of: entry.name), bytes: 8)
        records.append(range: start..<entry.end)
        addRest(end..<start)
        end = entry.end
      }
      addRest(end..<bytes.count)
      for number in [bytes.count, outline.entries.count, restCount] {
        head.append(number: UInt64(number), bytes: 4)
      }
    }
    for place in fingerprints.indices.sorted(by: { (fingerprints[$0], $0) < (fingerprints[$1], $1) }) {
      records.append(number: UInt64(place), bytes: 4)
    }
    self.init(head + records + rests)
  }

  /// A stored index; nil if it is incomplete or damaged.
  public init?(_ stored: [UInt8]) {
    guard stored.count >= 4, case let count = Int(stored.number(at: 0, bytes: 4)), count <= 10_000,
      stored.count >= 4 + Self.fileSize * count
    else { return nil }
    var files: [(size: Int, places: Range<Int>)] = []
    var restCounts: [Int] = []
    for file in 0..<count {
      let (at, first) = (4 + Self.fileSize * file, files.last?.places.upperBound ?? 0)
      let feeds = Int(stored.number(at: at + 4, bytes: 4))
      files.append((Int(stored.number(at: at, bytes: 4)), first..<first + feeds))
      restCounts.append(Int(stored.number(at: at + 8, bytes: 4)))
    }
    self.stored = stored
    self.files = files
    let feeds = files.last?.places.upperBound ?? 0
    var at = 4 + Self.fileSize * count + (Self.recordSize + 4) * feeds
    guard stored.count == at + 8 * restCounts.reduce(0, +) else { return nil }
    var rests: [[Range<Int>]] = []
    for count in restCounts {
      var ranges: [Range<Int>] = []
      for _ in 0..<count {
        guard let range = stored.range(at: at) else { return nil }
        ranges.append(range)
        at += 8
      }
      rests.append(ranges)
    }
    self.rests = rests
  }

  /// The number of feeds.
  var count: Int { files.last?.places.upperBound ?? 0 }

  private static let fileSize = 12
  private static let recordSize = 16
  private var firstRecord: Int { 4 + Self.fileSize * files.count }

  private static func fingerprint(of name: String) -> UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.add(name)
    return fingerprint.value
  }

  private func fingerprint(at place: Int) -> UInt64 {
    stored.number(at: firstRecord + Self.recordSize * place, bytes: 8)
  }

  /// The bytes of a feed in its file: from the beginning of its line to the end of its value.
  private func range(at place: Int) -> Range<Int>? {
    stored.range(at: firstRecord + Self.recordSize * place + 8)
  }

  /// The place of a feed; nil if the files, in their order, have no feed of this name.
  func place(of name: String, in files: [[UInt8]]) -> Int? {
    let (wanted, order) = (Self.fingerprint(of: name), firstRecord + Self.recordSize * count)
    func place(_ rank: Int) -> Int { min(Int(stored.number(at: order + 4 * rank, bytes: 4)), count - 1) }
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if fingerprint(at: place(middle)) < wanted { low = middle + 1 } else { high = middle }
    }
    while low < count, fingerprint(at: place(low)) == wanted {
      let found = place(low)
      if let file = self.files.firstIndex(where: { $0.places.contains(found) }), files.indices.contains(file),
        let range = range(at: found), Self.isKey(name, files[file], at: range.lowerBound)
      {
        return found
      }
      low += 1
    }
    return nil
  }

  /// Whether the line that begins at an offset has this key, with or without quotes.
  private static func isKey(_ name: String, _ bytes: [UInt8], at start: Int) -> Bool {
    let line = bytes.dropFirst(start).drop { $0 == UInt8(ascii: " ") }
    let isQuoted = line.first == UInt8(ascii: "\"") || line.first == UInt8(ascii: "'")
    let key = line.dropFirst(isQuoted ? 1 : 0)
    guard key.starts(with: name.utf8), let next = key.dropFirst(name.utf8.count).first else { return false }
    return isQuoted ? next == line.first : next == UInt8(ascii: ":") || next == UInt8(ascii: " ")
  }

  /// The text of a file without its feeds, except for those at some places.
  ///
  /// - Parameters:
  ///   - number: the number of the file.
  ///   - bytes: its content; nil is returned if it is not the content that was indexed.
  ///   - kept: the places of the feeds that stay, in ascending order.
  func text(ofFile number: Int, _ bytes: [UInt8], keeping kept: [Int]) -> [UInt8]? {
    guard files.indices.contains(number), files[number].size == bytes.count else { return nil }
    var text: [UInt8] = []
    var end = 0
    let feeds = kept.map(range(at:))
    for range in (feeds + rests[number]).sorted(by: { ($0?.lowerBound ?? 0) < ($1?.lowerBound ?? 0) }) {
      guard let range, range.lowerBound >= end, range.upperBound <= bytes.count else { return nil }
      // What was left out were whole lines, but for the end of a line before it.
      if range.lowerBound > end, let last = text.last, last != UInt8(ascii: "\n") {
        text.append(UInt8(ascii: "\n"))
      }
      text += bytes[range]
      end = range.upperBound
    }
    return text
  }
}

extension [UInt8] {
  /// Appends a number as a count of bytes, the lowest first.
  fileprivate mutating func append(number: UInt64, bytes: Int) {
    for byte in 0..<bytes { append(UInt8(truncatingIfNeeded: number >> UInt64(8 * byte))) }
  }

  /// Appends a range as two numbers of four bytes.
  fileprivate mutating func append(range: Range<Int>) {
    append(number: UInt64(range.lowerBound), bytes: 4)
    append(number: UInt64(range.upperBound), bytes: 4)
  }

  /// The range at an offset; nil if its end is before its beginning.
  fileprivate func range(at offset: Int) -> Range<Int>? {
    let (start, end) = (Int(number(at: offset, bytes: 4)), Int(number(at: offset + 4, bytes: 4)))
    return start <= end ? start..<end : nil
  }

  /// The number in a count of bytes at an offset.
  fileprivate func number(at offset: Int, bytes: Int) -> UInt64 {
    var number: UInt64 = 0
    for byte in 0..<bytes { number |= UInt64(self[offset + byte]) << UInt64(8 * byte) }
    return number
  }
}

// Where each feed is in the files of a configuration, so that a command about one feed of very many reads that feed only.
// An index is stored between runs. It belongs to one version of the files; the caller makes sure that they are unchanged.

import Core

/// The places of all feeds in the files of a configuration.
public struct FeedIndex: Sendable {
  /// The index as it is stored: the number of files; for each file its size and the number of its feeds; for each feed
  /// the fingerprint of its name and its range in the file; the places of all feeds, by fingerprint.
  public let stored: [UInt8]
  /// The files with the places of their feeds, the main file first.
  let files: [(size: Int, places: Range<Int>)]

  /// An index of one file; nil if feeds are written in a way that needs the whole file: between braces, with anchors, or
  /// twice.
  init?(of bytes: [UInt8]) {
    let text = EditedText(bytes)
    guard bytes.count <= UInt32.max, !text.hasRareLineEnds, let outline = FeedsOutline(text),
      !outline.hasAnchors
    else { return nil }
    switch outline.form {
    case .missing, .null, .block: break
    case .flow, .other: return nil
    }
    var records: [UInt8] = []
    records.reserveCapacity(Self.recordSize * outline.entries.count)
    for entry in outline.entries {
      let start = text.lineStart(of: entry.key.lowerBound)
      guard FeedName(entry.name) != nil, text.skipBlanks(from: start) == entry.key.lowerBound,
        Self.isKey(entry.name, bytes, at: start), text.isRestOfLineFree(from: entry.end)
      else { return nil }
      records.append(number: Fingerprint(of: entry.name).value, bytes: 8)
      records.append(number: UInt64(start), bytes: 4)
      records.append(number: UInt64(text.nextLine(after: entry.valueEnd - 1)), bytes: 4)
    }
    self.init([(bytes.count, outline.entries.count)], records)
  }

  /// The index of files that have indices of their own; nil if two of them have a feed of the same name.
  init?(joining indices: [FeedIndex]) {
    if let only = indices.first, indices.count == 1 {
      self = only
      return
    }
    self.init(
      indices.flatMap { index in index.files.map { ($0.size, $0.places.count) } },
      indices.reduce(into: []) { records, index in
        records += index.stored[index.firstRecord..<index.firstRecord + Self.recordSize * index.count]
      })
  }

  /// An index with these records of feeds; nil if two feeds have the same name.
  private init?(_ files: [(size: Int, feeds: Int)], _ records: [UInt8]) {
    var stored: [UInt8] = []
    stored.append(number: UInt64(files.count), bytes: 4)
    for file in files {
      stored.append(number: UInt64(file.size), bytes: 4)
      stored.append(number: UInt64(file.feeds), bytes: 4)
    }
    stored += records
    let fingerprints = stride(from: 0, to: records.count, by: Self.recordSize).map {
      records.number(at: $0, bytes: 8)
    }
    let order = fingerprints.indices.sorted { fingerprints[$0] < fingerprints[$1] }
    guard zip(order, order.dropFirst()).allSatisfy({ fingerprints[$0] != fingerprints[$1] }) else {
      return nil
    }
    for place in order { stored.append(number: UInt64(place), bytes: 4) }
    self.init(stored: stored)
  }

  /// A stored index; nil if it is incomplete or damaged.
  public init?(stored: [UInt8]) {
    guard stored.count >= 4, case let count = Int(stored.number(at: 0, bytes: 4)), count <= 10_000,
      stored.count >= 4 + 8 * count
    else { return nil }
    var files: [(size: Int, places: Range<Int>)] = []
    for file in 0..<count {
      let (at, first) = (4 + 8 * file, files.last?.places.upperBound ?? 0)
      let size = Int(stored.number(at: at, bytes: 4))
      files.append((size, first..<first + Int(stored.number(at: at + 4, bytes: 4))))
    }
    self.stored = stored
    self.files = files
    guard stored.count == firstRecord + (Self.recordSize + 4) * self.count else { return nil }
  }

  /// The number of feeds.
  var count: Int { files.last?.places.upperBound ?? 0 }

  /// The sum of the fingerprints of all names.
  var namesFingerprint: UInt64 { (0..<count).reduce(0) { $0 &+ fingerprint(at: $1) } }

  private static let recordSize = 16
  private var firstRecord: Int { 4 + 8 * files.count }

  private func fingerprint(at place: Int) -> UInt64 {
    stored.number(at: firstRecord + Self.recordSize * place, bytes: 8)
  }

  /// The lines of a feed in its file; nil if the file is another.
  func range(at place: Int, _ bytes: [UInt8]) -> Range<Int>? {
    let record = firstRecord + Self.recordSize * place
    let (start, end) = (
      Int(stored.number(at: record + 8, bytes: 4)), Int(stored.number(at: record + 12, bytes: 4))
    )
    return start <= end && end <= bytes.count ? start..<end : nil
  }

  // MARK: Names

  /// The place of a feed; nil if the files, in their order, have no feed of this name.
  func place(of name: String, in files: [[UInt8]]) -> Int? {
    let (wanted, order) = (Fingerprint(of: name).value, firstRecord + Self.recordSize * count)
    func place(_ rank: Int) -> Int { min(Int(stored.number(at: order + 4 * rank, bytes: 4)), count - 1) }
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if fingerprint(at: place(middle)) < wanted { low = middle + 1 } else { high = middle }
    }
    guard low < count, case let found = place(low), fingerprint(at: found) == wanted,
      let file = self.files.firstIndex(where: { $0.places.contains(found) }), files.indices.contains(file),
      let range = range(at: found, files[file]), Self.isKey(name, files[file], at: range.lowerBound)
    else { return nil }
    return found
  }

  /// The name of the feed at a place of a file; nil if the file is another.
  func name(at place: Int, _ bytes: [UInt8]) -> FeedName? {
    guard let range = range(at: place, bytes) else { return nil }
    let line = bytes[range].drop { $0 == UInt8(ascii: " ") }
    let isQuoted = line.first == UInt8(ascii: "\"") || line.first == UInt8(ascii: "'")
    let key = line.dropFirst(isQuoted ? 1 : 0).prefix { byte in
      isQuoted ? byte != line.first : byte != UInt8(ascii: ":") && byte != UInt8(ascii: " ")
    }
    return FeedName(String(decoding: key, as: UTF8.self))
  }

  /// Whether the feed at a place has this name.
  func hasName(_ name: FeedName, at place: Int) -> Bool {
    fingerprint(at: place) == Fingerprint(of: name.text).value
  }

  /// Whether the line that begins at an offset has this key, with or without quotes.
  private static func isKey(_ name: String, _ bytes: [UInt8], at start: Int) -> Bool {
    let line = bytes.dropFirst(start).drop { $0 == UInt8(ascii: " ") }
    let isQuoted = line.first == UInt8(ascii: "\"") || line.first == UInt8(ascii: "'")
    let key = line.dropFirst(isQuoted ? 1 : 0)
    guard key.starts(with: name.utf8), let next = key.dropFirst(name.utf8.count).first else { return false }
    return isQuoted ? next == line.first : next == UInt8(ascii: ":") || next == UInt8(ascii: " ")
  }
}

extension [UInt8] {
  /// Appends a number as a count of bytes, the lowest first.
  fileprivate mutating func append(number: UInt64, bytes: Int) {
    for byte in 0..<bytes { append(UInt8(truncatingIfNeeded: number >> UInt64(8 * byte))) }
  }

  /// The number in a count of bytes at an offset.
  fileprivate func number(at offset: Int, bytes: Int) -> UInt64 {
    var number: UInt64 = 0
    for byte in 0..<bytes { number |= UInt64(self[offset + byte]) << UInt64(8 * byte) }
    return number
  }
}

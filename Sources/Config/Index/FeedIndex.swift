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

  /// An index of these files, the main file first; nil if feeds are written in a way that needs the whole file: between
  /// braces, or with anchors.
  public init?(of files: [[UInt8]]) {
    var head: [UInt8] = []
    var records: [UInt8] = []
    var fingerprints: [UInt64] = []
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
      head.append(number: UInt64(bytes.count), bytes: 4)
      head.append(number: UInt64(outline.entries.count), bytes: 4)
      for entry in outline.entries {
        let start = text.lineStart(of: entry.key.lowerBound)
        guard FeedName(entry.name) != nil, text.skipBlanks(from: start) == entry.key.lowerBound,
          Self.isKey(entry.name, bytes, at: start), text.isRestOfLineFree(from: entry.end)
        else { return nil }
        fingerprints.append(Self.fingerprint(of: entry.name))
        records.append(number: Self.fingerprint(of: entry.name), bytes: 8)
        records.append(number: UInt64(start), bytes: 4)
        records.append(number: UInt64(entry.end), bytes: 4)
      }
    }
    for place in fingerprints.indices.sorted(by: { (fingerprints[$0], $0) < (fingerprints[$1], $1) }) {
      records.append(number: UInt64(place), bytes: 4)
    }
    self.init(head + records)
  }

  /// A stored index; nil if it is incomplete or damaged.
  public init?(_ stored: [UInt8]) {
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

  private static let recordSize = 16
  private var firstRecord: Int { 4 + 8 * files.count }

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
    let record = firstRecord + Self.recordSize * place
    let (start, end) = (
      Int(stored.number(at: record + 8, bytes: 4)), Int(stored.number(at: record + 12, bytes: 4))
    )
    return start <= end ? start..<end : nil
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
    var kept = kept[...]
    var end = 0
    func copy(_ range: Range<Int>, into text: inout [UInt8]) {
      // Usually only a line end separates two feeds.
      if bytes[range].allSatisfy({ $0 <= UInt8(ascii: " ") }) {
        if text.last != UInt8(ascii: "\n"), !range.isEmpty { text.append(UInt8(ascii: "\n")) }
      } else {
        text += bytes[range]
      }
    }
    for place in files[number].places {
      guard let range = range(at: place), range.lowerBound >= end, range.upperBound <= bytes.count else {
        return nil
      }
      copy(end..<range.lowerBound, into: &text)
      if kept.first == place {
        text += bytes[range]
        kept.removeFirst()
      }
      end = range.upperBound
    }
    copy(end..<bytes.count, into: &text)
    return text
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

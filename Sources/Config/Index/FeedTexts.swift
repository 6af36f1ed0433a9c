// Parts of the text of an indexed file: all but its feeds, some of its feeds, or consecutive feeds.

import Core

extension FeedIndex {
  /// The text of a file without its feeds; nil if it is not the file that was indexed.
  ///
  /// - Parameter keepsLines: whether each line keeps its number, for messages.
  func textWithoutFeeds(ofFile number: Int, _ bytes: [UInt8], keepsLines: Bool) -> [UInt8]? {
    guard files.indices.contains(number), files[number].size == bytes.count else { return nil }
    var text: [UInt8] = []
    var end = 0
    for place in files[number].places {
      guard let range = range(at: place, bytes), range.lowerBound >= end else { return nil }
      text += bytes[end..<range.lowerBound]
      if keepsLines { text.append(contentsOf: repeatElement(newline, count: bytes.lineEnds(in: range))) }
      end = range.upperBound
    }
    return text + bytes[end...]
  }

  /// A text that has only the feeds at some places of a file; nil if it is not the file that was indexed.
  func text(ofFeedsAt places: some Sequence<Int>, _ bytes: [UInt8]) -> [UInt8]? {
    var text = Array("feeds:".utf8)
    for place in places {
      guard let range = range(at: place, bytes) else { return nil }
      // The last line of the file may have no end.
      if text.last != newline { text.append(newline) }
      text += bytes[range]
    }
    return text
  }

  /// The texts of consecutive feeds of the only file, each with the number of its first line in the file.
  func texts(ofFeedsPer count: Int, _ bytes: [UInt8]) -> some Sequence<(text: [UInt8], line: Int32)> {
    var (line, counted) = (1, 0)
    return stride(from: 0, to: self.count, by: count).lazy.compactMap { first in
      guard let start = range(at: first, bytes)?.lowerBound,
        let end = range(at: Swift.min(first + count, self.count) - 1, bytes)?.upperBound, start <= end
      else { return nil }
      line += bytes.lineEnds(in: counted..<start)
      counted = start
      // The line before is that of `feeds:` in this text.
      return (Array("feeds:\n".utf8) + bytes[start..<end], Int32(clamping: line - 1))
    }
  }
}

extension [UInt8] {
  fileprivate func lineEnds(in range: Range<Int>) -> Int { self[range].count { $0 == newline } }
}

private let newline = UInt8(ascii: "\n")

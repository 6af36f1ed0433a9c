// Removing one feed from the text of a configuration.

/// The removal of one feed from a text.
struct FeedRemoval {
  let text: EditedText
  let outline: FeedsOutline
  let index: Int

  private var entry: FeedsOutline.Entry { outline.entries[index] }
  private var isLast: Bool { index == outline.entries.count - 1 }

  func edited() throws(FeedEditRefusal) -> [UInt8] {
    if case .flow(_, let close) = outline.form { return withoutFlowEntry(before: close) }
    let lineStart = text.lineStart(of: entry.key.lowerBound)
    guard text.isBlank(lineStart..<entry.key.lowerBound) else { throw .notEditable }
    let indentation = entry.key.lowerBound - lineStart
    var end = text.linesEnd(of: entry, indentation: indentation)
    var start = lineStart
    let isFollowed = !isLast && text.lineStart(of: outline.entries[index + 1].key.lowerBound) == end
    if !isFollowed { start = commentStart(above: lineStart, indentation: indentation) }
    // The line before becomes the last one, and ends as the text did.
    if end == text.bytes.count, text.bytes.last != UInt8(ascii: "\n"), start > text.start {
      end = text.bytes.count
      start -= start > text.start + 1 && text.bytes[start - 2] == UInt8(ascii: "\r") ? 2 : 1
    }
    var changes: [(Range<Int>, [UInt8])] = [(start..<end, [])]
    if outline.entries.count == 1, !hasComments(around: start..<end) {
      let colon = text.skipBlanks(from: outline.key.upperBound)
      changes.append((colon + 1..<colon + 1, Array(" {}".utf8)))
    }
    return text.replacing(changes)
  }

  /// Whether `feeds:` keeps comments, such as feeds that are commented out.
  ///
  /// Then `feeds:` stays without `{}`, so that the comments can become feeds again.
  private func hasComments(around lines: Range<Int>) -> Bool {
    let indentation = outline.key.lowerBound - text.lineStart(of: outline.key.lowerBound)
    return [text.nextLine(after: outline.key.upperBound), lines.upperBound].contains { line in
      !lines.contains(line) && (text.comment(at: line)?.indentation ?? 0) > indentation
    }
  }

  /// The beginning of the comment directly above a line, which belongs to the feed.
  private func commentStart(above line: Int, indentation: Int) -> Int {
    var start = line
    while start > text.start {
      let above = text.lineStart(of: start - 1)
      guard let comment = text.comment(at: above), comment.indentation == indentation, !comment.isCommentedOut
      else { break }
      start = above
    }
    return start
  }

  private func withoutFlowEntry(before close: Int) -> [UInt8] {
    let comma = text.comma(after: entry.end)
    let lineStart = text.lineStart(of: entry.key.lowerBound)
    let end = comma.map { $0 + 1 } ?? entry.end
    let nextLine = text.nextLine(after: end)
    let previousComma = index > 0 ? text.comma(after: outline.entries[index - 1].end) : nil
    let extraComma = isLast && comma == nil ? previousComma.map { ($0..<$0 + 1, [UInt8]()) } : nil
    if text.isBlank(lineStart..<entry.key.lowerBound), text.isRestOfLineFree(from: end), nextLine <= close {
      return text.replacing([(lineStart..<nextLine, [])] + (extraComma.map { [$0] } ?? []))
    }
    if isLast, let previousComma {
      // The comma before it goes too; a comment between them stays.
      if text.isBlank(previousComma + 1..<entry.key.lowerBound) {
        return text.replacing([(previousComma..<entry.end, [])])
      }
      return text.replacing([(entry.key.lowerBound..<end, [])] + (extraComma.map { [$0] } ?? []))
    }
    return text.replacing([(entry.key.lowerBound..<(comma == nil ? end : text.skipBlanks(from: end)), [])])
  }
}

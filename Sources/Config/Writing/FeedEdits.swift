// Adding feeds to a configuration and removing them, as edits of its text: comments, order, spacing and line ends of
// everything else stay byte for byte. The caller reads the new text with `readConfiguration` before it writes it.

public import Core

/// Whether a file of the configuration has a feed of this name.
public func hasFeed(_ name: FeedName, in bytes: [UInt8]) -> Bool {
  FeedsOutline(EditedText(bytes))?.entries.contains { $0.name == name.text } ?? false
}

/// The text of a file with more feeds, after its last one.
///
/// Each feed gets a line of its own, indented like the others, or a place between the braces of `feeds: {…}`. A
/// missing `feeds:` is added at the end of the file.
///
/// - Throws: the refusal, if the file is written in a way that bgfetch does not edit.
public func adding(_ feeds: [NamedSubscription], to bytes: [UInt8]) throws(Refusal) -> [UInt8] {
  let text = EditedText(bytes)
  guard let outline = FeedsOutline(text) else { throw .unreadable }
  return try FeedInsertion(text: text, outline: outline, feeds: feeds).edited()
}

/// The text of a file without a feed.
///
/// A comment directly above the feed is removed too, unless another feed follows on the next line: then it is a heading
/// for both. A commented-out feed above it stays.
///
/// - Throws: the refusal, if the file does not have the feed or is written in a way that bgfetch does not edit.
public func removing(_ name: FeedName, from bytes: [UInt8]) throws(Refusal) -> [UInt8] {
  let text = EditedText(bytes)
  guard let outline = FeedsOutline(text) else { throw .unreadable }
  guard let index = outline.entries.firstIndex(where: { $0.name == name.text }) else {
    throw Refusal("the file has no feed \"\(name)\"", cure: "write the name of a feed in it")
  }
  return try FeedRemoval(text: text, outline: outline, index: index).edited()
}

/// Whether these feeds are the only difference between a configuration and an earlier one.
///
/// - Parameter rename: the new name of a feed in the lists of hooks and outputs.
public func differ(
  _ before: Settings, _ after: Settings, onlyByAdding added: Set<FeedName>,
  removing removed: Set<FeedName> = [], renaming rename: FeedRename? = nil
) -> Bool {
  var (before, after) = (before, after)
  if let rename {
    func renamed(_ words: [String]) -> [String] {
      words.map { $0 == rename.former.text ? rename.name.text : $0 }
    }
    for index in before.hooks.indices { before.hooks[index].feeds = renamed(before.hooks[index].feeds) }
    for index in before.outputs.indices { before.outputs[index].feeds = renamed(before.outputs[index].feeds) }
  }
  guard added.allSatisfy(after.feedNames.contains), !removed.contains(where: after.feedNames.contains) else {
    return false
  }
  before.feeds = FeedList(before.feeds.filter { !removed.contains($0.name) })
  after.feeds = FeedList(after.feeds.filter { !added.contains($0.name) })
  // Where machines share the state, these have the fingerprint of all feeds.
  after.sharedSections = before.sharedSections
  return before == after
}

extension Refusal {
  static let unreadable = Refusal("the file is not YAML", cure: "see bgfetch check")
}

/// The insertion of feeds into a text.
private struct FeedInsertion {
  let text: EditedText
  let outline: FeedsOutline
  let feeds: [NamedSubscription]

  func edited() throws(Refusal) -> [UInt8] {
    switch outline.form {
    case .missing: return try withFeeds()
    case .null(let value): return belowKey(removing: value)
    case .block: return try afterLastLine()
    case .flow(let open, let close): return try between(open, close)
    case .other:
      throw Refusal("feeds: is a YAML alias", cure: "write the feeds directly below feeds:")
    }
  }

  /// The lines of the feeds for block style, without the last end.
  private func lines(indentation: Int) -> [UInt8] {
    let blanks = [UInt8](repeating: " ", count: indentation)
    return Array(feeds.map { blanks + Array(feedLine($0).utf8) }.joined(separator: text.lineEnd))
  }

  /// The entries of the feeds for flow style.
  private func flowEntries(quotesName: Bool, separator: [UInt8]) -> [UInt8] {
    Array(feeds.map { Array(flowEntry($0, quotesName: quotesName).utf8) }.joined(separator: separator))
  }

  private func withFeeds() throws(Refusal) -> [UInt8] {
    var indentation = 0
    switch outline.root {
    case .none: break
    case .block(let found): indentation = found
    case .flow:
      throw Refusal(
        "the file is one mapping in braces that has no feeds", cure: "add feeds: {} to it, and try again")
    }
    let (offset, lineEnd) = (outline.end, text.lineEnd)
    var added: [UInt8] = []
    if offset > text.start, text.bytes[offset - 1] != "\n" { added += lineEnd }
    // A blank line before it, unless there is one.
    if offset > text.start, !text.isBlank(text.lineStart(of: max(text.start, offset - 1))..<offset) {
      added += lineEnd
    }
    added += lines(indentation: indentation).prefix(indentation) + Array("feeds:".utf8) + lineEnd
    added += lines(indentation: indentation + 2) + lineEnd
    return text.replacing([(offset..<offset, added)])
  }

  /// The first feed, on the line after `feeds:`; a value such as `{}` is removed.
  private func belowKey(removing value: Range<Int>) -> [UInt8] {
    let colon = text.skipBlanks(from: outline.key.upperBound)
    let indentation = outline.key.lowerBound - text.lineStart(of: outline.key.lowerBound) + 2
    let removed = value.isEmpty ? value : (colon + 1)..<value.upperBound
    return text.replacing([
      (removed, []), insertion(lines(indentation: indentation), afterLineOf: max(colon, value.upperBound)),
    ])
  }

  private func afterLastLine() throws(Refusal) -> [UInt8] {
    guard let last = outline.entries.last else { throw .notEditable }
    let lineStart = text.lineStart(of: last.key.lowerBound)
    let indentation = last.key.lowerBound - lineStart
    guard text.isBlank(lineStart..<last.key.lowerBound) else { throw .notEditable }
    return text.replacing([
      insertion(lines(indentation: indentation), before: text.linesEnd(of: last, indentation: indentation))
    ])
  }

  private func between(_ open: Int, _ close: Int) throws(Refusal) -> [UInt8] {
    guard let last = outline.entries.last else { return try inEmptyBraces(open, close) }
    // A file in JSON needs quotes.
    let isQuoted = text.bytes[last.key.lowerBound] == "\""
    let lineStart = text.lineStart(of: last.key.lowerBound)
    let nextLine = text.nextLine(after: last.end)
    let comma = text.comma(after: last.end).flatMap { $0 < nextLine ? $0 : nil }
    guard text.isBlank(lineStart..<last.key.lowerBound), nextLine <= close else {
      let comma = Array(", ".utf8)
      return text.replacing([
        (last.end..<last.end, comma + flowEntries(quotesName: isQuoted, separator: comma))
      ])
    }
    let indentation = Array(text.bytes[lineStart..<last.key.lowerBound])
    let entries = flowEntries(
      quotesName: isQuoted, separator: [","] + text.lineEnd + indentation)
    let line = indentation + entries + (comma == nil ? [] : [","]) + text.lineEnd
    let added = (nextLine..<nextLine, line)
    return text.replacing(comma == nil ? [(last.end..<last.end, [","]), added] : [added])
  }

  /// `feeds: {}` becomes lines; other empty braces get the feed inside.
  private func inEmptyBraces(_ open: Int, _ close: Int) throws(Refusal) -> [UInt8] {
    if case .block = outline.root, text.bytes[open..<close + 1].elementsEqual("{}".utf8),
      text.bytes[outline.key.upperBound..<open].elementsEqual(": ".utf8)
    {
      return belowKey(removing: open..<close + 1)
    }
    return text.replacing([
      (open + 1..<open + 1, flowEntries(quotesName: false, separator: Array(", ".utf8)))
    ])
  }

  private func insertion(_ lines: [UInt8], afterLineOf offset: Int) -> (Range<Int>, [UInt8]) {
    insertion(lines, before: text.nextLine(after: offset))
  }

  /// Lines before the one that begins here, or after a last line without an end.
  private func insertion(_ lines: [UInt8], before offset: Int) -> (Range<Int>, [UInt8]) {
    let isOpen = offset > text.start && text.bytes[offset - 1] != "\n"
    return (offset..<offset, isOpen ? text.lineEnd + lines : lines + text.lineEnd)
  }
}

extension EditedText {
  /// The end of a feed's lines in block style, including comments below it that are indented deeper, such as keys that
  /// are commented out.
  func linesEnd(of entry: FeedsOutline.Entry, indentation: Int) -> Int {
    var end = nextLine(after: entry.end)
    while end < bytes.count, let comment = comment(at: end), comment.indentation > indentation {
      end = nextLine(after: end)
    }
    return end
  }
}

extension Refusal {
  static let notEditable = Refusal(
    "the feeds are written in a way that bgfetch does not edit", cure: "edit the file yourself")
}

// MARK: Removal

/// The removal of one feed from a text.
struct FeedRemoval {
  let text: EditedText
  let outline: FeedsOutline
  let index: Int

  private var entry: FeedsOutline.Entry { outline.entries[index] }
  private var isLast: Bool { index == outline.entries.count - 1 }

  func edited() throws(Refusal) -> [UInt8] {
    if case .flow(_, let close) = outline.form { return withoutFlowEntry(before: close) }
    let lineStart = text.lineStart(of: entry.key.lowerBound)
    guard text.isBlank(lineStart..<entry.key.lowerBound) else { throw .notEditable }
    let indentation = entry.key.lowerBound - lineStart
    var end = text.linesEnd(of: entry, indentation: indentation)
    var start = lineStart
    let isFollowed = !isLast && text.lineStart(of: outline.entries[index + 1].key.lowerBound) == end
    if !isFollowed { start = commentStart(above: lineStart, indentation: indentation) }
    // The line before becomes the last one, and ends as the text did.
    if end == text.bytes.count, text.bytes.last != "\n", start > text.start {
      end = text.bytes.count
      start -= start > text.start + 1 && text.bytes[start - 2] == "\r" ? 2 : 1
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

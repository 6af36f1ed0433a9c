// Adding feeds to a configuration and removing them, as edits of its text: comments, order, spacing and line ends of
// everything else stay byte for byte. The caller reads the new text with `readConfiguration` before it writes it.

public import Core

/// Whether a file of the configuration has a feed of this name.
public func hasFeed(_ name: FeedName, in bytes: [UInt8]) -> Bool {
  (try? EditedText(bytes))?.root["feeds"]?[name.text] != nil
}

/// The text of a file with more feeds, after its last one.
///
/// Each feed gets a line of its own, indented like the others, or a place between the braces of `feeds: {…}`. A missing `feeds:` is added at the end of the file.
///
/// - Throws: the refusal, if the file is written in a way that bgfetch does not edit.
public func adding(_ feeds: [NamedSubscription], to bytes: [UInt8]) throws(Refusal) -> [UInt8] {
  let text = try EditedText(bytes)
  return try FeedInsertion(text: text, outline: FeedsOutline(text), feeds: feeds).edited()
}

/// The text of a file without a feed.
///
/// A comment directly above the feed is removed too, unless another feed follows on the next line: then it is a heading
/// for both. A commented-out feed above it stays.
///
/// - Throws: the refusal, if the file does not have the feed or is written in a way that bgfetch does not edit.
public func removing(_ name: FeedName, from bytes: [UInt8]) throws(Refusal) -> [UInt8] {
  let text = try EditedText(bytes)
  let outline = try FeedsOutline(text)
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

/// The insertion of feeds into a text.
private struct FeedInsertion {
  let text: EditedText
  let outline: FeedsOutline
  let feeds: [NamedSubscription]

  func edited() throws(Refusal) -> [UInt8] {
    guard let key = outline.key else { return withFeeds() }
    return outline.entries.isEmpty ? belowKey(key) : try afterLastLine()
  }

  /// The lines of the feeds, without the last end.
  private func lines(indentation: Int) -> String {
    let blanks = String(repeating: " ", count: indentation)
    return feeds.map { blanks + feedLine($0) }.joined(separator: text.lineEnd)
  }

  private func withFeeds() -> [UInt8] {
    let end = text.characters.count
    var added = text.isOpenLine(before: end) ? text.lineEnd : ""
    // A blank line before it, unless there is one.
    if end > text.start, !text.isBlank(text.lineStart(of: max(text.start, end - 1))..<end) {
      added += text.lineEnd
    }
    added += String(repeating: " ", count: outline.indentation) + "feeds:" + text.lineEnd
    added += lines(indentation: outline.indentation + 2) + text.lineEnd
    return text.replacing([(end..<end, added)])
  }

  /// The first feed, on the line after `feeds:`; a value such as `{}` is removed.
  private func belowKey(_ key: Range<Int>) -> [UInt8] {
    let colon = text.skipBlanks(from: key.upperBound)
    let indentation = key.lowerBound - text.lineStart(of: key.lowerBound) + 2
    let removed = outline.value.isEmpty ? outline.value : (colon + 1)..<outline.value.upperBound
    return text.replacing([
      (removed, ""),
      insertion(
        lines(indentation: indentation), before: text.nextLine(after: max(colon, outline.value.upperBound))),
    ])
  }

  private func afterLastLine() throws(Refusal) -> [UInt8] {
    guard let last = outline.entries.last else { throw .notEditable }
    if outline.isInBraces {
      return text.replacing([
        (last.end..<last.end, feeds.map { ", " + feedLine($0, isInBraces: true) }.joined())
      ])
    }
    let lineStart = text.lineStart(of: last.key)
    let indentation = last.key - lineStart
    guard text.isBlank(lineStart..<last.key) else { throw .notEditable }
    return text.replacing([
      insertion(lines(indentation: indentation), before: text.linesEnd(of: last, indentation: indentation))
    ])
  }

  /// Lines before the one that begins here, or after a last line without an end.
  private func insertion(_ lines: String, before index: Int) -> (Range<Int>, String) {
    (index..<index, text.isOpenLine(before: index) ? text.lineEnd + lines : lines + text.lineEnd)
  }
}

extension EditedText {
  /// The end of a feed's lines in block style, including comments below it that are indented deeper, such as keys that
  /// are commented out.
  func linesEnd(of entry: FeedsOutline.Entry, indentation: Int) -> Int {
    var end = nextLine(after: entry.end)
    while end < characters.count, let comment = comment(at: end), comment.indentation > indentation {
      end = nextLine(after: end)
    }
    return end
  }
}

extension Refusal {
  static let notEditable = Refusal(
    "the feeds are written in a way that bgfetch does not edit",
    cure: "write each on a line of its own below feeds:, or edit the file yourself")
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
    guard !outline.isInBraces else { return try withoutFlowEntry() }
    let lineStart = text.lineStart(of: entry.key)
    guard text.isBlank(lineStart..<entry.key) else { throw .notEditable }
    let indentation = entry.key - lineStart
    let end = text.linesEnd(of: entry, indentation: indentation)
    var start = lineStart
    let isFollowed = !isLast && text.lineStart(of: outline.entries[index + 1].key) == end
    if !isFollowed { start = commentStart(above: lineStart, indentation: indentation) }
    // The line before becomes the last one, and ends as the text did.
    if text.isOpenLine(before: end), start > text.start {
      start -= text.character(at: start - 2) == "\r" ? 2 : 1
    }
    return text.replacing([(start..<end, "")])
  }

  /// The text without an entry between braces, and without the comma before or after it.
  private func withoutFlowEntry() throws(Refusal) -> [UInt8] {
    let entries = outline.entries
    var place = outline.value
    if entries.count > 1 {
      place = isLast ? entries[index - 1].end..<entry.end : entry.key..<entries[index + 1].key
    }
    // Whose comment would it be?
    guard !text.characters[place].contains("#") else { throw .notEditable }
    return text.replacing([(place, entries.count > 1 ? "" : "{}")])
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
}

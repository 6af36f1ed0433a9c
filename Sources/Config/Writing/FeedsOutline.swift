// The text of a file as lines of bytes, and where the feeds are in it, so that an edit leaves the rest byte for byte as it
// is. The offsets come from libyaml's marks.

import Core

/// The offsets of the feeds in one file.
struct FeedsOutline {
  /// One feed.
  struct Entry {
    var name: String
    /// The beginning of its key.
    var key: Int
    /// The end of its value, without trailing white space.
    var end: Int
  }

  /// The key `feeds`; nil if the file has none.
  var key: Range<Int>?
  /// The value of the key, which may be nothing.
  var value = 0..<0
  var entries: [Entry] = []
  /// Whether the feeds are between braces, where they may share a line.
  var isInBraces = false
  /// The indentation of the keys of the file.
  var indentation = 0

  /// - Throws: the refusal, if the text is not one YAML document, or is written in a way that is not edited.
  init(_ text: EditedText) throws(Refusal) {
    let root = try text.tree()
    var cursor = text.cursor()
    if let first = root.entries.first {
      let start = cursor.offset(ofCharacter: first.start)
      indentation = start - text.lineStart(of: start)
    }
    guard let feeds = root.entries.first(where: { $0.key == "feeds" }) else {
      guard text.bytes[text.skipBlanks(from: text.start)...].first != "{" else { throw .notEditable }
      return
    }
    let start = cursor.offset(ofCharacter: feeds.start)
    let end = start + feeds.key.utf8.count + ("\"'".utf8.contains(text.bytes[start]) ? 2 : 0)
    guard text.bytes[text.skipBlanks(from: end)...].first == ":" else { throw .notEditable }
    key = start..<end
    let value = cursor.offset(ofCharacter: feeds.value.span.lowerBound)
    let sign = text.bytes[value...].first ?? " "
    guard sign != "*", sign != "&" else { throw .notEditable }
    isInBraces = sign == "{"
    for feed in feeds.value.entries {
      let start = cursor.offset(ofCharacter: feed.start)
      let end = cursor.offset(ofCharacter: feed.value.span.upperBound)
      entries.append(Entry(name: feed.key, key: start, end: text.withoutBlanks(upTo: end, from: start)))
    }
    self.value = value..<cursor.offset(ofCharacter: feeds.value.span.upperBound)
  }
}

// MARK: Text

/// The bytes of a file, with the lookups that an edit needs.
struct EditedText {
  let bytes: [UInt8]
  /// The offset after a byte order mark.
  let start: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    start = SourceText(bytes).contentStart
  }

  /// The values of the text.
  func tree() throws(Refusal) -> Node {
    let pass = ConfigurationPass()
    guard let root = composeTree(bytes, pass, mayBeEmpty: true), pass.isUsable else {
      throw Refusal("the file is not YAML", cure: "see bgfetch check")
    }
    return root
  }

  // MARK: Characters to bytes

  /// Counts characters forwards through the text.
  struct Cursor {
    fileprivate let bytes: [UInt8]
    fileprivate var character: Int32 = 0
    fileprivate var offset: Int

    /// The offset of a character; each call must ask for the same or a later character.
    mutating func offset(ofCharacter number: Int32) -> Int {
      while character < number, offset < bytes.count {
        offset += 1
        while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
        character += 1
      }
      return offset
    }
  }

  func cursor() -> Cursor { Cursor(bytes: bytes, offset: start) }

  // MARK: Lines

  /// The line end of the text, which its first line has.
  var lineEnd: [UInt8] {
    guard let end = bytes.firstIndex(of: newline), end > 0, bytes[end - 1] == carriageReturn else {
      return [newline]
    }
    return [carriageReturn, newline]
  }

  /// The beginning of the line with this offset.
  func lineStart(of offset: Int) -> Int {
    bytes[start..<min(offset, bytes.count)].lastIndex(of: newline).map { $0 + 1 } ?? start
  }

  /// The beginning of the next line; the end of the text for the last line.
  func nextLine(after offset: Int) -> Int {
    bytes[min(offset, bytes.count)...].firstIndex(of: newline).map { $0 + 1 } ?? bytes.count
  }

  /// Whether there are only blanks between two offsets.
  func isBlank(_ range: Range<Int>) -> Bool { bytes[range].allSatisfy(isBlankByte) }

  /// The first offset from here on that is not a blank; line ends are not passed.
  func skipBlanks(from offset: Int) -> Int {
    bytes[offset...].firstIndex { $0 != " " && $0 != "\t" } ?? bytes.count
  }

  /// The end of a value without trailing white space, which a block scalar (`|`) includes.
  func withoutBlanks(upTo end: Int, from start: Int) -> Int {
    var end = max(end, start)
    while end > start, isBlankByte(bytes[end - 1]) { end -= 1 }
    return end
  }

  /// A line that has only a comment.
  struct CommentLine {
    var indentation: Int
    /// Whether a letter follows the `#` at once, as in `#planet: https://…`.
    var isCommentedOut: Bool
  }

  /// The comment of the line that begins here; nil for any other line.
  func comment(at line: Int) -> CommentLine? {
    let mark = skipBlanks(from: line)
    guard mark < bytes.count, bytes[mark] == "#" else { return nil }
    let next = mark + 1 < bytes.count ? bytes[mark + 1] : newline
    return CommentLine(
      indentation: mark - line, isCommentedOut: !isBlankByte(next) && next != "#")
  }

  // MARK: Changes

  /// The text with ranges replaced; the ranges do not overlap, and an insertion may be where another range begins.
  func replacing(_ changes: [(range: Range<Int>, by: [UInt8])]) -> [UInt8] {
    var edited: [UInt8] = []
    var offset = 0
    let inOrder = changes.sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    for change in inOrder {
      edited += bytes[offset..<change.range.lowerBound]
      edited += change.by
      offset = change.range.upperBound
    }
    return edited + bytes[offset...]
  }
}

private let newline: UInt8 = "\n"
private let carriageReturn: UInt8 = "\r"

private func isBlankByte(_ byte: UInt8) -> Bool {
  byte == " " || byte == "\t" || byte == newline || byte == carriageReturn
}

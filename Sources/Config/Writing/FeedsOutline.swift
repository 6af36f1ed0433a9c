// The text of a file as lines, and where the feeds are in it, so that an edit leaves the rest byte for byte as it is. The
// indices come from libyaml's marks.

import Core

/// The places of the feeds in one file.
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

  /// - Throws: the refusal, if the text is written in a way that is not edited.
  init(_ text: EditedText) throws(Refusal) {
    let root = text.root
    if let first = root.entries.first {
      let start = text.index(first.start)
      indentation = start - text.lineStart(of: start)
    }
    guard let feeds = root.entries.first(where: { $0.key == "feeds" }) else {
      guard text.character(at: text.skipBlanks(from: text.start)) != "{" else { throw .notEditable }
      return
    }
    let start = text.index(feeds.start)
    let end = start + feeds.key.utf8.count + (text.isQuote(at: start) ? 2 : 0)
    guard text.character(at: text.skipBlanks(from: end)) == ":" else { throw .notEditable }
    key = start..<end
    value = text.index(feeds.value.span.lowerBound)..<text.index(feeds.value.span.upperBound)
    let sign = text.character(at: value.lowerBound)
    guard sign != "*", sign != "&" else { throw .notEditable }
    isInBraces = sign == "{"
    for feed in feeds.value.entries {
      let start = text.index(feed.start)
      let end = text.withoutBlanks(upTo: text.index(feed.value.span.upperBound), from: start)
      entries.append(Entry(name: feed.key, key: start, end: end))
    }
  }
}

// MARK: Text

/// The text of a file with its values, and the lookups that an edit needs.
struct EditedText {
  let root: Node
  /// The characters, as libyaml counts them.
  let characters: [Unicode.Scalar]
  /// The index after a byte order mark.
  let start: Int

  /// - Throws: the refusal, if the bytes are not one YAML document.
  init(_ bytes: [UInt8]) throws(Refusal) {
    let pass = ConfigurationPass()
    guard let root = composeTree(bytes, pass, mayBeEmpty: true), pass.isUsable else {
      throw Refusal("the file is not YAML", cure: "see bgfetch check")
    }
    self.root = root
    characters = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    start = characters.first == "\u{FEFF}" ? 1 : 0
  }

  /// The index of a character that libyaml has counted.
  func index(_ number: Int32) -> Int { min(start + Int(number), characters.count) }

  func character(at index: Int) -> Unicode.Scalar? {
    characters.indices.contains(index) ? characters[index] : nil
  }

  func isQuote(at index: Int) -> Bool { character(at: index).map { $0 == "\"" || $0 == "'" } ?? false }

  // MARK: Lines

  /// The line end of the text, which its first line has.
  var lineEnd: String {
    guard let end = characters.firstIndex(of: "\n"), end > 0, characters[end - 1] == "\r" else { return "\n" }
    return "\r\n"
  }

  /// Whether the last line before an index has no end.
  func isOpenLine(before index: Int) -> Bool { index > start && characters[index - 1] != "\n" }

  /// The beginning of the line with this index.
  func lineStart(of index: Int) -> Int {
    characters[start..<index].lastIndex(of: "\n").map { $0 + 1 } ?? start
  }

  /// The beginning of the next line; the end of the text for the last line.
  func nextLine(after index: Int) -> Int {
    characters[index...].firstIndex(of: "\n").map { $0 + 1 } ?? characters.count
  }

  /// Whether there are only blanks between two indices.
  func isBlank(_ range: Range<Int>) -> Bool { characters[range].allSatisfy(isBlankCharacter) }

  /// The first index from here on that is not a blank; line ends are not passed.
  func skipBlanks(from index: Int) -> Int {
    characters.dropFirst(index).firstIndex { $0 != " " && $0 != "\t" } ?? characters.count
  }

  /// The end of a value without trailing white space, which a block scalar (`|`) includes.
  func withoutBlanks(upTo end: Int, from start: Int) -> Int {
    var end = max(end, start)
    while end > start, isBlankCharacter(characters[end - 1]) { end -= 1 }
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
    guard character(at: mark) == "#" else { return nil }
    let next = character(at: mark + 1) ?? "\n"
    return CommentLine(
      indentation: mark - line, isCommentedOut: !isBlankCharacter(next) && next != "#")
  }

  // MARK: Changes

  /// The bytes of the text with ranges replaced; the ranges do not overlap, and an insertion may be where another range begins.
  func replacing(_ changes: [(range: Range<Int>, by: String)]) -> [UInt8] {
    var edited = String.UnicodeScalarView()
    var index = 0
    let inOrder = changes.sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    for change in inOrder {
      edited += characters[index..<change.range.lowerBound]
      edited += change.by.unicodeScalars
      index = change.range.upperBound
    }
    edited += characters[index...]
    return Array(String(edited).utf8)
  }
}

private func isBlankCharacter(_ character: Unicode.Scalar) -> Bool {
  " \t\r\n".unicodeScalars.contains(character)
}

// A text as lines of bytes, for edits that leave the rest byte for byte as it is.

/// The bytes of a file, with the lookups that an edit needs.
struct EditedText {
  let bytes: [UInt8]
  /// The offset after a byte order mark.
  let start: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    start = SourceText(bytes).contentStart
  }

  // MARK: Characters to bytes

  /// Counts characters forwards through the text.
  struct Cursor {
    fileprivate let bytes: [UInt8]
    fileprivate var character = 0
    fileprivate var place: Int

    /// The offset of a character; each call must ask for the same or a later character.
    mutating func offset(ofCharacter number: Int) -> Int {
      while character < number, place < bytes.count {
        place += 1
        while place < bytes.count, bytes[place] & 0xC0 == 0x80 { place += 1 }
        character += 1
      }
      return place
    }
  }

  func cursor() -> Cursor { Cursor(bytes: bytes, place: start) }

  func offset(ofCharacter number: Int) -> Int {
    var cursor = cursor()
    return cursor.offset(ofCharacter: number)
  }

  func offsets(ofCharacters range: Range<Int>) -> Range<Int> {
    var cursor = cursor()
    let lower = cursor.offset(ofCharacter: range.lowerBound)
    return lower..<cursor.offset(ofCharacter: range.upperBound)
  }

  // MARK: Lines

  /// The line end of the text: that of its first line.
  var lineEnd: [UInt8] {
    guard let end = bytes.firstIndex(of: newline), end > 0, bytes[end - 1] == carriageReturn else {
      return [newline]
    }
    return [carriageReturn, newline]
  }

  /// The beginning of the line with this offset.
  func lineStart(of place: Int) -> Int {
    bytes[start..<min(place, bytes.count)].lastIndex(of: newline).map { $0 + 1 } ?? start
  }

  /// The beginning of the next line; the end of the text for the last line.
  func nextLine(after place: Int) -> Int {
    bytes[min(place, bytes.count)...].firstIndex(of: newline).map { $0 + 1 } ?? bytes.count
  }

  /// Whether there are only blanks between two offsets.
  func isBlank(_ range: Range<Int>) -> Bool { bytes[range].allSatisfy(isBlankByte) }

  /// The first offset from here on that is not a blank; line ends are not passed.
  func skipBlanks(from place: Int) -> Int {
    bytes[place...].firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") } ?? bytes.count
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
    guard mark < bytes.count, bytes[mark] == UInt8(ascii: "#") else { return nil }
    let next = mark + 1 < bytes.count ? bytes[mark + 1] : newline
    return CommentLine(
      indentation: mark - line, isCommentedOut: !isBlankByte(next) && next != UInt8(ascii: "#"))
  }

  /// The comma after a value in a flow mapping, past blanks, line ends and comments; nil if something else follows.
  func comma(after place: Int) -> Int? {
    var place = place
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: ",") { return place }
      if bytes[place] == UInt8(ascii: "#") {
        place = nextLine(after: place)
      } else {
        guard isBlankByte(bytes[place]) else { return nil }
        place += 1
      }
    }
    return nil
  }

  /// Whether only blanks and a comment are left of the line.
  func isRestOfLineFree(from place: Int) -> Bool {
    let next = skipBlanks(from: place)
    return next >= bytes.count || [newline, carriageReturn, UInt8(ascii: "#")].contains(bytes[next])
  }

  // MARK: Changes

  /// The text with ranges replaced; the ranges do not overlap, and an insertion may be where another range begins.
  func replacing(_ changes: [(range: Range<Int>, by: [UInt8])]) -> [UInt8] {
    var edited: [UInt8] = []
    var place = 0
    let inOrder = changes.sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    for change in inOrder {
      edited += bytes[place..<change.range.lowerBound]
      edited += change.by
      place = change.range.upperBound
    }
    return edited + bytes[place...]
  }
}

private let newline = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")

private func isBlankByte(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == newline || byte == carriageReturn
}

// The text of a file as lines of bytes, and where the feeds are in it, so that an edit leaves the rest byte for byte as it
// is. The offsets come from libyaml's marks.

import Core

/// The offsets of the feeds in one file.
struct FeedsOutline {
  /// One feed.
  struct Entry {
    var name: String
    var key: Range<Int>
    /// The end of its value, without trailing white space.
    var end: Int
  }

  enum Form {
    /// The file has no key `feeds`.
    case missing
    /// The key has no value: nothing, `~` or `null`, at this offset.
    case null(Range<Int>)
    /// Each feed on lines of its own.
    case block
    /// Feeds between these two braces.
    case flow(open: Int, close: Int)
    /// An alias, a key that is there twice, or something else that is not edited.
    case other
  }

  /// The form of the whole file; a file that has only comments has none.
  enum Root {
    case none
    case block(indentation: Int)
    case flow
  }

  var root = Root.none
  var form = Form.missing
  /// The key `feeds`.
  var key = 0..<0
  var entries: [Entry] = []
  /// Where the document ends: before `...`, or at the end of the text.
  var end: Int

  /// Parses a text; nil if it is not one YAML document.
  init?(_ text: EditedText) {
    let read = text.bytes[text.start...].withUnsafeBufferPointer { bytes -> FeedsOutline? in
      guard let events = EventParser(bytes) else { return nil }
      var reader = OutlineReader(events: events, text: text)
      return try? reader.read()
    }
    guard let read else { return nil }
    self = read
  }

  fileprivate init(end: Int) { self.end = end }
}

/// Reads the events of a text.
private struct OutlineReader: ~Copyable {
  private var events: EventParser
  private let text: EditedText
  /// Characters are counted once, because events are in the order of the text.
  private var cursor: EditedText.Cursor
  private var outline: FeedsOutline

  init(events: consuming EventParser, text: EditedText) {
    self.events = events
    self.text = text
    cursor = text.cursor()
    outline = FeedsOutline(end: text.bytes.count)
  }

  private mutating func offsets(_ span: Range<Int>) -> Range<Int> {
    let lower = cursor.offset(ofCharacter: span.lowerBound)
    return lower..<cursor.offset(ofCharacter: span.upperBound)
  }

  mutating func read() throws(SyntaxFault) -> FeedsOutline {
    guard case .documentStart = try events.next().kind else { return outline }
    let root = try events.next()
    if case .mappingStart = root.kind {
      try readRoot()
    } else {
      _ = try events.end(of: root)
    }
    outline.end = cursor.offset(ofCharacter: try events.next().span.lowerBound)
    return outline
  }

  private mutating func readRoot() throws(SyntaxFault) {
    while true {
      let key = try events.next()
      if case .mappingEnd = key.kind {
        if !key.span.isEmpty { outline.root = .flow }
        return
      }
      if case .none = outline.root {
        let start = cursor.offset(ofCharacter: key.span.lowerBound)
        outline.root = .block(indentation: start - text.lineStart(of: start))
      }
      var isFeeds = false
      if case .scalar(let scalar) = key.kind {
        isFeeds = scalar.text == "feeds"
      } else {
        _ = try events.end(of: key)
      }
      let value = try events.next()
      if isFeeds, outline.key.isEmpty {
        outline.key = offsets(key.span)
        outline.form = try readFeeds(value)
      } else {
        // A second `feeds` is a mistake: which one would be edited?
        if isFeeds { outline.form = .other }
        _ = try events.end(of: value)
      }
    }
  }

  private mutating func readFeeds(_ value: YAMLEvent) throws(SyntaxFault) -> FeedsOutline.Form {
    switch value.kind {
    case .scalar(let scalar) where scalar.isPlain && value.anchor == nil && value.tag == nil:
      return .null(offsets(value.span))
    case .mappingStart:
      let open = value.span.isEmpty ? 0 : cursor.offset(ofCharacter: value.span.upperBound - 1)
      while true {
        let key = try events.next()
        if case .mappingEnd = key.kind {
          return key.span.isEmpty
            ? .block : .flow(open: open, close: cursor.offset(ofCharacter: key.span.lowerBound))
        }
        let span = offsets(key.span)
        var name = ""
        if case .scalar(let scalar) = key.kind { name = scalar.text } else { _ = try events.end(of: key) }
        let end = cursor.offset(ofCharacter: try events.end(of: events.next()))
        outline.entries.append(
          FeedsOutline.Entry(name: name, key: span, end: text.withoutBlanks(upTo: end, from: span.upperBound))
        )
      }
    default:
      _ = try events.end(of: value)
      return .other
    }
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

  // MARK: Characters to bytes

  /// Counts characters forwards through the text.
  struct Cursor {
    fileprivate let bytes: [UInt8]
    fileprivate var character = 0
    fileprivate var offset: Int

    /// The offset of a character; each call must ask for the same or a later character.
    mutating func offset(ofCharacter number: Int) -> Int {
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

  /// The comma after a value in a flow mapping, past blanks, line ends and comments; nil if something else follows.
  func comma(after offset: Int) -> Int? {
    var offset = offset
    while offset < bytes.count {
      if bytes[offset] == "," { return offset }
      if bytes[offset] == "#" {
        offset = nextLine(after: offset)
      } else {
        guard isBlankByte(bytes[offset]) else { return nil }
        offset += 1
      }
    }
    return nil
  }

  /// Whether only blanks and a comment are left of the line.
  func isRestOfLineFree(from offset: Int) -> Bool {
    let next = skipBlanks(from: offset)
    return next >= bytes.count || [newline, carriageReturn, "#"].contains(bytes[next])
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

// The text of a watched page as the content of an item: its lines as far as there is room, and one number for the others.

/// The text of a page: its first lines, and the sum of the lines that were not kept.
struct PageText: Hashable {
  private(set) var lines: [String] = []
  private(set) var rest = LineSum()

  /// The number of all lines.
  var count: Int { lines.count + rest.count }

  /// Reads the page in the content of an item; without lines if the content is something else.
  init(ofContent content: String) {
    // Bytes, because U+0600 and a `<` after it are one Character. Escaped text contains no tag, so the last one ends the page.
    let parts = content.utf8.split(separator: "</pre>".utf8, omittingEmptySubsequences: false)
    guard parts.count > 1, let note = parts.last,
      let start = parts[parts.count - 2].firstRange(of: "<pre>".utf8),
      case let rest = LineSum(note: String(Substring(note))), rest != nil || note.isEmpty
    else { return }
    self.rest = rest ?? LineSum()
    // `escapedMarkup` wrote all references in it.
    lines = parts[parts.count - 2][start.upperBound...].split(separator: "\n").map {
      String(decoding: Array($0).withUnsafeBufferPointer { withoutReferences($0, .text) }, as: UTF8.self)
    }
  }

  /// The content of an item, with at most this number of bytes for the lines.
  func content(bytes: Int) -> String {
    var content = PageContent(limit: bytes)
    for line in lines { content.add(line) }
    return content.text(before: rest)
  }
}

/// The content of an item, made of the lines of a page one by one: a page may have hundreds of thousands.
public struct PageContent {
  /// The most bytes of escaped lines to keep.
  private let limit: Int
  private var escaped: [UInt8] = []
  private var rest = LineSum()
  private let ignored: PatternList

  /// The maximum length of a line in bytes; longer ones become several.
  static let longestLine = 2000

  /// A page without the lines that one of these regular expressions matches.
  public init(ignoring patterns: [String] = []) {
    self.init(limit: Int(DetailBounds.mostContent.bytes), ignoring: patterns)
  }

  init(limit: Int, ignoring patterns: [String] = []) {
    (self.limit, ignored) = (limit, PatternList(patterns))
  }

  /// Whether there is no line.
  public private(set) var isEmpty = true

  /// Adds a line of bytes, cleaned, and nothing if there is no text in it.
  public mutating func add(line bytes: some Collection<UInt8>) {
    let text = cleanText(String(decoding: bytes, as: UTF8.self), limit: .max)
    guard !ignored.matches(anyOf: [text]) else { return }
    guard text.utf8.count > Self.longestLine else {
      if !text.isEmpty { add(text) }
      return
    }
    var left = Array(text.utf8)[...]
    while !left.isEmpty {
      var piece = left.prefix(Self.longestLine)
      if piece.endIndex < left.endIndex {
        if let blank = piece.lastIndex(of: 0x20) { piece = piece[...blank] }
        // Not in the middle of a character.
        while left.indices.contains(piece.endIndex), left[piece.endIndex] & 0xC0 == 0x80 {
          piece.removeLast()
        }
      }
      left = left[piece.endIndex...]
      add(String(decoding: piece.last == 0x20 ? piece.dropLast() : piece, as: UTF8.self))
    }
  }

  /// Adds bytes of a page that are not read as lines, but compared.
  public mutating func add(unread bytes: some Collection<UInt8>) {
    if !bytes.isEmpty { rest.add(String(decoding: bytes, as: UTF8.self)) }
  }

  mutating func add(_ line: String) {
    isEmpty = false
    // Once a line had no room, all later ones are in the rest.
    guard rest.count == 0, case let markup = escapedMarkup(line).utf8,
      escaped.count + markup.count + 1 <= limit
    else { return rest.add(line) }
    if !escaped.isEmpty { escaped.append("\n") }
    escaped += markup
  }

  /// The content so far.
  public var text: String { text(before: LineSum()) }

  func text(before end: LineSum) -> String {
    "<pre>" + String(decoding: escaped, as: UTF8.self) + "</pre>" + rest.followed(by: end).note
  }
}

/// Lines as one number, the same wherever in a page they are.
struct LineSum: Hashable {
  private(set) var count = 0
  private var value: UInt64 = 0
  /// The factor of the next line.
  private var factor: UInt64 = 1

  init() {}

  init(_ lines: ArraySlice<String>) {
    for line in lines { add(line) }
  }

  mutating func add(_ line: String) {
    value &+= Fingerprint(of: line).value &* factor
    factor = factor &* 0x9E37_79B9_7F4A_7C15
    count += 1
  }

  /// The sum of the lines and of those after them.
  func followed(by end: LineSum) -> LineSum {
    var sum = self
    sum.count += end.count
    sum.value &+= end.value &* factor
    return sum
  }

  // MARK: In the content of an item

  /// A paragraph for people that also holds the sum; empty without lines.
  var note: String {
    guard count > 0 else { return "" }
    let digits = String(value, radix: 16)
    return "<p>… and \(counted(count, "more line")), compared but not kept [\(digits)]</p>"
  }

  /// Reads a note; nil for any other text.
  init?(note: String) {
    let words = note.split(separator: " ")
    guard words.count > 3, let count = Int(words[2]), count > 0,
      let value = words.last?.split(separator: "]").first.flatMap({ UInt64($0.dropFirst(), radix: 16) })
    else { return nil }
    (self.count, self.value) = (count, value)
    guard self.note == note else { return nil }
  }
}

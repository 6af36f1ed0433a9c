// The text of a watched page as the content of an item: its lines, as preformatted text.

/// The lines of the page in the content of an item; none if the content is something else.
func pageLines(ofContent content: String) -> [String] {
  // Bytes, because U+0600 and a `<` after it are one Character. Escaped text contains no tag, so the last one ends the page.
  let parts = content.utf8.split(separator: "</pre>".utf8, omittingEmptySubsequences: false)
  guard parts.count > 1, parts.last?.isEmpty ?? false,
    let start = parts[parts.count - 2].firstRange(of: "<pre>".utf8)
  else { return [] }
  // `escapedMarkup` wrote all references in it.
  return parts[parts.count - 2][start.upperBound...].split(separator: "\n").map {
    String(decoding: Array($0).withUnsafeBufferPointer { withoutReferences($0, .text) }, as: UTF8.self)
  }
}

/// The content of an item, made of the lines of a page one by one: a page may have hundreds of thousands.
public struct PageContent {
  private var escaped: [UInt8] = []
  /// Whether a line had no room, so that no later one is kept.
  private var isFull = false
  private let ignored: PatternList

  /// The most bytes of escaped lines to keep; the rest of the content is for the changed lines.
  private static let limit = Int(DetailBounds.mostContent.bytes) - (128 << 10)
  /// The maximum length of a line in bytes; longer ones become several.
  static let longestLine = 2000

  /// A page without the lines that one of these regular expressions matches.
  public init(ignoring patterns: [String] = []) { ignored = PatternList(patterns) }

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

  private mutating func add(_ line: String) {
    isEmpty = false
    let markup = escapedMarkup(line).utf8
    isFull = isFull || escaped.count + markup.count + 1 > Self.limit
    guard !isFull else { return }
    if !escaped.isEmpty { escaped.append("\n") }
    escaped += markup
  }

  /// The content so far.
  public var text: String { "<pre>" + String(decoding: escaped, as: UTF8.self) + "</pre>" }
}

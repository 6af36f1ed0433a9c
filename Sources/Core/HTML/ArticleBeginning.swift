// The beginning of an article that is too long to store.

/// The beginning of HTML up to the end of a block, with its open elements closed; all of it if it is short enough.
///
/// If the last block that ends is in the first half, the beginning ends in a later block, between two words.
public struct ArticleBeginning {
  /// The HTML, of at most as many bytes as it may have.
  public let html: String
  /// The number of bytes behind it.
  let rest: Int

  /// Reads no more than the beginning.
  public init(_ html: String, limit: Int) {
    guard html.utf8.count > limit else {
      (self.html, rest) = (html, 0)
      return
    }
    var html = html
    self = html.withUTF8 { bytes in
      let end = Self.end(in: bytes, limit: limit)
      let beginning = bytes.slice(..<end)
      var builder = Self.builder(beginning)
      while builder.next() != nil {}
      let html = String(decoding: beginning, as: UTF8.self) + builder.endTags
      return ArticleBeginning(html: html, rest: bytes.count - end)
    }
  }

  private init(html: String, rest: Int) { (self.html, self.rest) = (html, rest) }

  private static func builder(_ bytes: UnsafeBufferPointer<UInt8>) -> HTMLTreeBuilder {
    HTMLTreeBuilder(bytes, isItem: true, hasSections: true, attributes: .none, shouldStop: { false })
  }

  /// The place of the cut, which leaves room for the end tags.
  private static func end(in bytes: UnsafeBufferPointer<UInt8>, limit: Int) -> Int {
    var builder = builder(bytes.slice(..<limit))
    var (block, words) = (0, 0)
    // No end tag is longer than `</foreignobject>`.
    func most(_ depth: Int) -> Int { limit - 16 * depth }
    while case let outer = builder.depth, let token = builder.next() {
      switch token {
      case .start(let tag):
        if tag.element.endsLine, tag.range.lowerBound <= most(outer) { block = tag.range.lowerBound }
      case .end(let tag):
        if tag.element.endsLine, tag.range.upperBound <= most(builder.depth) { block = tag.range.upperBound }
      case .text(let range, .data):
        let most = most(builder.depth)
        if range.lowerBound < most { words = endOfWord(in: bytes, range.clamped(to: 0..<most)) }
      case .text, .comment, .doctype: break
      }
    }
    return block > limit / 2 ? block : max(block, words)
  }

  /// The end of the last whole word of a text; without one, of its last whole character.
  private static func endOfWord(in bytes: UnsafeBufferPointer<UInt8>, _ text: Range<Int>) -> Int {
    if let blank = bytes[text].lastIndex(where: isMarkupBlank), blank > text.lowerBound { return blank }
    var end = text.upperBound
    while end > text.lowerBound, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return end
  }
}

extension HTMLElement {
  /// Whether a line ends before and after it.
  fileprivate var endsLine: Bool { !traits.isDisjoint(with: [.block, .lineBreak, .cell]) }
}

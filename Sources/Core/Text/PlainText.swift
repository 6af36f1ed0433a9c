// HTML to readable text. The result can still contain control characters; cleanText removes them.

/// The text of HTML: without markup, with references decoded and white space folded to single blanks.
///
/// `script` and `style` are removed with their content. An element that is not inline separates words. A `<` that does not
/// begin a tag stays, as in `1 < 2`. Takes linear time for any text.
///
/// - Parameters:
///   - html: HTML or plain text.
///   - limit: the maximum length in bytes of UTF-8; the cut is between two grapheme clusters.
/// - Returns: one line, without blanks at its ends.
public func plainText(fromHTML html: String, limit: Int) -> String {
  var html = html
  return html.withUTF8 { plainText($0, .html, limit: limit) }
}

/// The meaning of tags and references in a text.
public enum ReducedMarkup: Sendable {
  /// They are text.
  case text
  /// They are markup.
  case html
  /// References and whole tags of inline elements are markup, and tags of blocks if they are closed. An image is its
  /// alternative text. Anything else that looks like a tag is text, as in `Vec<T>` and `x<a`.
  case title
}

/// The text of bytes of UTF-8, with white space folded to single blanks.
public func plainText(_ bytes: UnsafeBufferPointer<UInt8>, _ markup: ReducedMarkup, limit: Int) -> String {
  var reduction = MarkupReduction(bytes: bytes, markup, limit: limit)
  return graphemePrefix(of: reduction.text(), limit: limit)
}

private struct MarkupReduction {
  let bytes: UnsafeBufferPointer<UInt8>
  private let markup: ReducedMarkup
  private var isHTML: Bool { markup != .text }
  var output: FoldedText
  var index = 0
  /// The names of the tags of a title that are there as start tags and as end tags; nil until they are needed.
  private var closed: Set<NameHash>?
  private var hasCommentEnd = true

  init(bytes: UnsafeBufferPointer<UInt8>, _ markup: ReducedMarkup, limit: Int) {
    (self.bytes, self.markup) = (bytes, markup)
    output = FoldedText(limit: limit, inputLength: bytes.count)
  }

  /// The text; if it must be cut, it is slightly longer than the limit.
  mutating func text() -> String {
    while index < bytes.count, !output.isFull {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "<") where isHTML:
        parseMarkup()
      case UInt8(ascii: "&") where isHTML:
        parseReference()
      default:
        let white = whiteSpaceLength(bytes, at: index)
        if white > 0 {
          output.owesBlank = true
          index += white
        } else {
          output.appendRun(of: bytes, from: &index) { [bytes] index in
            Self.isOrdinary(bytes[index]) || bytes[index] >= 0x80 && whiteSpaceLength(bytes, at: index) == 0
          }
        }
      }
    }
    return output.text
  }

  /// Whether a byte begins neither white space nor markup nor a reference.
  private static func isOrdinary(_ byte: UInt8) -> Bool {
    switch byte {
    case ...0x20, UInt8(ascii: "<"), UInt8(ascii: "&"), 0xC2, 0xE1...0xE3: false
    default: true
    }
  }

  private mutating func parseReference() {
    guard let found = HTMLEntities.reference(in: bytes, at: index) else {
      output.append(CollectionOfOne(bytes[index]))
      index += 1
      return
    }
    index += found.length
    guard let scalar = found.scalar else { return }
    if scalar.properties.isWhitespace {
      output.owesBlank = true
    } else {
      output.append(UTF8.encode(scalar) ?? .init())
    }
  }

  private mutating func parseMarkup() {
    let cdata = "<![CDATA[".utf8
    if bytes[index...].starts(with: cdata) {
      // The content of CDATA is text.
      index += cdata.count
    } else if markup == .title {
      parseTitleMarkup()
    } else {
      parseTag()
    }
  }

  /// Takes a `<` as text.
  private mutating func parseMark() {
    output.append(CollectionOfOne(bytes[index]))
    index += 1
  }

  private mutating func parseTag() {
    guard let kind = htmlMarkup(in: bytes, at: index) else { return parseMark() }
    guard kind != .comment else { return index = endOfHTMLComment(in: bytes, at: index) }
    index += kind == .start ? 1 : 2
    let name = parseHTMLName(in: bytes, &index)
    while parseHTMLAttribute(in: bytes, &index) != nil {}
    index = min(index + 1, bytes.count)
    let traits = ElementTraits.of(name)
    if !traits.contains(.inline) { output.owesBlank = true }
    if kind == .start, traits.isSuperset(of: [.isRaw, .hidden]) {
      index = endOfRawHTML(in: bytes, from: index, name)
    }
  }

  // MARK: Titles

  /// A tag that may be markup in a title.
  private struct TitleTag {
    var name: NameHash
    var isEnd: Bool
    /// Whether it is `<NAME>`, without attributes.
    var isBare = true
    /// Whether the name begins with a capital, as those of types do.
    var isCapital: Bool
    /// The text in place of an image.
    var alternative = 0..<0
    /// The index after its `>`.
    var end = 0
  }

  private mutating func parseTitleMarkup() {
    if hasCommentEnd, bytes[index...].starts(with: "<!--".utf8) {
      let end = endOfHTMLComment(in: bytes, at: index)
      hasCommentEnd = bytes[..<end].suffix(3).elementsEqual("-->".utf8)
      if hasCommentEnd { return index = end }
    }
    guard let tag = titleTag(at: index), isMarkup(tag) else { return parseMark() }
    if tag.name == Self.image {
      let alternative = UnsafeBufferPointer(rebasing: bytes[tag.alternative])
      output.append(plainText(alternative, .title, limit: output.room).utf8)
    } else if !ElementTraits.of(tag.name).contains(.inline) {
      output.owesBlank = true
    }
    index = tag.end
  }

  private mutating func isMarkup(_ tag: TitleTag) -> Bool {
    if Self.standalone.contains(tag.name) { return true }
    let traits = ElementTraits.of(tag.name)
    // `<A>` is more likely a type than a link, unless it is closed.
    let maybeType = tag.isBare && !tag.isEnd && (tag.isCapital || traits.contains(.link))
    if traits.contains(.inline), !maybeType { return true }
    guard !traits.isDisjoint(with: [.inline, .block, .cell]) else { return false }
    if closed == nil { closed = closedNames() }
    return closed?.contains(tag.name) ?? false
  }

  private func closedNames() -> Set<NameHash> {
    var names: [Set<NameHash>] = [[], []]
    for index in bytes.indices where bytes[index] == UInt8(ascii: "<") {
      if let tag = titleTag(at: index) { names[tag.isEnd ? 1 : 0].insert(tag.name) }
    }
    return names[0].intersection(names[1])
  }

  /// The tag at a `<`, if it is whole: a name, then attributes of which the first has a value, then `>`, all before the next `<`,
  /// so that no part of a title is read for several tags.
  private func titleTag(at start: Int) -> TitleTag? {
    guard let kind = htmlMarkup(in: bytes, at: start), kind != .comment else { return nil }
    let end = firstIndex(of: UInt8(ascii: "<"), in: bytes, from: start + 1) ?? bytes.count
    let text = UnsafeBufferPointer(rebasing: bytes[..<end])
    var index = start + (kind == .end ? 2 : 1)
    let isCapital = text[index] & 0x20 == 0
    var tag = TitleTag(name: parseHTMLName(in: text, &index), isEnd: kind == .end, isCapital: isCapital)
    while let (name, value) = parseHTMLAttribute(in: text, &index, isStrict: true) {
      guard !tag.isEnd, !tag.isBare || value.lowerBound > name.upperBound else { return nil }
      tag.isBare = false
      if nameHash(text[name]) == Self.alternative { tag.alternative = value }
    }
    guard index < text.count, text[index] == UInt8(ascii: ">") else { return nil }
    tag.end = index + 1
    return tag
  }

  private static let image = nameHash("img".utf8)
  private static let alternative = nameHash("alt".utf8)
  /// Elements that have no end tag.
  private static let standalone = nameHashes("br img wbr")
}

/// The length in bytes of the white space (Unicode's White_Space) at an index, or 0.
func whiteSpaceLength(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
  let byte = bytes[index]
  if byte <= 0x20 { return byte == 0x20 || (0x09...0x0D).contains(byte) ? 1 : 0 }
  guard byte >= 0xC2, byte <= 0xE3, index + 1 < bytes.count else { return 0 }
  let second = bytes[index + 1]
  if byte == 0xC2 { return second == 0x85 || second == 0xA0 ? 2 : 0 }
  guard index + 2 < bytes.count else { return 0 }
  let third = bytes[index + 2]
  switch (byte, second) {
  case (0xE1, 0x9A): return third == 0x80 ? 3 : 0
  case (0xE2, 0x80): return third <= 0x8A || third == 0xA8 || third == 0xA9 || third == 0xAF ? 3 : 0
  case (0xE2, 0x81): return third == 0x9F ? 3 : 0
  case (0xE3, 0x80): return third == 0x80 ? 3 : 0
  default: return 0
  }
}

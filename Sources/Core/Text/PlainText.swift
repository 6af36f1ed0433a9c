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
  private var closed: Set<UInt64>?
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
          parseRun()
        }
      }
    }
    return output.text
  }

  /// Takes the byte here, and the text up to the next markup, reference or white space to fold.
  private mutating func parseRun() {
    let most = index + min(bytes.count - index, output.room)
    var end = index + 1
    while end < most {
      let byte = bytes[end]
      if Self.isOrdinary(byte) || byte >= 0x80 && whiteSpaceLength(bytes, at: end) == 0 {
        end += 1
      } else if byte == 0x20, end + 1 < most, Self.isOrdinary(bytes[end + 1]) {
        end += 2
      } else {
        break
      }
    }
    output.append(UnsafeBufferPointer(rebasing: bytes[index..<end]))
    index = end
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
    let next = index + 1 < bytes.count ? bytes[index + 1] : 0
    if markup == .title, !starts(with: "<![CDATA[") { return parseTitleMarkup() }
    switch next {
    case UInt8(ascii: "!") where starts(with: "<!--"):
      index = end(of: "-->", from: index + 4)
    case UInt8(ascii: "!") where starts(with: "<![CDATA["):
      // The content of CDATA is text.
      index += 9
    case UInt8(ascii: "!"), UInt8(ascii: "?"):
      index = end(of: ">", from: index + 2)
    case UInt8(ascii: "/") where index + 2 < bytes.count && bytes[index + 2].isASCIILetter:
      parseTag(nameStart: index + 2)
    case _ where next.isASCIILetter:
      parseTag(nameStart: index + 1)
    default: parseMark()
    }
  }

  /// Takes a `<` as text.
  private mutating func parseMark() {
    output.append(CollectionOfOne(bytes[index]))
    index += 1
  }

  private mutating func parseTag(nameStart: Int) {
    let isStart = nameStart == index + 1
    var nameEnd = nameStart
    var name: UInt64 = 0
    while nameEnd < bytes.count, !Self.endsName(bytes[nameEnd]) {
      name = name << 8 | UInt64(bytes[nameEnd] | 0x20)
      nameEnd += 1
    }
    index = endOfTag(from: nameEnd)
    let isShort = nameEnd - nameStart <= 8
    guard isShort, Self.inline.contains(name) else {
      output.owesBlank = true
      if isShort, isStart, Self.script == name { index = end(of: "</script", from: index) }
      if isShort, isStart, Self.style == name { index = end(of: "</style", from: index) }
      return
    }
  }

  private static func endsName(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "<")
  }

  /// The index after the tag's `>`.
  ///
  /// A `>` in a quoted value does not end the tag; after an unclosed quote it does.
  private func endOfTag(from start: Int) -> Int {
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: ">"): return index + 1
      case UInt8(ascii: "<"): return index
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if bytes[index - 1] == UInt8(ascii: "="), let close = first(bytes[index], from: index + 1) {
          index = close
        }
      default: break
      }
      index += 1
    }
    return index
  }

  private func first(_ byte: UInt8, from start: Int) -> Int? {
    bytes[min(start, bytes.count)...].firstIndex(of: byte)
  }

  private func starts(with text: StaticString, at start: Int? = nil) -> Bool {
    let start = start ?? index
    guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
    for offset in 0..<text.utf8CodeUnitCount {
      let (wanted, found) = (text.utf8Start[offset], bytes[start + offset])
      guard found == wanted || found.isASCIILetter && found | 0x20 == wanted else { return false }
    }
    return true
  }

  /// The index after the next occurrence of a text, or the end.
  private func end(of text: StaticString, from start: Int) -> Int {
    var index = start
    while let candidate = first(text.utf8Start[0], from: index) {
      if starts(with: text, at: candidate) {
        // An end tag is closed by its own `>`.
        guard text.utf8Start[0] == UInt8(ascii: "<") else { return candidate + text.utf8CodeUnitCount }
        return first(UInt8(ascii: ">"), from: candidate).map { $0 + 1 } ?? bytes.count
      }
      index = candidate + 1
    }
    return bytes.count
  }

  private static let script = HTMLEntities.packed("script".utf8)
  private static let style = HTMLEntities.packed("style".utf8)

  /// A tag that may be markup in a title.
  private struct TitleTag {
    var name: UInt64
    var isEnd: Bool
    /// Whether it is `<NAME>`, without attributes.
    var isBare = true
    /// Whether the name begins with a capital, as those of types do.
    var isCapital: Bool
    var attributes: Range<Int>
  }

  private mutating func parseTitleMarkup() {
    if starts(with: "<!--"), hasCommentEnd {
      let end = end(of: "-->", from: index + 4)
      hasCommentEnd = starts(with: "-->", at: end - 3)
      if hasCommentEnd { index = end } else { parseMark() }
      return
    }
    guard let tag = titleTag(at: index), isMarkup(tag) else { return parseMark() }
    if tag.name == Self.image {
      let text = alternativeText(in: tag.attributes)
      output.append(text.utf8)
    } else if !Self.inline.contains(tag.name) {
      output.owesBlank = true
    }
    index = tag.attributes.upperBound + 1
  }

  private mutating func isMarkup(_ tag: TitleTag) -> Bool {
    if Self.standalone.contains(tag.name) { return true }
    // `<A>` is more likely a type than a link, unless it is closed.
    let isSure =
      Self.inline.contains(tag.name)
      && !(tag.isBare && !tag.isEnd && (tag.isCapital || tag.name == Self.link))
    if isSure { return true }
    guard Self.inline.contains(tag.name) || Self.blocks.contains(tag.name) else { return false }
    if closed == nil { closed = closedNames() }
    return closed?.contains(tag.name) ?? false
  }

  private func closedNames() -> Set<UInt64> {
    var names: [Set<UInt64>] = [[], []]
    for index in bytes.indices where bytes[index] == UInt8(ascii: "<") {
      if let tag = titleTag(at: index) { names[tag.isEnd ? 1 : 0].insert(tag.name) }
    }
    return names[0].intersection(names[1])
  }

  /// The tag at a `<`, if it is whole: a name, then attributes with values, then `>`.
  private func titleTag(at start: Int) -> TitleTag? {
    let isEnd = start + 1 < bytes.count && bytes[start + 1] == UInt8(ascii: "/")
    let nameStart = start + (isEnd ? 2 : 1)
    var index = nameStart
    var name: UInt64 = 0
    while index < bytes.count, index - nameStart < 10,
      bytes[index].isASCIILetter || bytes[index].isASCIIDigit || bytes[index] == UInt8(ascii: "-")
    {
      name = name << 8 | UInt64(bytes[index] | 0x20)
      index += 1
    }
    guard index > nameStart, bytes[nameStart].isASCIILetter else { return nil }
    var tag = TitleTag(
      name: name, isEnd: isEnd, isCapital: bytes[nameStart] & 0x20 == 0, attributes: index..<index)
    let nameEnd = index
    while index < bytes.count, bytes[index] <= 0x20 || bytes[index] == UInt8(ascii: "/") { index += 1 }
    if index < bytes.count, bytes[index] != UInt8(ascii: ">") {
      let first = index
      while index < bytes.count,
        bytes[index].isASCIILetter || bytes[index] == UInt8(ascii: "-")
          || bytes[index] == UInt8(ascii: ":")
      { index += 1 }
      guard !isEnd, first > nameEnd, index > first else { return nil }
      while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
      guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { return nil }
      tag.isBare = false
      index = endOfTag(from: index + 1) - 1
    }
    guard index < bytes.count, bytes[index] == UInt8(ascii: ">") else { return nil }
    tag.attributes = nameEnd..<index
    return tag
  }

  /// The text in place of an image, or nothing.
  private func alternativeText(in attributes: Range<Int>) -> String {
    var index = attributes.lowerBound
    while index + 5 < attributes.upperBound {
      index += 1
      guard bytes[index - 1] <= 0x20, starts(with: "alt=", at: index) else { continue }
      let quote = bytes[index + 4]
      guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
        let end = first(quote, from: index + 5),
        end < attributes.upperBound
      else { return "" }
      return plainText(UnsafeBufferPointer(rebasing: bytes[(index + 5)..<end]), .title, limit: output.room)
    }
    return ""
  }

  private static let link = HTMLEntities.packed("a".utf8)
  private static let image = HTMLEntities.packed("img".utf8)
  /// Elements that have no end tag.
  private static let standalone = Set(["br", "img", "wbr"].map { HTMLEntities.packed($0.utf8) })
  private static let blocks = Set(
    "p div h1 h2 h3 h4 h5 h6 li ul ol dl dt dd pre center blockquote table tr td th".split(separator: " ")
      .map { HTMLEntities.packed($0.utf8) })

  /// Inline elements; all others separate words.
  private static let inline = Set(
    """
    a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rb rp rt ruby s samp \
    small span strike strong sub sup time tt u var wbr
    """.split(separator: " ").map { HTMLEntities.packed($0.utf8) })
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

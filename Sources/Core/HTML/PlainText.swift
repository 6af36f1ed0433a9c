// HTML to one line of text. The result can still contain control characters; cleanText removes them.

/// The text of HTML: without markup, with references decoded and white space folded to single blanks.
///
/// The contents of `script`, `style` and the like are removed. An element that is not inline separates words. A `<` that does
/// not begin a tag stays, as in `1 < 2`. Takes linear time for any text.
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
  var output = TextLine(limit: limit, inputLength: bytes.count)
  switch markup {
  case .text: output.append(bytes, resolving: nil)
  case .html where !bytes.contains("<"): output.append(bytes, resolving: .text)
  case .html:
    // A long text is read only as far as its beginning needs.
    var size = 2 * min(max(limit, 512), bytes.count)
    while true {
      guard let tree = HTMLTree(UnsafeBufferPointer(rebasing: bytes.prefix(size)), isItem: true) else {
        break
      }
      output = tree.line(in: 0, limit: limit)
      if output.isFull || size >= bytes.count { break }
      size *= 4
    }
  case .title:
    var title = TitleMarkup(bytes: bytes, output: output)
    title.read()
    output = title.output
  }
  return graphemePrefix(of: output.text, limit: limit)
}

extension HTMLTree {
  /// The text of an element on one line, without what is not for readers.
  public func plainText(in node: Int, limit: Int) -> String {
    graphemePrefix(of: line(in: node, limit: limit).text, limit: limit)
  }

  fileprivate func line(in node: Int, limit: Int) -> TextLine {
    var output = TextLine(limit: limit, inputLength: source.count)
    var open: [(element: HTMLElement, end: Int)] = []
    // Only a whole content is searched for formulas, since a page may have many elements to read.
    let outline = node == 0 ? ArticleOutline(self) : nil
    var lastFormula: String?
    var index = node + 1
    while index < nodes[node].end, !output.isFull {
      while let last = open.last, last.end <= index { output.end(open.removeLast().element) }
      let item = nodes[index]
      if item.element == .math, !isHidden(index) {
        let formula = formula(of: index)
        if !formula.isEmpty { output.append(formula.utf8) }
        lastFormula = formula
        index = Int(item.end)
        continue
      }
      // Wikipedia shows a formula again as an image.
      if item.element == .img, !isHidden(index), let text = textInPlace(of: index) {
        if text != lastFormula { output.append(text.utf8) }
        lastFormula = nil
        index = Int(item.end)
        continue
      }
      if item.isElement {
        let looks = looks(of: index)
        let element = looks.contains(.block) ? .div : item.element
        output.begin(element)
        guard !element.traits.contains(.hidden), !looks.contains(.hidden),
          !(outline?.repeatsFormula(index, self) ?? false)
        else {
          output.end(element)
          index = Int(item.end)
          continue
        }
        open.append((element, Int(item.end)))
      } else {
        output.append(source.slice(item.range), item.textKind)
      }
      index += 1
    }
    while let last = open.popLast() { output.end(last.element) }
    return output
  }
}

/// A line of text that grows by pieces of HTML.
private struct TextLine {
  private var line: FoldedText
  /// The open superscript or subscript, and the length of the line before it.
  private var script: (element: HTMLElement, start: Int)?

  init(limit: Int, inputLength: Int) { line = FoldedText(limit: limit, inputLength: inputLength) }

  var isFull: Bool { line.isFull }
  var room: Int { line.room }
  var text: String { line.text }

  mutating func append(_ text: some Collection<UInt8>) { line.append(text) }

  /// Adds a text of HTML.
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, _ kind: HTMLTokenizer.TextKind) {
    append(bytes, resolving: kind == .data || kind == .escapable ? .text : nil)
  }

  /// Adds text.
  ///
  /// - Parameter place: the rules of its references; nil if it has none.
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, resolving place: CharacterReference.Place?) {
    var index = 0
    while index < bytes.count, !line.isFull {
      let white = whiteSpaceLength(bytes, at: index)
      if white > 0 {
        line.owesBlank = true
        index += white
      } else if let place, bytes[index] == "&",
        let found = CharacterReference(in: bytes, at: index, place)
      {
        index += found.length
        if found.scalar.properties.isWhitespace {
          line.owesBlank = true
        } else {
          var character: [UInt8] = []
          found.append(to: &character)
          line.append(character)
        }
      } else {
        line.appendRun(of: bytes, from: &index) { index in
          Self.isOrdinary(bytes[index]) || bytes[index] >= 0x80 && whiteSpaceLength(bytes, at: index) == 0
        }
      }
    }
  }

  /// Whether a byte begins neither white space nor a reference.
  private static func isOrdinary(_ byte: UInt8) -> Bool {
    switch byte {
    case ...0x20, "&", 0xC2, 0xE1...0xE3: false
    default: true
    }
  }

  // MARK: Elements

  mutating func begin(_ element: HTMLElement) {
    if element == .sup || element == .sub {
      endScript()
      script = (element, line.count)
    } else if !element.traits.contains(.inline) {
      endScript()
      line.owesBlank = true
    }
  }

  mutating func end(_ element: HTMLElement) {
    if element == script?.element {
      endScript()
    } else if !element.traits.contains(.inline) {
      endScript()
      line.owesBlank = true
    }
  }

  mutating func endScript() {
    guard let (element, start) = script else { return }
    script = nil
    line.replaceEnd(from: start) { scriptText($0, isRaised: element == .sup, after: $1) }
  }
}

// MARK: Titles

/// Reads a title that may be HTML or text.
private struct TitleMarkup {
  let bytes: UnsafeBufferPointer<UInt8>
  var output: TextLine
  private var index = 0
  /// The names of the tags that are there as start tags and as end tags; nil until they are needed.
  private var closed: Set<NameHash>?
  private var hasCommentEnd = true

  init(bytes: UnsafeBufferPointer<UInt8>, output: TextLine) {
    (self.bytes, self.output) = (bytes, output)
  }

  mutating func read() {
    var start = 0
    while !output.isFull, let mark = nextIndex(of: "<", in: bytes, from: index) {
      output.append(bytes.slice(start..<mark), resolving: .xml)
      index = mark
      start = mark
      parseMarkup()
      if index == mark { index += 1 } else { start = index }
    }
    output.append(bytes.slice(start...), resolving: .xml)
    output.endScript()
  }

  /// Moves past the markup here, if it is markup.
  private mutating func parseMarkup() {
    let cdata = "<![CDATA[".utf8
    // The content of CDATA is text.
    if bytes[index...].starts(with: cdata) { return index += cdata.count }
    if hasCommentEnd, bytes[index...].starts(with: "<!--".utf8) {
      let end = markupComment(in: bytes, at: index).end
      hasCommentEnd = bytes[end - 1] == ">"
      if hasCommentEnd { return index = end }
    }
    guard let tag = tag(at: index), isMarkup(tag) else { return }
    if tag.element == .img {
      let alternative = bytes.slice(tag.alternative)
      output.append(plainText(alternative, .title, limit: output.room).utf8)
    } else if tag.isEnd {
      output.end(tag.element)
    } else {
      output.begin(tag.element)
    }
    index = tag.end
  }

  /// A tag that may be markup.
  private struct Tag {
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

    var element: HTMLElement { HTMLElement(name) }
  }

  private mutating func isMarkup(_ tag: Tag) -> Bool {
    // Elements that have no end tag.
    if [.br, .img, .wbr].contains(tag.element) { return true }
    let traits = tag.element.traits
    // `<A>` is more likely a type than a link, unless it is closed.
    let maybeType = tag.isBare && !tag.isEnd && (tag.isCapital || tag.element == .a)
    if traits.contains(.inline), !maybeType { return true }
    guard !traits.isDisjoint(with: [.inline, .block, .cell]) else { return false }
    if closed == nil { closed = closedNames() }
    return closed?.contains(tag.name) ?? false
  }

  private func closedNames() -> Set<NameHash> {
    var names: [Set<NameHash>] = [[], []]
    for index in bytes.indices where bytes[index] == "<" {
      if let tag = tag(at: index) { names[tag.isEnd ? 1 : 0].insert(tag.name) }
    }
    return names[0].intersection(names[1])
  }

  /// The tag at a `<`, if it is whole: a name, then attributes of which the first has a value, and no other tag outside of values.
  ///
  /// It is short, so that no part of a title is read for many tags.
  private func tag(at mark: Int) -> Tag? {
    let isEnd = mark + 1 < bytes.count && bytes[mark + 1] == "/"
    let start = mark + (isEnd ? 2 : 1)
    guard start < bytes.count, bytes[start].isASCIILetter else { return nil }
    let text = bytes.slice(..<min(bytes.count, mark + Self.longestTag))
    var index = start
    while index < text.count, !endsTagName(text[index]), text[index] != "<" { index += 1 }
    var tag = Tag(name: nameHash(text[start..<index]), isEnd: isEnd, isCapital: text[start] & 0x20 == 0)
    while let (name, value) = parseMarkupAttribute(in: text, &index, isStrict: true) {
      guard !tag.isEnd, !tag.isBare || value.lowerBound > name.upperBound else { return nil }
      tag.isBare = false
      if nameHash(text[name]) == Self.alternative { tag.alternative = value }
    }
    guard index < text.count, text[index] == ">" else { return nil }
    tag.end = index + 1
    return tag
  }

  private static let alternative = nameHash("alt".utf8)
  private static let longestTag = 1024
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

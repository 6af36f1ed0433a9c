// The tokens of HTML, as the standard says (section 13.2.5): places in the source instead of copies, in linear time.

/// Reads the tokens of a page or of the content of an item.
public struct HTMLTokenizer {
  /// A tag, with the numbers of its attributes.
  public struct Tag {
    public var name: NameHash
    var element: HTMLElement
    var nameRange: Range<Int>
    var attributes: Range<Int>
    /// Whether it ends with `/>`.
    var isSelfClosing: Bool
    /// The place of the whole tag.
    var range: Range<Int>
  }

  /// An attribute; its value still has character references.
  public struct Attribute {
    public let name: NameHash
    private let nameStart: Int32
    private let nameEnd: Int32
    private let start: Int32
    private let end: Int32

    init(name: NameHash, _ range: Range<Int>, _ value: Range<Int>) {
      self.name = name
      (nameStart, nameEnd) = (Int32(clamping: range.lowerBound), Int32(clamping: range.upperBound))
      (start, end) = (Int32(clamping: value.lowerBound), Int32(clamping: value.upperBound))
    }

    /// The places of the name and of the value.
    public var nameRange: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    public var value: Range<Int> { Int(start)..<Int(end) }
  }

  /// The kind of a text by the markup that it may contain.
  public enum TextKind: UInt8, Sendable {
    /// Character references and, around it, tags.
    case data
    /// Character references, as in a `title`.
    case escapable
    /// Nothing but text, as in a `script`.
    case raw
    /// Nothing but text, in a CDATA section.
    case section
  }

  public enum Token {
    case text(Range<Int>, TextKind)
    case start(Tag)
    case end(Tag)
    case comment(Range<Int>)
    /// A document type: everything after its name.
    case doctype(Range<Int>)
  }

  /// Where the tokenizer is.
  enum Place: Sendable {
    case data
    /// In an element whose content has no tags but its own end tag.
    case content(TextKind, of: NameHash)
    case script(of: NameHash)
    /// In an element that never ends.
    case plaintext
    case section
  }

  let source: UnsafeBufferPointer<UInt8>
  private(set) var position = 0
  var place = Place.data
  /// Whether `<![CDATA[` begins a section, as in SVG and in the XHTML of items.
  var hasSections = false
  /// Whether the content of `script`, `title` and the like has no tags, as in HTML and not in SVG.
  var hasRawContent = true
  /// The attributes of the last tag or of all tags, as chosen.
  private(set) var attributes: [Attribute] = []
  private let choice: AttributeChoice

  /// The attributes that are kept.
  public enum AttributeChoice: Sendable {
    case none, ofAllTags
    /// All attributes of the last tag, even if a name is repeated.
    case asWritten
  }

  /// The maximum number of attributes of an element and of a page; further ones are skipped.
  private static let mostAttributes = (ofElement: 100, inAll: 1_000_000)

  public init(_ source: UnsafeBufferPointer<UInt8>, attributes choice: AttributeChoice) {
    (self.source, self.choice) = (source, choice)
  }

  /// The next token; nil at the end.
  public mutating func next() -> Token? {
    switch place {
    case .data: break
    case .content(let kind, let name):
      place = .data
      let end = endOfContent(of: name)
      if let text = text(to: end, kind) { return text }
    case .script(let name):
      place = .data
      let end = endOfScript(name)
      if let text = text(to: end, .raw) { return text }
    case .plaintext: return text(to: source.count, .raw)
    case .section:
      place = .data
      if let text = section(from: position) { return text }
    }
    while position < source.count {
      guard let mark = nextMarkup() else { return text(to: source.count, .data) }
      if let text = text(to: mark, .data) { return text }
      if let token = markup(at: mark) { return token }
    }
    return nil
  }

  /// The text from here to an end, if there is any.
  private mutating func text(to end: Int, _ kind: TextKind) -> Token? {
    guard end > position else { return nil }
    defer { position = end }
    return .text(position..<end, kind)
  }

  /// The next `<` that begins markup.
  private func nextMarkup() -> Int? {
    var index = position
    while let mark = nextIndex(of: "<", in: source, from: index) {
      index = mark + 1
      guard index < source.count else { return nil }
      switch source[index] {
      case "!", "?": return mark
      case "/": if index + 1 < source.count { return mark }
      case let byte: if byte.isASCIILetter { return mark }
      }
    }
    return nil
  }

  private mutating func markup(at mark: Int) -> Token? {
    switch source[mark + 1] {
    case "!": return declaration(at: mark)
    case "?": return comment(from: mark + 1)
    case "/":
      if source[mark + 2].isASCIILetter { return tag(at: mark, nameAt: mark + 2).map(Token.end) }
      guard source[mark + 2] != ">" else {
        position = mark + 3
        return nil
      }
      return comment(from: mark + 2)
    default:
      guard let tag = tag(at: mark, nameAt: mark + 1) else { return nil }
      if hasRawContent { enter(tag.element, tag.name) }
      return .start(tag)
    }
  }

  /// A comment that ends with the next `>`.
  private mutating func comment(from start: Int) -> Token {
    let end = nextIndex(of: ">", in: source, from: start) ?? source.count
    position = min(end + 1, source.count)
    return .comment(start..<end)
  }

  private mutating func declaration(at mark: Int) -> Token? {
    let start = mark + 2
    if source[start...].starts(with: "--".utf8) {
      let (content, end) = markupComment(in: source, at: mark)
      position = end
      return .comment(content)
    }
    if hasSections, source[start...].starts(with: "[CDATA[".utf8) { return section(from: start + 7) }
    let isDoctype = source[start...].prefix(7).lazy.map(asciiLowercased).elementsEqual("doctype".utf8)
    guard isDoctype, case .comment(let range) = comment(from: start + 7) else { return comment(from: start) }
    return .doctype(range)
  }

  /// The text of a CDATA section.
  private mutating func section(from start: Int) -> Token? {
    var index = start
    while let end = nextIndex(of: ">", in: source, from: index) {
      index = end + 1
      guard end >= start + 2, source[end - 1] == "]", source[end - 2] == "]"
      else { continue }
      position = end + 1
      return end - 2 > start ? .text(start..<(end - 2), .section) : nil
    }
    position = source.count
    return start < source.count ? .text(start..<source.count, .section) : nil
  }

  // MARK: Tags

  /// The tag at a `<`; nil if the page ends before its `>`.
  private mutating func tag(at mark: Int, nameAt start: Int) -> Tag? {
    position = start
    while position < source.count, case let byte = source[position], byte > 0x3E || !endsTagName(byte) {
      position += 1
    }
    let name = start..<position
    if choice != .ofAllTags { attributes.removeAll(keepingCapacity: true) }
    let first = attributes.count
    let most =
      switch choice {
      case .none: 0
      case .asWritten: Self.mostAttributes.inAll
      case .ofAllTags: min(first + Self.mostAttributes.ofElement, Self.mostAttributes.inAll)
      }
    var end = position
    while let (range, value) = parseMarkupAttribute(in: source, &position) {
      end = position
      guard attributes.count < most else { continue }
      let hash = nameHash(source.slice(range))
      // The first of several attributes with one name counts.
      var index = choice == .asWritten ? attributes.count : first
      while index < attributes.count, attributes[index].name != hash { index += 1 }
      if index == attributes.count { attributes.append(Attribute(name: hash, range, value)) }
    }
    guard position < source.count else {
      attributes.removeLast(attributes.count - first)
      return nil
    }
    let isSelfClosing = position > end && source[position - 1] == "/"
    position += 1
    let hash = nameHash(source.slice(name))
    return Tag(
      name: hash, element: HTMLElement(hash), nameRange: name, attributes: first..<attributes.count,
      isSelfClosing: isSelfClosing, range: mark..<position)
  }

  /// Enters an element whose content has no tags.
  private mutating func enter(_ element: HTMLElement, _ name: NameHash) {
    switch element {
    case .title, .textarea: place = .content(.escapable, of: name)
    case .style, .xmp, .iframe, .noembed, .noframes: place = .content(.raw, of: name)
    case .script: place = .script(of: name)
    case .plaintext: place = .plaintext
    default: break
    }
  }

  /// Whether an end tag or, for a script in a comment, a start tag of a name begins at an index.
  private func hasName(_ name: NameHash, at start: Int) -> Bool {
    var end = start
    while end < source.count, end - start < 16, !endsTagName(source[end]) { end += 1 }
    return end > start && end < source.count && endsTagName(source[end])
      && nameHash(source.slice(start..<end)) == name
  }

  private func endOfContent(of name: NameHash) -> Int {
    var index = position
    while let mark = nextIndex(of: "<", in: source, from: index) {
      index = mark + 1
      guard index < source.count, source[index] == "/" else { continue }
      if hasName(name, at: index + 1) { return mark }
    }
    return source.count
  }

  /// The end of a script: an end tag, unless it is in a comment in which a script began.
  private func endOfScript(_ name: NameHash) -> Int {
    var index = position
    /// The place after the `<!` of a comment, and whether a script began in it.
    var comment: Int?
    var isNested = false
    while index < source.count {
      if comment == nil {
        index = nextIndex(of: "<", in: source, from: index) ?? source.count - 1
      }
      let byte = source[index]
      if byte == "<", index + 1 < source.count {
        if comment == nil, source[index...].starts(with: "<!--".utf8) {
          comment = index + 2
          isNested = false
          index += 3
        } else if source[index + 1] == "/", hasName(name, at: index + 2) {
          if !isNested { return index }
          isNested = false
        } else if comment != nil, !isNested, hasName(Self.script, at: index + 1) {
          isNested = true
        }
      } else if byte == ">", let start = comment, index - 2 >= start,
        source[index - 1] == "-", source[index - 2] == "-"
      {
        comment = nil
        isNested = false
      }
      index += 1
    }
    return source.count
  }

  private static let script = nameHash("script".utf8)

  // MARK: Text

  /// Adds the characters of a text: references resolved, line ends as line feeds.
  func append(_ range: Range<Int>, _ kind: TextKind, to output: inout [UInt8]) {
    let start = output.count
    let bytes = source.slice(range)
    switch kind {
    case .data, .escapable: appendResolved(bytes, .text, replacesNulls: kind == .escapable, to: &output)
    case .raw, .section:
      output += bytes
      normalize(&output, from: start, replacesNulls: kind == .raw)
    }
  }

  /// The value of an attribute, cut off at a length.
  func value(of attribute: Attribute, limit: Int = .max) -> [UInt8] {
    let range = attribute.value
    var output: [UInt8] = []
    let bytes = source.slice(range)
    // A reference is at most 33 bytes and gives at least one.
    let most = limit < bytes.count / 64 ? limit * 64 : bytes.count
    appendResolved(
      bytes.slice(..<most), .attribute, replacesNulls: true, to: &output)
    if output.count > limit { output.removeLast(output.count - limit) }
    return output
  }

  /// A name in lower case.
  func name(_ range: Range<Int>) -> String {
    var bytes = source[range].map(asciiLowercased)
    normalize(&bytes, from: 0, replacesNulls: true)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func appendResolved(
    _ bytes: UnsafeBufferPointer<UInt8>, _ place: CharacterReference.Place, replacesNulls: Bool,
    to output: inout [UInt8]
  ) {
    var copied = 0
    var index = 0
    while let ampersand = nextIndex(of: "&", in: bytes, from: index) {
      index = ampersand + 1
      guard let found = CharacterReference(in: bytes, at: ampersand, place) else { continue }
      appendNormalized(bytes.slice(copied..<ampersand), replacesNulls, to: &output)
      found.append(to: &output)
      index = ampersand + found.length
      copied = index
    }
    appendNormalized(bytes.slice(copied...), replacesNulls, to: &output)
  }

  private func appendNormalized(
    _ bytes: UnsafeBufferPointer<UInt8>, _ replacesNulls: Bool, to output: inout [UInt8]
  ) {
    let start = output.count
    output += bytes
    normalize(&output, from: start, replacesNulls: replacesNulls)
  }

  /// Makes line feeds of carriage returns, and of nulls the character for what cannot be read.
  private func normalize(_ output: inout [UInt8], from start: Int, replacesNulls: Bool) {
    let isNormal = output.withUnsafeBufferPointer { bytes in
      nextIndex(of: 0x0D, in: bytes, from: start) == nil
        && !(replacesNulls && nextIndex(of: 0, in: bytes, from: start) != nil)
    }
    guard !isNormal else { return }
    let bytes = Array(output[start...])
    output.removeLast(bytes.count)
    var previous: UInt8 = 0
    for byte in bytes {
      switch byte {
      case 0x0D: output.append(0x0A)
      case 0x0A where previous == 0x0D: break
      case 0 where replacesNulls: output += "\u{FFFD}".utf8
      default: output.append(byte)
      }
      previous = byte
    }
  }
}

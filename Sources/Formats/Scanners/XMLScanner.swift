// A tolerant XML scanner: elements that always balance, and the recognition of a document by its root.
// The readers in Formats give elements their meaning.

import Core
import Glibc

/// A scanner that goes through a document from one tag or run of text to the next.
///
/// It never fails. Of a document type it reads only the entities that the document declares itself, within bounds. A `<` that
/// does not begin a tag is text. An end tag closes the nearest open element of its name with all elements
/// inside, or nothing. An item that begins inside another item ends that one. Elements nested deeper than
/// `maximumDepth` are skipped, but their text is kept. Every byte is examined a bounded number of times.
///
/// The document must outlive the scanner and be valid UTF-8. A pointer is used because the checks of arrays for bounds and
/// uniqueness cost more than the scanning itself.
struct XMLScanner: ~Copyable {
  /// Elements nested deeper than this are skipped.
  static let maximumDepth = 256
  /// The maximum number of attributes of an element; further ones are skipped.
  static let maximumAttributes = 64
  /// The maximum number of namespaces declared at one place; further ones are skipped.
  static let maximumBindings = 128

  let source: UnsafeBufferPointer<UInt8>
  /// The index of the next byte.
  var position = 0
  /// The open elements, the root first.
  private(set) var open: [OpenElement] = []
  /// The number of open elements for some bits of their names.
  ///
  /// With it, most end tags that close nothing need no search.
  private var openInSlot = [UInt16](repeating: 0, count: 512)
  /// The element that was closed last.
  var lastClosed: OpenElement?
  /// The number of open elements to close before anything else is read.
  var pendingCloses = 0
  /// The depth of the open item or entry; 0 if there is none.
  var itemDepth = 0
  /// The attributes of the element that was opened last.
  var attributes: [Attribute] = []
  /// The declared namespaces, the innermost last.
  var bindings: [Binding] = []
  /// The bases of relative links that elements declare, the innermost last.
  var bases: [Base] = []
  var links: LinkResolver
  /// Whether the document ended while elements were open.
  var isTruncated = false
  /// The number of elements skipped because they were nested too deep.
  var skippedElements = 0
  /// The entities that the document declares before its root.
  var entities: DeclaredEntities
  /// Memory for decoded text.
  var scratch = ByteBuffer()
  /// Ends the scan, as if the document ended here.
  private(set) var stopCheck: StopCheck

  init(
    _ source: UnsafeBufferPointer<UInt8>, address: String?, shouldStop: @escaping ShouldStop = { false }
  ) {
    (self.source, stopCheck) = (source, StopCheck(shouldStop))
    links = LinkResolver(at: address, documentSize: source.count)
    entities = DeclaredEntities(documentSize: source.count)
  }

  enum Event {
    /// An element begins. Its attributes are in `attributes`.
    case open(Element)
    /// The innermost element ends. It is in `lastClosed`.
    case close
    /// Text with undecoded references.
    case text(Range<Int>)
    /// Text of a CDATA section, without references.
    case literal(Range<Int>)
    case end
  }

  /// A start tag.
  struct Element {
    let space: Namespace
    /// The name without the prefix, if some reader knows it.
    let word: Word
    /// The name with the prefix.
    let name: Range<Int>
    /// The attributes as written, without `/` and `>`.
    let attributes: Range<Int>

    /// Whether it is an item of RSS or an entry of Atom.
    var isItem: Bool { (word == .item || word == .entry) && (space == .plain || space == .atom) }
  }

  struct OpenElement {
    let key: NameHash
    /// The name with the prefix.
    let name: Range<Int>

    static func slot(_ key: NameHash) -> Int { Int(key >> 2 & 511) }
  }

  /// The number of open elements.
  var depth: Int { open.count }

  /// The next tag or run of text.
  mutating func next() -> Event {
    if pendingCloses > 0 { return close() }
    if stopCheck.stops(at: position) { position = source.count }
    while position < source.count {
      guard source[position] == "<", beginsMarkup(position) else {
        let start = position
        position = endOfText(from: start)
        return .text(start..<position)
      }
      switch source[position + 1] {
      case "/":
        if parseEndTag() { return close() }
      case "!":
        if let literal = parseDeclaration() { return .literal(literal) }
      case "?":
        // Up to the first `>`, so that a forgotten `?` does not hide the document.
        position = first(">", from: position + 2).map { $0 + 1 } ?? source.count
      default:
        if let event = parseStartTag() { return event }
      }
    }
    isTruncated = !open.isEmpty
    return .end
  }

  /// The next element directly inside the one at `depth`; nil once that one is closed, or at the document's end.
  ///
  /// An item is returned at any depth, so that a forgotten end tag before it does not hide it.
  mutating func nextChild(of depth: Int) -> Element? {
    while true {
      switch next() {
      case .open(let element):
        if open.count == depth + 1 || element.isItem { return element }
      case .close:
        if open.count < depth { return nil }
      case .end:
        return nil
      case .text, .literal:
        break
      }
    }
  }

  /// Skips the item that was opened last.
  mutating func skipItem() {
    let depth = depth
    while nextChild(of: depth) != nil {}
  }

  private mutating func close() -> Event {
    pendingCloses = max(0, pendingCloses - 1)
    pop()
    return .close
  }

  mutating func push(_ element: OpenElement) {
    open.append(element)
    openInSlot[OpenElement.slot(element.key)] += 1
  }

  /// The index in `open` of the innermost element with a name.
  func openElement(_ key: NameHash) -> Int? {
    openInSlot[OpenElement.slot(key)] == 0 ? nil : open.lastIndex { $0.key == key }
  }

  /// Closes the innermost element, with the namespaces and bases that it declared.
  mutating func pop() {
    lastClosed = open.popLast()
    if let lastClosed { openInSlot[OpenElement.slot(lastClosed.key)] -= 1 }
    if itemDepth > open.count { itemDepth = 0 }
    while let last = bindings.last, last.depth > open.count { bindings.removeLast() }
    while let last = bases.last, last.depth > open.count { bases.removeLast() }
  }

  /// The index of the next `<` that begins markup, or the end.
  private func endOfText(from start: Int) -> Int {
    var index = start
    while let found = first("<", from: index) {
      if beginsMarkup(found) { return found }
      index = found + 1
    }
    return source.count
  }

  private func beginsMarkup(_ index: Int) -> Bool {
    guard index + 1 < source.count else { return false }
    switch source[index + 1] {
    case "/", "!", "?": return true
    case let byte: return Self.beginsName(byte)
    }
  }

  static func beginsName(_ byte: UInt8) -> Bool {
    ("a"..."z").contains(byte | 0x20) || byte == "_"
      || byte == ":" || byte >= 0x80
  }

  func first(_ byte: UInt8, from start: Int) -> Int? {
    firstIndex(of: byte, in: source, from: start)
  }

  /// Whether a text is at an index.
  func matches(_ text: StaticString, at index: Int) -> Bool {
    let count = text.utf8CodeUnitCount
    guard index + count <= source.count, let base = source.baseAddress else { return false }
    return memcmp(base + index, text.utf8Start, count) == 0
  }
}

/// The kind of a document by its root element.
enum XMLRoot: Equatable {
  case feed(FeedFormat)
  case html
  /// Something else, in words.
  case other(String)
}

/// The kind of a document of XML.
func rootOfXML(_ source: UnsafeBufferPointer<UInt8>) -> XMLRoot {
  var xml = XMLScanner(source, address: nil)
  return xml.findRoot()
}

extension XMLScanner {
  /// Goes to the root element of a feed and leaves it open, or returns what else the document is.
  ///
  /// Skips markup before the root, such as a server's `<br /><b>Warning</b>`.
  mutating func findRoot() -> XMLRoot {
    var wasOther: String?
    var hasMarkup = false
    // A feed's root is among the first tags.
    for _ in 0..<200 {
      switch next() {
      case .open(let element):
        if let root = root(element), wasOther == nil || root != .html { return root }
        hasMarkup = true
        let name = String(decoding: slice(element.name), as: UTF8.self)
        if wasOther == nil, !Self.strayNames.contains(name.lowercased()) {
          wasOther = "XML whose root is \(cleanText(name, limit: 40))"
        }
      case .end:
        return wasOther.map(XMLRoot.other) ?? (hasMarkup ? .html : .other("text that is not a feed"))
      case .text, .literal, .close:
        break
      }
    }
    return wasOther.map(XMLRoot.other) ?? .html
  }

  private func root(_ element: Element) -> XMLRoot? {
    switch element.word {
    case .rss, .rdf, .channel: .feed(.rss)
    case .feed where element.space == .plain || element.space == .atom: .feed(.atom)
    case .html, .head, .body: .html
    default: nil
    }
  }

  /// Elements of messages that a server's program wrote before the document.
  private static let strayNames: Set<String> = [
    "br", "b", "p", "i", "div", "span", "font", "pre", "strong", "center", "hr", "a", "h1", "h2", "script",
    "link",
    "meta", "title", "table", "tr", "td",
  ]
}

// XML as it is found on the web, to elements that always balance. What they mean is the readers' business.

import Core
import Glibc

/// A walk over a document, from one tag or run of text to the next.
///
/// It never fails and interprets no document type definition, so that there are no external entities and nothing
/// to expand. A `<` that begins no tag is text; an end tag closes the nearest open element of its name with all inside
/// it, or nothing; an item that begins inside another ends that one. What is nested deeper than `maximumDepth` is passed
/// over, its text kept. Every byte is looked at a bounded number of times.
///
/// It works on a pointer because bounds and uniqueness checks of arrays cost more than the work itself; the document
/// must outlive it and be valid UTF-8.
struct XMLScanner: ~Copyable {
  /// Elements nested deeper than this are passed over.
  static let maximumDepth = 256
  /// Attributes of an element beyond this number are passed over.
  static let maximumAttributes = 64
  /// Namespaces declared at one place beyond this number are passed over.
  static let maximumBindings = 128

  /// The document.
  let source: UnsafeBufferPointer<UInt8>
  /// Where the walk goes on.
  var position = 0
  /// The open elements, the root first.
  private(set) var open: [OpenElement] = []
  /// How many of them have each slot of names, so that most end tags that close nothing are known at once.
  private var openInSlot = [UInt16](repeating: 0, count: NameKey.slots)
  /// The element that was closed last.
  var lastClosed: OpenElement?
  /// How many of the open elements are to be closed before anything else is read.
  var pendingCloses = 0
  /// The depth of the open item or entry; 0 if there is none.
  var itemDepth = 0
  /// The attributes of the element that was opened last.
  var attributes: [Attribute] = []
  /// Prefixes and what they stand for, the innermost last.
  var bindings: [Binding] = []
  /// Where relative addresses begin, the innermost last; the first one, the document's own address, is always there.
  var bases: [Base]
  /// Makes relative addresses whole.
  var links: LinkResolver
  /// Whether the root is in the namespace of Atom 0.3.
  var isOldAtom = false
  /// Whether the root is in the namespace of RSS 0.90.
  var isNetscape = false
  /// Whether the document ended while elements were open.
  var isTruncated = false
  /// How many elements were nested too deep and passed over.
  var passedOver = 0
  /// Whether an internal subset without end was met; then `[` in a document type means nothing.
  var hasBrokenSubset = false
  /// Where text is put together.
  var scratch = ByteBuffer()
  /// Whether the walk was stopped; then the document seems to end.
  private(set) var isStopped = false
  private let shouldStop: ShouldStop
  /// The place from which on it is asked again whether to stop.
  private var nextAsk = askingDistance

  /// A walk over a document that came from an address.
  init(
    _ source: UnsafeBufferPointer<UInt8>, address: String?, shouldStop: @escaping ShouldStop = { false }
  ) {
    self.source = source
    self.shouldStop = shouldStop
    bases = [Base(depth: 0, address: documentBase(address))]
    links = LinkResolver(documentSize: source.count)
  }

  /// What comes next in a document.
  enum Event {
    /// An element begins; its attributes are in `attributes`.
    case open(Element)
    /// The innermost element ends; it is in `lastClosed`.
    case close
    /// Text with its references.
    case text(Range<Int>)
    /// Text that has none.
    case literal(Range<Int>)
    /// The document's end.
    case end
  }

  /// An element as its start tag has it.
  struct Element {
    /// The family of its name.
    let space: Namespace
    /// Its name.
    let word: Word
    /// Its name with the prefix, in the document.
    let name: Range<Int>
    /// What follows the name in the tag, without `/` and `>`.
    let attributes: Range<Int>

    /// Whether it is an item of RSS or an entry of Atom.
    var isItem: Bool { (word == .item || word == .entry) && (space == .plain || space == .atom) }
  }

  /// An open element: what its end tag is known by.
  struct OpenElement {
    /// Its name with the prefix.
    let key: NameKey
    /// The same in the document.
    let name: Range<Int>
  }

  /// How many elements are open.
  var depth: Int { open.count }

  /// The next tag or run of text.
  mutating func next() -> Event {
    if pendingCloses > 0 { return close() }
    if position >= nextAsk { ask() }
    while position < source.count {
      guard source[position] == UInt8(ascii: "<"), beginsMarkup(position) else {
        let start = position
        position = endOfText(from: start)
        return .text(start..<position)
      }
      switch source[position + 1] {
      case UInt8(ascii: "/"):
        if takeEndTag() { return close() }
      case UInt8(ascii: "!"):
        if let literal = takeDeclaration() { return .literal(literal) }
      case UInt8(ascii: "?"):
        takeInstruction()
      default:
        if let event = takeStartTag() { return event }
      }
    }
    isTruncated = !open.isEmpty
    return .end
  }

  /// Asks whether to stop; whatever goes back in the document afterwards gets here again.
  private mutating func ask() {
    isStopped = isStopped || shouldStop()
    nextAsk = isStopped ? 0 : position + askingDistance
    if isStopped { position = source.count }
  }

  /// The next element directly inside the one at `depth`; nil once that one is closed, or the document at its
  /// end.
  ///
  /// An item is given wherever it stands, so that a forgotten end tag before it does not hide it.
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

  /// Passes over the item that was opened last.
  mutating func passOverItem() {
    let depth = depth
    while nextChild(of: depth) != nil {}
  }

  private mutating func close() -> Event {
    pendingCloses = max(0, pendingCloses - 1)
    pop()
    return .close
  }

  /// Notes that an element begins.
  mutating func push(_ element: OpenElement) {
    open.append(element)
    openInSlot[element.key.slot] += 1
  }

  /// The place of the innermost open element of a name; nil if there is none.
  func openElement(_ key: NameKey) -> Int? {
    openInSlot[key.slot] == 0 ? nil : open.lastIndex { $0.key == key }
  }

  /// Takes the innermost element off, with what it declared.
  mutating func pop() {
    lastClosed = open.popLast()
    if let lastClosed { openInSlot[lastClosed.key.slot] -= 1 }
    if itemDepth > open.count { itemDepth = 0 }
    while let last = bindings.last, last.depth > open.count { bindings.removeLast() }
    while let last = bases.last, last.depth > open.count { bases.removeLast() }
  }

  /// The place of the next `<` that begins markup, or the end.
  private func endOfText(from start: Int) -> Int {
    var index = start
    while let found = first(UInt8(ascii: "<"), from: index) {
      if beginsMarkup(found) { return found }
      index = found + 1
    }
    return source.count
  }

  private func beginsMarkup(_ index: Int) -> Bool {
    guard index + 1 < source.count else { return false }
    switch source[index + 1] {
    case UInt8(ascii: "/"), UInt8(ascii: "!"), UInt8(ascii: "?"): return true
    case let byte: return Self.beginsName(byte)
    }
  }

  static func beginsName(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: ":") || byte >= 0x80
  }

  /// The place of a byte at or after another place.
  func first(_ byte: UInt8, from start: Int) -> Int? {
    place(of: byte, in: source, from: start)
  }

  /// Whether a text stands at a place.
  func stands(_ text: StaticString, at index: Int) -> Bool {
    let count = text.utf8CodeUnitCount
    guard index + count <= source.count, let base = source.baseAddress else { return false }
    return memcmp(base + index, text.utf8Start, count) == 0
  }
}

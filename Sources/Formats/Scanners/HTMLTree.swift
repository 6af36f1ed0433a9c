// An HTML page as a flat tree. HTMLTreeBuilder makes it, SelectorMatch and PageLines walk over it.

import Core

/// The elements and texts of a page in document order, with places in the source instead of copies.
struct HTMLTree {
  /// An element or a text.
  struct Node {
    /// The hash of the element's name in lower case; 0 for a text.
    var name: NameHash = 0
    /// The index after its last descendant.
    var end: Int32
    /// Its content in the source, or the text itself.
    var start: Int32
    var stop: Int32
    var firstAttribute: Int32 = 0
    var attributeCount: Int32 = 0

    var isElement: Bool { name != 0 }
    var content: Range<Int> { Int(start)..<Int(max(start, stop)) }
  }

  /// An attribute; its value still has character references.
  struct Attribute {
    let name: NameHash
    let start: Int32
    let stop: Int32
  }

  let source: UnsafeBufferPointer<UInt8>
  /// The place in the source from which it was not read, because there are too many nodes.
  var readEnd: Int
  /// The first node is the document.
  var nodes: [Node]
  var attributes: [Attribute] = []

  /// The maximum number of nodes, far more than any page has; the rest of a page is not read.
  static let mostNodes = 1_000_000
  /// The maximum number of attributes of an element and of a page; further ones are skipped.
  static let mostAttributes = (ofElement: 100, inAll: 1_000_000)

  init(_ source: UnsafeBufferPointer<UInt8>) {
    self.source = source
    readEnd = source.count
    nodes = []
    // Room for a node every two bytes, as in `<b>x`: memory that is never written costs nothing, a copy does.
    nodes.reserveCapacity(min(source.count / 2, Self.mostNodes) + 64)
    nodes.append(Node(name: 1, end: 0, start: 0, stop: Int32(clamping: source.count)))
  }

  /// The content of an element, markup included.
  func content(of node: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: source[nodes[node].content])
  }

  /// The value of an attribute as written; nil if the element does not have it.
  func rawValue(_ name: NameHash, of node: Int) -> UnsafeBufferPointer<UInt8>? {
    let first = Int(nodes[node].firstAttribute)
    for index in first..<(first + Int(nodes[node].attributeCount)) where attributes[index].name == name {
      return UnsafeBufferPointer(rebasing: source[Int(attributes[index].start)..<Int(attributes[index].stop)])
    }
    return nil
  }

  /// The value of an attribute with its character references resolved, cut off at a length that is enough for addresses.
  func value(_ name: NameHash, of node: Int, limit: Int = LinkResolver.longest) -> [UInt8]? {
    rawValue(name, of: node).map { withoutReferences($0, limit: limit) }
  }
}

/// The meaning of the names of elements for the tree (HTML standard, sections 13.1.2 and 13.2.6, much reduced).
struct ElementTraits: OptionSet {
  let rawValue: UInt32

  /// An element without content.
  static let isVoid = ElementTraits(rawValue: 1 << 0)
  /// An element whose content has no tags.
  static let isRaw = ElementTraits(rawValue: 1 << 1)
  /// Its start tag ends a paragraph.
  static let endsParagraph = ElementTraits(rawValue: 1 << 2)
  static let paragraph = ElementTraits(rawValue: 1 << 3)
  static let listItem = ElementTraits(rawValue: 1 << 4)
  static let list = ElementTraits(rawValue: 1 << 5)
  static let term = ElementTraits(rawValue: 1 << 6)
  static let cell = ElementTraits(rawValue: 1 << 7)
  static let row = ElementTraits(rawValue: 1 << 8)
  static let rowGroup = ElementTraits(rawValue: 1 << 9)
  static let table = ElementTraits(rawValue: 1 << 10)
  static let option = ElementTraits(rawValue: 1 << 11)
  static let select = ElementTraits(rawValue: 1 << 12)
  /// The head of the page, and what may be in it.
  static let head = ElementTraits(rawValue: 1 << 13)
  static let inHead = ElementTraits(rawValue: 1 << 14)
  /// `html` and `body`: a second tag is ignored.
  static let once = ElementTraits(rawValue: 1 << 15)
  /// SVG and MathML, in which a tag may end with `/>`.
  static let foreign = ElementTraits(rawValue: 1 << 16)
  /// Not inline: a line of text ends before and after it.
  static let block = ElementTraits(rawValue: 1 << 17)
  /// Its text is not for readers.
  static let hidden = ElementTraits(rawValue: 1 << 18)
  static let preformatted = ElementTraits(rawValue: 1 << 19)
  static let navigation = ElementTraits(rawValue: 1 << 20)
  static let lineBreak = ElementTraits(rawValue: 1 << 21)

  static func of(_ name: NameHash) -> ElementTraits { byName[name] ?? [] }

  private static let byName: [NameHash: ElementTraits] = {
    var byName: [NameHash: ElementTraits] = [:]
    for (names, traits) in words {
      for name in names.split(separator: " ") { byName[nameHash(name.utf8), default: []].formUnion(traits) }
    }
    return byName
  }()

  private static let words: [(String, ElementTraits)] = [
    ("area base br col embed hr img input link meta param source track wbr", .isVoid),
    ("script style textarea title xmp iframe noembed noframes", .isRaw),
    (
      """
      address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 \
      h5 h6 header hgroup hr main menu nav ol p pre section search summary table ul
      """, [.endsParagraph, .block]
    ),
    ("li dt dd tr thead tbody tfoot caption option optgroup legend body html title", .block),
    ("p", .paragraph), ("li", [.listItem, .endsParagraph]), ("ul ol menu dir", .list),
    ("dt dd", [.term, .endsParagraph]), ("dl", .list), ("td th", .cell), ("tr", .row),
    ("thead tbody tfoot caption colgroup", .rowGroup), ("table", .table), ("option optgroup", .option),
    ("select datalist", .select), ("head", .head),
    ("meta link script style title base template noscript", .inHead), ("html body", .once),
    ("svg math", .foreign),
    ("script style template noscript svg head title iframe noembed noframes", .hidden),
    ("pre textarea", .preformatted),
    ("nav", .navigation), ("br hr", .lineBreak),
  ]
}

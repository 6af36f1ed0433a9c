// An HTML page as a flat tree: of an article, a page with items or text, or a page that links to feeds.

/// The elements and texts of a page in document order, with places in the source instead of copies.
public struct HTMLTree {
  /// An element or a text.
  public struct Node {
    /// The hash of the element's name in lower case; 0 for a text.
    public var name: NameHash = 0
    /// The index after its last descendant.
    public var end: Int32
    /// Its content in the source, or the text itself.
    var start: Int32
    var stop: Int32
    var firstAttribute: Int32 = 0
    var attributeCount: Int32 = 0

    /// Whether it is an element, and not a text.
    public var isElement: Bool { name != 0 }
    /// The place of its content in the source, or of the text itself.
    public var content: Range<Int> { Int(start)..<Int(max(start, stop)) }
  }

  /// An attribute; its value still has character references.
  struct Attribute {
    let name: NameHash
    let start: Int32
    let stop: Int32
  }

  /// The page.
  public let source: UnsafeBufferPointer<UInt8>
  /// The place in the source from which it was not read, because there are too many nodes.
  public internal(set) var readEnd: Int
  /// The first node is the document.
  public internal(set) var nodes: [Node]
  var attributes: [Attribute] = []

  /// The maximum number of nodes, far more than any page has; the rest of a page is not read.
  static let mostNodes = 1_000_000
  /// The maximum number of attributes of an element and of a page; further ones are skipped.
  static let mostAttributes = (ofElement: 100, inAll: 1_000_000)

  init(empty source: UnsafeBufferPointer<UInt8>) {
    self.source = source
    readEnd = source.count
    nodes = []
    // Room for a node every two bytes, as in `<b>x`: memory that is never written costs nothing, a copy does.
    nodes.reserveCapacity(min(source.count / 2, Self.mostNodes) + 64)
    nodes.append(Node(name: 1, end: 0, start: 0, stop: Int32(clamping: source.count)))
  }

  /// Reads any page, however broken; nil if `shouldStop` returned true.
  public init?(_ source: UnsafeBufferPointer<UInt8>, shouldStop: @escaping ShouldStop = { false }) {
    var builder = HTMLTreeBuilder(source, shouldStop: shouldStop)
    builder.build()
    guard !builder.isStopped else { return nil }
    self = builder.tree
  }

  /// The content of an element, markup included.
  public func content(of node: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: source[nodes[node].content])
  }

  /// The children of an element in their order.
  func children(of node: Int) -> some Sequence<Int> {
    sequence(first: node + 1) { Int(nodes[$0].end) }.lazy.prefix { $0 < nodes[node].end }
  }

  /// A text with its character references resolved.
  func text(of node: Int) -> String { String(decoding: withoutReferences(content(of: node)), as: UTF8.self) }

  /// The value of an attribute as written; nil if the element does not have it.
  public func rawValue(_ name: NameHash, of node: Int) -> UnsafeBufferPointer<UInt8>? {
    let first = Int(nodes[node].firstAttribute)
    for index in first..<(first + Int(nodes[node].attributeCount)) where attributes[index].name == name {
      return UnsafeBufferPointer(rebasing: source[Int(attributes[index].start)..<Int(attributes[index].stop)])
    }
    return nil
  }

  /// The value of an attribute with its character references resolved, cut off at a length that is enough for addresses.
  public func value(_ name: NameHash, of node: Int, limit: Int = 8192) -> [UInt8]? {
    rawValue(name, of: node).map { withoutReferences($0, limit: limit) }
  }

  /// The same value as text.
  public func value(_ name: String, of node: Int) -> String? {
    value(nameHash(name.utf8), of: node).map { String(decoding: $0, as: UTF8.self) }
  }

  /// An address in an attribute, if an article of ours may link to it: it is on the web or of a mail, and not long.
  func harmlessAddress(_ attribute: String, of node: Int) -> String? {
    guard let address = value(attribute, of: node), address.utf8.count <= 4096 else { return nil }
    let start = address.prefix(8).lowercased()
    return ["http://", "https://", "mailto:"].contains(where: start.hasPrefix) ? address : nil
  }
}

/// The meaning of the names of elements for the tree (HTML standard, sections 13.1.2 and 13.2.6, much reduced).
public struct ElementTraits: OptionSet, Sendable {
  /// The bits of the traits.
  public let rawValue: UInt32

  /// Traits of these bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// An element without content.
  public static let isVoid = ElementTraits(rawValue: 1 << 0)
  /// An element whose content has no tags.
  public static let isRaw = ElementTraits(rawValue: 1 << 1)
  /// Its start tag ends a paragraph.
  static let endsParagraph = ElementTraits(rawValue: 1 << 2)
  static let paragraph = ElementTraits(rawValue: 1 << 3)
  static let listItem = ElementTraits(rawValue: 1 << 4)
  static let list = ElementTraits(rawValue: 1 << 5)
  static let term = ElementTraits(rawValue: 1 << 6)
  public static let cell = ElementTraits(rawValue: 1 << 7)
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
  public static let block = ElementTraits(rawValue: 1 << 17)
  /// Its text is not for readers.
  public static let hidden = ElementTraits(rawValue: 1 << 18)
  public static let preformatted = ElementTraits(rawValue: 1 << 19)
  public static let navigation = ElementTraits(rawValue: 1 << 20)
  public static let lineBreak = ElementTraits(rawValue: 1 << 21)

  /// Part of a line of text: no words end before and after it.
  static let inline = ElementTraits(rawValue: 1 << 22)
  /// It can do no harm in an article.
  static let harmless = ElementTraits(rawValue: 1 << 23)
  /// A start tag of another link ends it.
  static let link = ElementTraits(rawValue: 1 << 24)

  /// The traits of the elements of a name.
  public static func of(_ name: NameHash) -> ElementTraits { byName[name]?.traits ?? [] }

  /// The name of an element in lower case; empty for an unknown one.
  static func name(of name: NameHash) -> String { byName[name]?.name ?? "" }

  private static let byName: [NameHash: (name: String, traits: ElementTraits)] = {
    var byName: [NameHash: (name: String, traits: ElementTraits)] = [:]
    for (names, traits) in words {
      for name in names.split(separator: " ") {
        byName[nameHash(name.utf8), default: (String(name), [])].traits.formUnion(traits)
      }
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
    ("select datalist", .select), ("head", .head), ("a", .link),
    ("meta link script style title base template noscript", .inHead), ("html body", .once),
    ("svg math", .foreign),
    ("script style template noscript svg head title iframe noembed noframes", .hidden),
    ("pre textarea", .preformatted),
    ("nav", .navigation), ("br hr", .lineBreak),
    (
      """
      a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rb rp rt ruby s samp small \
      span strike strong sub sup time tt u var wbr
      """, .inline
    ),
    (
      """
      abbr b blockquote caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 i ins kbd li \
      mark ol p pre q s samp small strong sub summary sup table tbody td tfoot th thead tr u ul var
      """, .harmless
    ),
    ("audio video", []),
  ]
}

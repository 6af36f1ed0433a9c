// A page or the content of an item as a flat tree, from which all of bgfetch reads HTML.

/// The elements and texts of HTML in document order, with places in the source instead of copies.
///
/// Node 0 is the document. The nodes of an element follow it, up to its `end`:
///
///     for child in tree.children(of: node) {
///       switch tree.nodes[child].element {
///       case .text: output += tree.text(of: child)
///       case .a: link(to: tree.value("href", of: child)) …
///
/// A walk without recursion goes from a node to the next one, or past an element to its `end`.
public struct HTMLTree {
  /// An element or a text.
  public struct Node {
    /// The hash of the element's name in lower case; 0 for a text.
    var name: NameHash = 0
    /// The index after its last descendant.
    public var end: Int32
    /// The element around it.
    var parent: Int32
    /// Its place in the source if it is a text, or the numbers of its attributes.
    var start: Int32
    var stop: Int32
    public var element: HTMLElement
    var textKind = HTMLTokenizer.TextKind.data

    /// Whether it is an element, and not a text.
    public var isElement: Bool { name != 0 }
    /// The place of a text in the source, or the numbers of an element's attributes.
    public var range: Range<Int> { Int(start)..<Int(max(start, stop)) }
  }

  /// The source.
  public let source: UnsafeBufferPointer<UInt8>
  /// The place in the source from which it was not read, because there are too many nodes.
  public let readEnd: Int
  /// The first node is the document.
  public let nodes: [Node]
  private let tokens: HTMLTokenizer
  /// The places of the names of elements that are not known.
  private let otherNames: [Int32: Range<Int>]

  /// The maximum number of nodes, far more than any page has; the rest of a page is not read.
  static let mostNodes = 1_000_000

  /// Reads any page, however broken; nil if `shouldStop` returned true.
  ///
  /// - Parameter isItem: whether it is the content of an item, which has no head.
  public init?(
    _ source: UnsafeBufferPointer<UInt8>, isItem: Bool = false, shouldStop: @escaping ShouldStop = { false }
  ) {
    var builder = HTMLTreeBuilder(
      source, isItem: isItem, hasSections: isItem, shouldStop: shouldStop)
    builder.build()
    guard !builder.isStopped else { return nil }
    self.source = source
    (nodes, tokens, otherNames) = (builder.nodes, builder.tokens, builder.otherNames)
    readEnd = builder.readEnd
  }

  /// The children of an element in their order.
  public func children(of node: Int) -> some Sequence<Int> {
    let end = nodes[node].end
    return sequence(first: node + 1) { Int(nodes[$0].end) }.lazy.prefix { $0 < end }
  }

  /// The first node of an element; nil if there is none.
  public func first(_ element: HTMLElement) -> Int? { nodes.firstIndex { $0.element == element } }

  // MARK: Texts

  /// The characters of a text node: references resolved, line ends as line feeds.
  func text(of node: Int) -> String {
    var bytes: [UInt8] = []
    appendText(of: node, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Adds the bytes of a text node.
  func appendText(of node: Int, to output: inout [UInt8]) {
    tokens.append(nodes[node].range, nodes[node].textKind, to: &output)
  }

  /// Whether a text node has only white space, as written.
  func isBlank(_ node: Int) -> Bool { source[nodes[node].range].allSatisfy { $0 <= 0x20 } }

  // MARK: Attributes

  /// The name of an element in lower case; empty for a text.
  func name(of node: Int) -> String {
    nodes[node].element != .other ? nodes[node].element.name : otherNames[Int32(node)].map(tokens.name) ?? ""
  }

  /// The attributes of an element with their values, in their order.
  func attributes(of node: Int) -> [(name: String, value: String)] {
    tokens.attributes[attributeRange(node)].map {
      (tokens.name($0.nameRange), String(decoding: tokens.value(of: $0), as: UTF8.self))
    }
  }

  private func attributeRange(_ node: Int) -> Range<Int> { nodes[node].isElement ? nodes[node].range : 0..<0 }

  private func attribute(_ name: NameHash, of node: Int) -> HTMLTokenizer.Attribute? {
    for index in attributeRange(node) where tokens.attributes[index].name == name {
      return tokens.attributes[index]
    }
    return nil
  }

  /// The value of an attribute as written; nil if the element does not have it.
  func rawValue(_ name: NameHash, of node: Int) -> UnsafeBufferPointer<UInt8>? {
    attribute(name, of: node).map { source.slice($0.value) }
  }

  /// The value of an attribute with its character references resolved, cut off at a length that is enough for addresses.
  public func value(_ name: NameHash, of node: Int, limit: Int = 8192) -> [UInt8]? {
    attribute(name, of: node).map { tokens.value(of: $0, limit: limit) }
  }

  /// The same value as text.
  public func value(_ name: String, of node: Int) -> String? {
    value(nameHash(name.utf8), of: node).map { String(decoding: $0, as: UTF8.self) }
  }

  /// An address in an attribute, if an article of ours may link to it: it is on the web or of a mail, and not long.
  func harmlessAddress(
    _ attribute: String, of node: Int, schemes: [String] = webSchemes + ["mailto:"]
  ) -> String? {
    value(attribute, of: node).flatMap { harmless($0, schemes: schemes) }
  }

  /// Whether attributes hide an element from readers, unless a search in the page shows it.
  public func isHidden(_ node: Int) -> Bool { looks(of: node).contains(.hidden) }

  /// The layout of an element's text, as its attributes say it.
  func looks(of node: Int) -> TextLooks {
    guard !attributeRange(node).isEmpty else { return [] }
    var looks: TextLooks = []
    if let hidden = value("hidden", of: node), hidden.lowercased() != "until-found" { looks = .hidden }
    guard let style = value("style", of: node)?.lowercased().filter({ !$0.isWhitespace }) else {
      return looks
    }
    if style.contains("display:none") { looks.formUnion(.hidden) }
    let element = nodes[node].element
    if element.traits.contains(.inline), style.contains("display:block") || style.contains("display:flex") {
      looks.formUnion(.block)
    }
    if style.contains("white-space:pre") {
      looks.formUnion(.lines)
      let isWhole = style.contains("white-space:pre;") || style.hasSuffix("white-space:pre")
      if isWhole, element == .div || element == .p { looks.formUnion(.code) }
    }
    return looks
  }

  // MARK: Markup

  /// The content of an element as HTML (HTML standard, section 13.3), without some elements in it.
  public func markup(in node: Int, without leftOut: Set<Int32> = []) -> String {
    var output: [UInt8] = []
    var open: [(node: Int, end: Int32)] = []
    var index = node + 1
    while index < nodes[node].end {
      let item = nodes[index]
      if leftOut.contains(Int32(index)) {
        index = Int(item.end) - 1
      } else if item.isElement {
        appendStartTag(of: index, to: &output)
        if !item.element.traits.contains(.isVoid) { open.append((index, item.end)) }
      } else if item.textKind == .raw {
        appendText(of: index, to: &output)
      } else {
        var bytes: [UInt8] = []
        appendText(of: index, to: &bytes)
        output += bytes.withUnsafeBufferPointer { escapedMarkup($0, for: .html) }.utf8
      }
      index += 1
      while let last = open.last, last.end <= index {
        output += "</\(name(of: last.node))>".utf8
        open.removeLast()
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  private func appendStartTag(of node: Int, to output: inout [UInt8]) {
    output += "<\(name(of: node))".utf8
    for (name, value) in attributes(of: node) { output += " \(name)=\"\(escapedMarkup(value))\"".utf8 }
    output.append(">")
  }
}

/// The layout of an element's text by its attributes.
struct TextLooks: OptionSet {
  let rawValue: UInt8

  static let hidden = TextLooks(rawValue: 1)
  /// A line ends before and after it, though it is part of one without the attributes.
  static let block = TextLooks(rawValue: 2)
  /// The ends of lines in the source are ends of lines.
  static let lines = TextLooks(rawValue: 4)
  /// It is code: lines are not wrapped, and blanks stay.
  static let code = TextLooks(rawValue: 8)
}

let webSchemes = ["http://", "https://"]

/// An address as browsers read it, without blanks around it and breaks in it; nil if it is long or has another scheme.
func harmless(_ written: some StringProtocol, schemes: [String]) -> String? {
  guard written.utf8.count <= 4096 else { return nil }
  let address = trimmedOfBlanks(String(written).filter { !$0.isNewline && $0 != "\t" })
  let start = address.prefix(8).lowercased()
  return schemes.contains(where: start.hasPrefix) ? address : nil
}

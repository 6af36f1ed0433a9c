// An article's HTML as text for a terminal or a plain mail: blocks with the marks of lists and quotes before their lines.

/// The text of an article.
public struct ArticleText: Hashable, Sendable {
  /// A paragraph or a part that stands alone.
  public struct Block: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
      case heading, paragraph, code, rule
    }

    public var kind = Kind.paragraph
    /// Whether an empty line separates it from the block before.
    public var isApart = false
    /// The marks before its first line, such as `> ` or `1. `.
    public var firstPrefix = ""
    /// The marks before its other lines, as wide as those before the first.
    public var prefix = ""
    /// One line, which may be wrapped; code keeps its lines.
    public var text = ""
  }

  public var blocks: [Block] = []
  /// The addresses of links; a `[2]` in the text is the second.
  public var links: [String] = []

  fileprivate init(blocks: [Block]) {
    self.blocks = blocks
  }

  /// Reads an article.
  ///
  /// - Parameters:
  ///   - html: HTML with absolute addresses.
  ///   - numbersLinks: whether links, and media that a text cannot show, get their number behind them.
  ///   - limit: the maximum length of the text, in bytes of UTF-8.
  public init(html: String, numbersLinks: Bool, limit: Int = 2 * Int(DetailBounds.mostContent.bytes)) {
    var html = html
    self = html.withUTF8 { bytes in
      guard let tree = HTMLTree(bytes, isItem: true) else { return ArticleText(blocks: []) }
      var reader = ArticleReader(tree, numbersLinks: numbersLinks, limit: limit)
      return reader.read()
    }
  }

  /// The text of a watched page or another text without markup.
  public init(lines: String) {
    blocks = lines.isEmpty ? [] : [Block(kind: .code, text: cleanCode(lines, limit: 1 << 20))]
  }

  /// The text without wrapping.
  public var text: String {
    var lines: [String] = []
    for block in blocks {
      if block.isApart, !lines.isEmpty { lines.append("") }
      for (number, line) in block.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        lines.append((number == 0 ? block.firstPrefix : block.prefix) + line)
      }
    }
    return lines.joined(separator: "\n")
  }
}

/// Lines that cannot control a terminal, with their blanks.
private func cleanCode(_ text: String, limit: Int) -> String {
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    replacing(["\t": "    "], in: String(line)).split(separator: " ", omittingEmptySubsequences: false)
      .map { cleanText(String($0), limit: limit) }.joined(separator: " ")
  }
  return graphemePrefix(of: lines.joined(separator: "\n"), limit: limit)
}

private struct ArticleReader {
  private let tree: HTMLTree
  private let numbersLinks: Bool
  private var bytesLeft: Int
  private var article = ArticleText(blocks: [])
  /// The text of the current block, with all its blanks.
  private var text = ""
  /// The number of blank bytes at the beginning of the text, as far as `isBlank` has looked at it.
  private var blanks = 0
  /// Whether the next block stands apart.
  private var isApart = false
  private var kind = ArticleText.Block.Kind.paragraph
  private var containers: [Container] = []
  /// The open link: its address, and the length of the text before it.
  private var link: (address: String, start: Int)?
  /// The numbers of the links so far, from 0.
  private var numbers: [String: Int] = [:]

  /// An element that puts marks before lines.
  private struct Container {
    var name: String
    /// The number of the next item of a numbered list.
    var number: Int?
    /// The marks before the lines, and those before the next one.
    var prefix: String
    var nextPrefix: String
  }

  private static let deepest = 64

  init(_ tree: HTMLTree, numbersLinks: Bool, limit: Int) {
    (self.tree, self.numbersLinks, bytesLeft) = (tree, numbersLinks, limit)
  }

  mutating func read() -> ArticleText {
    add(0)
    endBlock()
    return article
  }

  /// Adds an element or a text of the tree, which is not deep.
  private mutating func add(_ node: Int) {
    guard bytesLeft > 0 else { return }
    let element = tree.nodes[node].element
    guard element != .text else { return text += tree.text(of: node) }
    let (name, traits, outer) = (element.name, element.traits, containers.count)
    begin(name, traits, node)
    if !traits.contains(.hidden) { for child in tree.children(of: node) { add(child) } }
    end(name, traits, within: outer)
  }

  /// Ends the current block, if it has text.
  private mutating func endBlock(apart: Bool = false) {
    let clean =
      kind == .code
      ? cleanCode(withoutEmptyEnds(text), limit: max(0, bytesLeft))
      : cleanText(text, limit: max(0, bytesLeft))
    if !clean.isEmpty {
      var block = ArticleText.Block(kind: kind, isApart: isApart, text: clean)
      for index in containers.indices {
        block.firstPrefix += containers[index].nextPrefix
        block.prefix += containers[index].prefix
        containers[index].nextPrefix = containers[index].prefix
      }
      bytesLeft -= clean.utf8.count + block.firstPrefix.utf8.count + 1
      article.blocks.append(block)
      isApart = false
    }
    text = ""
    blanks = 0
    if kind != .code { kind = .paragraph }
    // The beginning of a list's item stands beside its mark.
    let isFirst = containers.last.map { $0.name == "li" && $0.nextPrefix != $0.prefix } ?? false
    isApart = isApart || apart && !isFirst
  }

  /// Whether the text of the block has only blanks so far; each of them is looked at once, however many cells ask.
  private var isBlank: Bool {
    mutating get {
      let rest = text[text.utf8.index(text.startIndex, offsetBy: blanks)...].unicodeScalars
      let end = rest.prefix(while: \.properties.isWhitespace).endIndex
      blanks = text.utf8.distance(from: text.startIndex, to: end)
      return end == text.endIndex
    }
  }

  private func withoutEmptyEnds(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let isEmpty = { (line: Substring) in line.allSatisfy(\.isWhitespace) }
    return lines.drop(while: isEmpty).reversed().drop(while: isEmpty).reversed().joined(separator: "\n")
  }

  // MARK: Elements

  private mutating func begin(_ name: String, _ traits: ElementTraits, _ node: Int) {
    switch name {
    case "br":
      if kind == .code { text += "\n" } else { endBlock() }
    case "hr":
      endBlock(apart: true)
      kind = .rule
      text = "* * *"
      endBlock(apart: true)
    case "h1", "h2", "h3", "h4", "h5", "h6":
      endBlock(apart: true)
      kind = .heading
    case "pre":
      endBlock(apart: true)
      kind = .code
    case "p", "table", "dl", "figure": endBlock(apart: true)
    case "blockquote": open(name, prefix: "> ", first: "> ")
    case "ul", "menu": open(name, prefix: "")
    case "ol": open(name, number: tree.value("start", of: node).flatMap { Int($0) } ?? 1, prefix: "")
    case "li":
      let list = containers.lastIndex { $0.name != "blockquote" }
      var mark = "• "
      if let list, let number = containers[list].number {
        mark = "\(number). "
        containers[list].number = number < .max ? number + 1 : number
      }
      open(name, prefix: String(repeating: " ", count: mark.count), first: mark, apart: false)
    case "dd": open(name, prefix: "    ", first: "    ", apart: false)
    case "td", "th":
      let isFirst = isBlank
      text += isFirst ? " " : " | "
    case "a":
      endLink()
      if let address = tree.harmlessAddress("href", of: node) { link = (address, text.utf8.count) }
    case "img":
      if let alternative = tree.value("alt", of: node), !alternative.allSatisfy(\.isWhitespace) {
        text += "[image: \(alternative)]"
      }
    case "iframe", "video", "audio", "embed", "source":
      if let address = tree.harmlessAddress("src", of: node) {
        text += name == "audio" ? "[audio]" : "[video]"
        addNumber(of: address)
      }
    default: if traits.contains(.block) { endBlock() }
    }
  }

  /// - Parameter outer: the number of open containers when the element began.
  private mutating func end(_ name: String, _ traits: ElementTraits, within outer: Int) {
    switch name {
    case "pre":
      endBlock(apart: true)
      kind = .paragraph
    case "p", "table", "dl", "figure", "h1", "h2", "h3", "h4", "h5", "h6": endBlock(apart: true)
    case "a": endLink()
    default: if traits.contains(.block) { endBlock() }
    }
    containers.removeSubrange(outer...)
    // A list within a list does not stand apart from its item.
    let isList = ["blockquote", "ul", "ol", "menu"].contains(name)
    isApart = isApart || isList && !containers.contains { $0.name == "li" }
  }

  private mutating func open(
    _ name: String, number: Int? = nil, prefix: String, first: String = "", apart: Bool = true
  ) {
    let isNested = containers.contains { $0.name == "li" }
    endBlock(apart: apart && !isNested)
    guard containers.count < Self.deepest else { return }
    containers.append(Container(name: name, number: number, prefix: prefix, nextPrefix: first))
  }

  // MARK: Links

  private mutating func endLink() {
    guard let (address, start) = link else { return }
    link = nil
    let shown = cleanText(String(decoding: text.utf8.dropFirst(start), as: UTF8.self), limit: .max)
    // An address as its own text needs no number, and without a text there is nothing to follow.
    guard !shown.isEmpty, shown != address else { return }
    // The last Character would be looked for from the beginning of a long row of flags.
    while let last = text.unicodeScalars.last, last.properties.isWhitespace {
      text.unicodeScalars.removeLast()
    }
    addNumber(of: address)
  }

  private mutating func addNumber(of address: String) {
    guard numbersLinks else { return }
    let number = numbers[address, default: article.links.count]
    guard number < 1000 else { return }
    if number == article.links.count {
      numbers[address] = number
      article.links.append(address)
    }
    text += "[\(number + 1)]"
  }
}

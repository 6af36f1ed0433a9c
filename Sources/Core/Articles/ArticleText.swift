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
  public init(html: String, numbersLinks: Bool, limit: Int = 1 << 20) {
    var html = html
    self = html.withUTF8 { bytes in
      var reader = ArticleReader(HTMLScanner(bytes), numbersLinks: numbersLinks, limit: limit)
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
  private var scanner: HTMLScanner
  private let numbersLinks: Bool
  private var bytesLeft: Int
  private var article = ArticleText(blocks: [])
  /// The text of the current block.
  private var text = ""
  private var owesBlank = false
  /// Whether the next block stands apart.
  private var isApart = false
  private var kind = ArticleText.Block.Kind.paragraph
  private var containers: [Container] = []
  /// The open link: its address, and the length of the text before it.
  private var link: (address: String, start: Int)?

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

  init(_ scanner: HTMLScanner, numbersLinks: Bool, limit: Int) {
    (self.scanner, self.numbersLinks, bytesLeft) = (scanner, numbersLinks, limit)
  }

  mutating func read() -> ArticleText {
    while bytesLeft > 0, let event = scanner.next() {
      switch event {
      case .text(let text): add(text)
      case .start(let tag): begin(tag)
      case .end(let name): end(name)
      }
    }
    endBlock()
    return article
  }

  // MARK: Text

  private mutating func add(_ new: String) {
    if kind == .code {
      text += new
      return
    }
    var word = ""
    for scalar in new.unicodeScalars {
      if scalar.properties.isWhitespace {
        append(word)
        word = ""
        owesBlank = true
      } else {
        word.unicodeScalars.append(scalar)
      }
    }
    append(word)
  }

  private mutating func append(_ word: String) {
    guard !word.isEmpty else { return }
    if owesBlank, !text.isEmpty { text += " " }
    owesBlank = false
    text += word
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
    (text, owesBlank) = ("", false)
    if kind != .code { kind = .paragraph }
    // The beginning of a list's item stands beside its mark.
    let isFirst = containers.last.map { $0.name == "li" && $0.nextPrefix != $0.prefix } ?? false
    isApart = isApart || apart && !isFirst
  }

  private func withoutEmptyEnds(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let isEmpty = { (line: Substring) in line.allSatisfy(\.isWhitespace) }
    return lines.drop(while: isEmpty).reversed().drop(while: isEmpty).reversed().joined(separator: "\n")
  }

  // MARK: Elements

  private mutating func begin(_ tag: HTMLScanner.Tag) {
    switch tag.name {
    case "br":
      if kind == .code { text += "\n" } else { endBlock() }
    case "hr":
      endBlock(apart: true)
      (kind, text) = (.rule, "* * *")
      endBlock(apart: true)
    case "h1", "h2", "h3", "h4", "h5", "h6":
      endBlock(apart: true)
      kind = .heading
    case "pre":
      endBlock(apart: true)
      kind = .code
    case "p", "table", "dl", "figure": endBlock(apart: true)
    case "blockquote": open(tag.name, prefix: "> ", first: "> ")
    case "ul", "menu": open(tag.name, prefix: "")
    case "ol": open(tag.name, number: tag["start"].flatMap { Int($0) } ?? 1, prefix: "")
    case "li":
      close("li", within: ["ul", "ol", "menu"])
      let list = containers.lastIndex { $0.name != "blockquote" }
      var mark = "• "
      if let list, let number = containers[list].number {
        mark = "\(number). "
        containers[list].number = number < .max ? number + 1 : number
      }
      open(tag.name, prefix: String(repeating: " ", count: mark.count), first: mark, apart: false)
    case "dd": open(tag.name, prefix: "    ", first: "    ", apart: false)
    case "dt":
      close("dd", within: ["dl"])
      endBlock()
    case "td", "th":
      if !text.isEmpty { text += " |" }
      owesBlank = true
    case "a": beginLink(tag["href"])
    case "img": addImage(tag)
    case "iframe", "video", "audio", "embed", "source":
      if let address = tag["src"], isHarmlessAddress(address) {
        append(tag.name == "audio" ? "[audio]" : "[video]")
        addNumber(of: address)
      }
    case let name where Self.blocks.contains(name): endBlock()
    default: break
    }
  }

  private mutating func end(_ name: String) {
    switch name {
    case "pre":
      endBlock(apart: true)
      kind = .paragraph
    case "p", "table", "dl", "figure", "h1", "h2", "h3", "h4", "h5", "h6": endBlock(apart: true)
    case "blockquote", "ul", "ol", "menu": close(name)
    case "li": close(name, within: ["ul", "ol", "menu"])
    case "dd": close(name, within: ["dl"])
    case "a": endLink()
    case let name where Self.blocks.contains(name): endBlock()
    default: break
    }
  }

  /// Elements that begin and end a line.
  private static let blocks: Set = [
    "address", "article", "aside", "body", "caption", "center", "details", "div", "fieldset", "figcaption",
    "footer",
    "form", "header", "hgroup", "html", "legend", "main", "nav", "option", "search", "section", "summary",
    "tbody",
    "tfoot", "thead", "tr",
  ]

  private mutating func open(
    _ name: String, number: Int? = nil, prefix: String, first: String = "", apart: Bool = true
  ) {
    // A list within a list does not stand apart from its item.
    let isNested = containers.contains { $0.name == "li" }
    endBlock(apart: apart && !isNested)
    guard containers.count < Self.deepest else { return }
    containers.append(Container(name: name, number: number, prefix: prefix, nextPrefix: first))
  }

  /// Closes the nearest element with a name, and what is open in it, unless one of others is nearer.
  private mutating func close(_ name: String, within others: Set<String> = []) {
    let isItem = !others.isEmpty
    guard let index = containers.lastIndex(where: { $0.name == name || others.contains($0.name) }),
      containers[index].name == name
    else { return endBlock(apart: !isItem) }
    endBlock()
    containers.removeSubrange(index...)
    isApart = isApart || !isItem && !containers.contains { $0.name == "li" }
  }

  // MARK: Links and images

  private mutating func beginLink(_ address: String?) {
    endLink()
    guard let address, isHarmlessAddress(address) else { return }
    link = (address, text.utf8.count)
  }

  private mutating func endLink() {
    guard let (address, start) = link else { return }
    link = nil
    let shown = String(decoding: text.utf8.dropFirst(start), as: UTF8.self)
    // An address as its own text needs no number, and without a text there is nothing to follow.
    guard shown.contains(where: { !$0.isWhitespace }), shown.drop(while: \.isWhitespace) != address else {
      return
    }
    addNumber(of: address)
  }

  private mutating func addNumber(of address: String) {
    guard numbersLinks else { return }
    let number = article.links.firstIndex(of: address) ?? article.links.count
    guard number < 1000 else { return }
    if number == article.links.count { article.links.append(address) }
    text += "[\(number + 1)]"
    owesBlank = false
  }

  private mutating func addImage(_ tag: HTMLScanner.Tag) {
    guard let text = tag["alt"], text.contains(where: { !$0.isWhitespace }) else { return }
    add("[image: \(text)]")
  }
}

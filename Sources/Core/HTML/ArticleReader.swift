// The tree of an article as blocks of text: what a careful person would type.

/// Reads the blocks and links of an article.
///
/// Text gathers until its block ends. Elements within a block, such as links and superscripts, are spans: at their end, or at the
/// end of the block, they change the text from their beginning on. Elements around blocks, such as lists and quotes, put marks
/// before lines.
struct ArticleReader {
  let tree: HTMLTree
  let numbersLinks: Bool
  private var bytesLeft: Int
  var blocks: [TextBlock] = []
  private var links: [String] = []
  /// The numbers of the links so far, from 0.
  private var numbers: [String: Int] = [:]

  /// The text of the current block.
  var text = ""
  /// Whether a blank belongs before the next text.
  var owesBlank = false
  /// The blanks that indent the line that begins here.
  private var indentation = ""
  var style = Style.paragraph
  /// Whether the ends of lines in the source are ends of lines.
  private var keepsLines = false
  /// Whether the next block stands apart.
  var isApart = false
  var spans: [Span] = []
  var containers: [Container] = []
  /// The address of the last image, and the last formula: pages repeat both for other programs.
  var lastImage: String?
  var lastFormula: String?
  let outline: ArticleOutline
  /// The address of the item's page, up to which references inside it are the same.
  private let page: String?

  enum Style {
    case paragraph, heading, code
  }

  /// An open element that changes the text in it.
  struct Span {
    var element: HTMLElement
    /// The length of the text before it.
    var start: Int
    /// The address of a link that has no number yet.
    var address: String?
  }

  /// An element that puts marks before lines.
  struct Container {
    var element: HTMLElement
    /// The number of the next item of a numbered list.
    var number: ListNumber?
    /// The marks before the lines, and those before the next one.
    var prefix: String
    var nextPrefix: String
    /// The width of the marks before lines, with those of the containers around it.
    var width = 0
    /// Whether nothing of it has been read.
    var isFresh = true

    var isList: Bool { [.ul, .ol, .menu, .dir].contains(element) }
  }

  private static let mostSpans = 16
  private static let mostContainers = 24
  private static let mostLinks = 10_000
  /// The maximum width of the marks before a line.
  private static let widestPrefix = 20

  init(_ tree: HTMLTree, numbersLinks: Bool, page: String?, limit: Int) {
    (self.tree, self.numbersLinks, self.page, bytesLeft) = (tree, numbersLinks, page, limit)
    outline = ArticleOutline(tree)
  }

  mutating func read() -> (blocks: [TextBlock], links: [String]) {
    addChildren(0)
    endBlock()
    return (blocks, links)
  }

  // MARK: Elements

  mutating func addChildren(_ node: Int) {
    for child in tree.children(of: node) { add(child) }
  }

  /// Adds an element or a text of the tree, which is not deep.
  mutating func add(_ node: Int) {
    guard bytesLeft > 0 else { return }
    let element = tree.nodes[node].element
    if element == .text { return addText(tree.text(of: node)) }
    let looks = tree.looks(of: node)
    guard !looks.contains(.hidden), !outline.repeatsFormula(node, tree) else { return }
    if element.traits.contains(.hidden) { return addHidden(node, element) }
    let outer = keepsLines
    keepsLines = keepsLines || looks.contains(.lines)
    if looks.contains(.block) {
      endLine()
      addShown(node, element)
      endLine()
    } else if looks.contains(.code) {
      addBlock(node, apart: true, .code)
    } else {
      addShown(node, element)
    }
    keepsLines = outer
  }

  private mutating func addShown(_ node: Int, _ element: HTMLElement) {
    switch element {
    case .br: breakLine()
    case .hr:
      endBlock(apart: true)
      append("* * *")
      endBlock(apart: true)
    case .img: addImage(node)
    case .audio, .video, .embed, .object: addMedia(node, element)
    case .input: addCheckBox(node)
    case .math: addFormula(tree.formula(of: node), isDisplayed: tree.value("display", of: node) == "block")
    case .rp: break
    case .a where tree.harmlessAddress("href", of: node) != nil:
      addSpan(node, element, to: tree.harmlessAddress("href", of: node))
    case .del, .q, .rt, .s, .strike, .sub, .sup: addSpan(node, element)
    case .table: addTable(node)
    case .td, .th:
      owesBlank = true
      addChildren(node)
      owesBlank = true
    case .h1, .h2, .h3, .h4, .h5, .h6: addBlock(node, apart: true, .heading)
    case .p, .dl, .figure: addBlock(node, apart: true)
    case .blockquote: addContainer(node, Container(element: element, prefix: "> ", nextPrefix: "> "))
    case .ul, .menu, .dir, .ol:
      let number = element == .ol ? ListNumber(tree, node) : nil
      addContainer(node, Container(element: element, number: number, prefix: "", nextPrefix: ""))
    case .li: addItem(node, mark: itemMark(node))
    case .details: addItem(node, mark: "▸ ")
    case .dd: addItem(node, mark: "    ")
    default:
      let traits = element.traits
      if traits.contains(.preformatted), element != .textarea {
        addBlock(node, apart: true, .code)
      } else if traits.contains(.block) {
        endLine()
        addChildren(node)
        endLine()
      } else {
        addChildren(node)
      }
    }
  }

  /// Adds what text can show of an element whose content is not text for readers.
  private mutating func addHidden(_ node: Int, _ element: HTMLElement) {
    switch element {
    case .iframe: addMedia(node, element)
    case .noscript:
      for index in node..<Int(tree.nodes[node].end) where tree.nodes[index].element == .img {
        addImage(index)
      }
    case .script:
      if let (formula, isDisplayed) = tree.scriptFormula(of: node) {
        addFormula(formula, isDisplayed: isDisplayed)
      }
    default: break
    }
  }

  mutating func addBlock(_ node: Int, apart: Bool = false, _ style: Style? = nil) {
    endBlock(apart: apart)
    let outer = self.style
    self.style = style ?? outer
    addChildren(node)
    endBlock(apart: apart)
    self.style = outer
  }

  // MARK: Blocks

  /// Ends the current block, if it has text.
  mutating func endBlock(apart: Bool = false) {
    for index in spans.indices.reversed() { finish(index) }
    if text.utf8.last == "\n", style != .code { text.unicodeScalars.removeLast() }
    let shown = style == .code ? withoutEmptyEnds(text) : text
    if !shown.isEmpty {
      let cut = graphemePrefix(of: shown, limit: max(0, bytesLeft))
      addBlock(style == .code ? .code(cut) : .text(cut), length: cut.utf8.count)
    }
    text = ""
    indentation = ""
    owesBlank = false
    for index in spans.indices { spans[index].start = 0 }
    // The beginning of a list's item is beside its mark.
    isApart = isApart || apart && !isAtMark
  }

  /// Whether the next block is the first of an item, beside its mark.
  private var isAtMark: Bool {
    containers.last.map { $0.isFresh && !$0.isList && $0.element != .blockquote } ?? false
  }

  mutating func addBlock(_ content: TextBlock.Content, length: Int) {
    var block = TextBlock(content: content, isHeading: style == .heading, isApart: isApart)
    for index in containers.indices {
      block.firstPrefix += containers[index].nextPrefix
      block.prefix += containers[index].prefix
      containers[index].nextPrefix = containers[index].prefix
      containers[index].isFresh = false
    }
    bytesLeft -= length + block.firstPrefix.utf8.count + 1
    blocks.append(block)
    isApart = false
  }

  private func withoutEmptyEnds(_ text: String) -> String {
    splitLines(text).trimmed { line in line.allSatisfy { $0 == " " } }.joined(separator: "\n")
  }

  // MARK: Text

  mutating func append(_ piece: String) {
    guard style != .code else { return text += cleanCode(piece) }
    guard let first = piece.unicodeScalars.first, let last = piece.unicodeScalars.last else { return }
    let words = cleanText(replacing(["\u{AD}": ""], in: piece), limit: .max)
    if first.properties.isWhitespace { owesBlank = true }
    let isAtBreak = text.utf8.last == "\n"
    if isAtBreak { indentation += Self.indentation(of: piece) }
    guard !words.isEmpty else { return }
    text += isAtBreak ? indentation : owesBlank && !text.isEmpty ? " " : ""
    indentation = ""
    text += words
    owesBlank = last.properties.isWhitespace
  }

  /// The blanks that do not fold at the beginning of a text, which indent the line of a poem or of code.
  private static func indentation(of piece: String) -> String {
    let blanks = piece.unicodeScalars.drop { $0.value <= 0x20 }.prefix { $0.properties.isWhitespace }
    return String(repeating: String(TextBlock.indentation), count: min(blanks.count, widestPrefix))
  }

  /// Ends a block before and after an element; within code a line.
  private mutating func endLine() {
    guard style == .code else { return endBlock() }
    if !text.isEmpty, text.utf8.last != "\n" { text += "\n" }
  }

  /// Adds a text of the tree.
  private mutating func addText(_ piece: String) {
    guard keepsLines, style != .code else { return append(piece) }
    for (number, line) in splitLines(piece).enumerated() {
      if number > 0 { breakLine() }
      append(String(line))
    }
  }

  private mutating func breakLine() {
    indentation = ""
    if style == .code || !text.isEmpty && text.utf8.last != "\n" {
      text += "\n"
      owesBlank = false
    } else if !text.isEmpty {
      endBlock(apart: true)
    } else {
      isApart = isApart || !isAtMark
    }
  }

  // MARK: Spans

  private mutating func addSpan(_ node: Int, _ element: HTMLElement, to address: String? = nil) {
    guard spans.count < Self.mostSpans, style != .code || element == .a else { return addChildren(node) }
    spans.append(Span(element: element, start: text.utf8.count, address: address))
    addChildren(node)
    finish(spans.count - 1)
    spans.removeLast()
  }

  /// Changes the text of a span that ends here.
  private mutating func finish(_ index: Int) {
    let span = spans[index]
    // Offsets instead of indices and slices: while a slice is there, a change copies the whole text.
    let rest = String(Substring(text.utf8.dropFirst(span.start)))
    let content = String(Substring(rest.utf8.drop { $0 == " " || $0 == "\n" }))
    guard !content.isEmpty else { return }
    let start = text.utf8.count - content.utf8.count
    switch span.element {
    case .a:
      guard let address = span.address else { return }
      spans[index].address = nil
      // A sign such as ¶ that leads to the heading itself says nothing.
      if style == .heading, isSymbol(content), address.contains("#") {
        return replaceText(from: span.start, with: "")
      }
      // A reference inside the page, and an address as its own text, need no number.
      if let page, address.hasPrefix(page + "#") {
        // The number of a note that only a class raises.
        let isRaised = spans[..<index].contains { $0.element == .sup }
        if !isRaised, start == span.start, start > 0, isDigits(content) {
          replaceText(from: start, with: scriptText(content, isRaised: true, after: "a"))
        }
        return
      }
      if ![content, content + "/", "mailto:" + content].contains(address) { addNumber(of: address) }
    case .del, .s, .strike: replaceText(from: start, with: "~~\(content)~~")
    case .q:
      let isInner = spans[..<index].contains { $0.element == .q }
      replaceText(from: start, with: isInner ? "‘\(content)’" : "“\(content)”")
    case .rt: replaceText(from: start, with: "(\(content))")
    default:
      let end = rest.unicodeScalars.firstIndex(of: ArticleText.linkMark) ?? rest.endIndex
      let before = Substring(text.utf8.prefix(span.start).suffix(4))
      let script = scriptText(String(rest[..<end]), isRaised: span.element == .sup, after: String(before))
      replaceText(from: span.start, with: script + rest[end...])
    }
  }

  private mutating func replaceText(from start: Int, with end: String) {
    text.unicodeScalars.removeSubrange(text.utf8.index(text.startIndex, offsetBy: start)...)
    text += end
  }

  mutating func addNumber(of address: String) {
    guard numbersLinks else { return }
    let number = numbers[address, default: links.count]
    guard number < Self.mostLinks else { return }
    if number == links.count {
      numbers[address] = number
      links.append(address)
    }
    text += "\(ArticleText.linkMark)[\(number + 1)]"
  }

  // MARK: Lists

  private mutating func addContainer(_ node: Int, _ container: Container) {
    // A list within a list does not stand apart from its item, even if the item has ended.
    let isInList = container.isList && containers.last?.isList ?? false
    let isNested = isInList || containers.contains { $0.element == .li }
    let outer = containers.count
    endBlock(apart: !isNested)
    var container = container
    if isInList {
      container.prefix = "  " + container.prefix
      container.nextPrefix = container.prefix
    }
    open(container)
    addChildren(node)
    endBlock()
    containers.removeSubrange(outer...)
    isApart = isApart || !isNested
  }

  /// Adds an item of a list, with a mark before its first line.
  private mutating func addItem(_ node: Int, mark: String) {
    let outer = containers.count
    endBlock(apart: tree.nodes[node].element == .details)
    let prefix = String(repeating: " ", count: displayWidth(mark))
    open(Container(element: tree.nodes[node].element, prefix: prefix, nextPrefix: mark))
    addChildren(node)
    endBlock(apart: tree.nodes[node].element == .details)
    containers.removeSubrange(outer...)
  }

  private mutating func open(_ container: Container) {
    var container = container
    container.width = displayWidth(container.prefix) + (containers.last?.width ?? 0)
    guard containers.count < Self.mostContainers, container.width <= Self.widestPrefix else { return }
    containers.append(container)
  }

  private mutating func itemMark(_ node: Int) -> String {
    guard let list = containers.lastIndex(where: \.isList) else { return "• " }
    let own = number("value", of: node)
    return containers[list].number?.next(own) ?? "• "
  }

  private mutating func addCheckBox(_ node: Int) {
    guard tree.value("type", of: node)?.lowercased() == "checkbox" else { return }
    append(tree.value("checked", of: node) != nil ? "[x]" : "[ ]")
    owesBlank = true
  }

  func number(_ attribute: String, of node: Int) -> Int? {
    tree.value(attribute, of: node).flatMap { Int($0) }
  }
}

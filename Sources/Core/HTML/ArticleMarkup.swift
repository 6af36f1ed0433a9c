// An article's HTML reduced to elements and attributes that can do no harm in a page or a mail of ours.

/// HTML with elements and attributes of an allow-list only, each element closed within it.
///
/// The text of other elements stays, apart from the text around them if they are not part of a line. Scripts, styles, forms and
/// frames, event handlers and addresses that are not on the web or of a mail go. Takes linear time for any text.
///
/// - Parameters:
///   - html: HTML with absolute addresses.
///   - showsImages: whether images are shown; otherwise they are links, so that nothing is requested.
public func harmlessMarkup(_ html: String, showsImages: Bool) -> String {
  var html = html
  return html.withUTF8 { bytes in
    guard let tree = HTMLTree(bytes, isItem: true) else { return "" }
    var cleaning = MarkupCleaning(tree: tree, showsImages: showsImages)
    cleaning.add(0, in: .document)
    return cleaning.output
  }
}

private struct MarkupCleaning {
  let tree: HTMLTree
  let showsImages: Bool
  private(set) var output = ""
  private let outline: ArticleOutline
  private var isInLink = false
  /// Whether the ends of lines in the source are ends of lines, and whether they stay so in the output.
  private var (keepsLines, isInCode) = (false, false)

  init(tree: HTMLTree, showsImages: Bool) {
    (self.tree, self.showsImages) = (tree, showsImages)
    outline = ArticleOutline(tree)
  }

  /// Adds an element or a text of the tree, which is not deep.
  ///
  /// - Parameter parent: the element around it in the output.
  mutating func add(_ node: Int, in parent: HTMLElement) {
    let element = tree.nodes[node].element
    let looks = tree.looks(of: node)
    if looks.contains(.hidden) || outline.repeatsFormula(node, tree) { return }
    let outer = (keepsLines, isInCode)
    keepsLines = keepsLines || looks.contains(.lines)
    isInCode = isInCode || looks.contains(.code) || element.traits.contains(.preformatted)
    // An element stands for the style that makes other elements look like it.
    let frame: HTMLElement? = looks.contains(.code) ? .pre : looks.contains(.block) ? .div : nil
    if let frame { output += "<\(frame.name)>" }
    addShown(node, element, in: frame ?? parent)
    if let frame { output += "</\(frame.name)>" }
    (keepsLines, isInCode) = outer
  }

  private mutating func addShown(_ node: Int, _ element: HTMLElement, in parent: HTMLElement) {
    switch element {
    case .text:
      let text = escapedMarkup(tree.text(of: node), for: .html)
      output += keepsLines && !isInCode ? text.replacing("\n", with: "<br>\n") : text
    case .document: addChildren(of: node, in: parent)
    case .html, .body:
      let attributes = self.attributes(of: node, .div)
      if !attributes.isEmpty { output += "<div\(attributes)>" }
      addChildren(of: node, in: parent)
      if !attributes.isEmpty { output += "</div>" }
    case .br, .hr, .wbr: output += "<\(element.name)>"
    case .img: addImage(node)
    case .noscript: addImages(inNoscript: node)
    case .input: addInput(node)
    case .a: addLink(node, in: parent)
    case .math: output += escapedMarkup(tree.formula(of: node), for: .html)
    case .script: output += tree.scriptFormula(of: node).map { escapedMarkup($0.text, for: .html) } ?? " "
    case .iframe, .embed, .video, .audio: addMedia(node, element, in: parent)
    default: addElement(node, element, in: parent)
    }
  }

  private mutating func addChildren(of node: Int, in parent: HTMLElement) {
    for child in tree.children(of: node) { add(child, in: parent) }
  }

  private mutating func addElement(_ node: Int, _ element: HTMLElement, in parent: HTMLElement) {
    let traits = element.traits
    let isApart = traits.isDisjoint(with: .inline)
    guard !traits.contains(.hidden) else { return output += isApart ? " " : "" }
    let kept = keptElement(element, in: parent)
    let attributes = kept.map { self.attributes(of: node, $0) } ?? ""
    if let kept, kept != .span || !attributes.isEmpty {
      output += "<\(kept.name)\(attributes)>"
      addChildren(of: node, in: kept)
      output += "</\(kept.name)>"
    } else {
      if isApart { output += " " }
      addChildren(of: node, in: parent)
      if isApart { output += " " }
    }
  }

  /// The element that stands for one in the output; nil if only its content stays.
  private func keptElement(_ element: HTMLElement, in parent: HTMLElement) -> HTMLElement? {
    let traits = element.traits
    switch element {
    case .td, .th: return parent == .tr ? element : .div
    case .tr: return parent == .table || parent.traits.contains(.rowGroup) ? element : .div
    case .tbody, .thead, .tfoot, .caption: return parent == .table ? element : .div
    case .dir, .menu: return .ul
    // An item without a list would end an item of the page around it.
    case .li: return parent == .ul || parent == .ol ? element : .div
    case .listing, .xmp, .plaintext: return .pre
    default:
      if traits.contains(.harmless) { return element }
      return traits.contains(.block) ? .div : traits.contains(.inline) ? .span : nil
    }
  }

  // MARK: Attributes

  private static let dir = nameHash("dir".utf8)
  private static let lang = nameHash("lang".utf8)
  private static let xmlLang = nameHash("xml:lang".utf8)

  /// The attributes of an element that stay, each with a blank before it.
  private func attributes(of node: Int, _ element: HTMLElement) -> String {
    guard !tree.nodes[node].range.isEmpty else { return "" }
    var output = ""
    func add(_ name: String, _ value: String) { output += " \(name)=\"\(value)\"" }
    if let direction = tree.value(Self.dir, of: node, limit: 8) {
      let word = String(decoding: direction, as: UTF8.self).lowercased()
      if ["ltr", "rtl", "auto"].contains(word) { add("dir", word) }
    }
    if let language = tree.value(Self.lang, of: node, limit: 40)
      ?? tree.value(Self.xmlLang, of: node, limit: 40),
      (1...35).contains(language.count),
      language.allSatisfy({ $0.isASCIILetterOrDigit || $0 == "-" })
    {
      add("lang", String(decoding: language, as: UTF8.self))
    }
    switch element {
    case .ol:
      addNumber("start")
      if tree.value("reversed", of: node) != nil { output += " reversed" }
      if let type = tree.value("type", of: node), ["1", "a", "A", "i", "I"].contains(type) {
        add("type", type)
      }
    case .li: addNumber("value")
    case .table:
      // Such a table only places the parts of a page.
      if let role = tree.value("role", of: node), ["presentation", "none"].contains(role) {
        add("role", role)
      }
    case .td, .th:
      addNumber("colspan", from: 0)
      addNumber("rowspan", from: 0)
    default: break
    }
    func addNumber(_ name: String, from least: Int = -100_000) {
      guard let number = tree.value(name, of: node).flatMap({ Int($0) }) else { return }
      if (least...(least < 0 ? 1_000_000 : 1000)).contains(number) { add(name, String(number)) }
    }
    return output
  }

  // MARK: Links, images and media

  private mutating func addLink(_ node: Int, in parent: HTMLElement) {
    guard let address = tree.harmlessAddress("href", of: node) else {
      return addChildren(of: node, in: parent)
    }
    let wasInLink = isInLink
    isInLink = true
    output += "<a href=\"\(escapedMarkup(address))\"\(attributes(of: node, .a)) rel=\"noreferrer\">"
    addChildren(of: node, in: parent)
    output += "</a>"
    isInLink = wasInLink
  }

  private mutating func addImage(_ node: Int) {
    let words = escapedMarkup(tree.imageWords(of: node))
    guard let address = tree.imageAddress(of: node) else {
      // An element for pages without scripts shows it instead.
      let isReplaced = tree.neighbors(of: node).contains {
        tree.nodes.indices.contains($0) && tree.nodes[$0].element == .noscript
      }
      if !isReplaced, !words.isEmpty { output += "[image: \(words)]" }
      return
    }
    if showsImages {
      let alternative = escapedMarkup(tree.value("alt", of: node) ?? "")
      let title = escapedMarkup(tree.value("title", of: node) ?? "")
      let hint = title.isEmpty ? "" : " title=\"\(title)\""
      output += "<img src=\"\(escapedMarkup(address))\" alt=\"\(alternative)\"\(hint) loading=\"lazy\">"
    } else if let text = tree.textInPlace(of: node) {
      output += escapedMarkup(text)
    } else {
      addLink(to: address, words.isEmpty ? "image" : "image: " + words)
    }
  }

  /// Adds the images that an element shows to those without scripts, unless a script shows them beside it.
  private mutating func addImages(inNoscript node: Int) {
    guard !tree.neighbors(of: node).contains(where: tree.isShownImage) else { return output += " " }
    for child in (node + 1)..<max(node + 1, Int(tree.nodes[node].end)) where tree.nodes[child].element == .img
    {
      addImage(child)
    }
  }

  private mutating func addInput(_ node: Int) {
    guard tree.value("type", of: node)?.lowercased() == "checkbox" else { return output += " " }
    output += tree.value("checked", of: node) == nil ? "☐ " : "☑ "
  }

  private mutating func addMedia(_ node: Int, _ element: HTMLElement, in parent: HTMLElement) {
    if let address = tree.mediumAddress(of: node) {
      let title = escapedMarkup(tree.mediumTitle(of: node))
      return addLink(to: address, element.mediumName + (title.isEmpty ? "" : ": " + title))
    }
    output += " "
    if !element.traits.contains(.hidden) { addChildren(of: node, in: parent) }
  }

  /// Adds a link in place of something that would be requested.
  private mutating func addLink(to address: String, _ text: String) {
    output +=
      isInLink ? "[\(text)]" : "<a href=\"\(escapedMarkup(address))\" rel=\"noreferrer\">[\(text)]</a>"
  }
}

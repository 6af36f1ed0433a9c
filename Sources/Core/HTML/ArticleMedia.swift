// The parts of an article that text cannot show: images, sound, films, embedded pages and formulas.

extension ArticleReader {
  mutating func addImage(_ node: Int) {
    let address = tree.imageAddress(of: node)
    guard address == nil || address != lastImage else { return }
    lastImage = address
    if let formula = tree.textInPlace(of: node) {
      if formula != lastFormula { append(formula) }
      lastFormula = nil
      return
    }
    addMedia("image", tree.imageWords(of: node), address)
  }

  mutating func addMedia(_ node: Int, _ element: HTMLElement) {
    guard let address = tree.mediumAddress(of: node) else {
      if !element.traits.contains(.hidden) { addChildren(node) }
      return
    }
    let isSeen = ["width", "height"].allSatisfy { (number($0, of: node) ?? 2) > 1 }
    if isSeen { addMedia(element.mediumName, tree.mediumTitle(of: node), address) }
  }

  /// Adds a mark in place of what text cannot show.
  private mutating func addMedia(_ kind: String, _ words: String, _ address: String?) {
    guard !words.isEmpty || address != nil && numbersLinks else { return }
    if text.utf8.last == "]" { owesBlank = true }
    append("[\(kind)" + (words.isEmpty ? "]" : ": \(words)]"))
    // For media in a link, the link's number is enough.
    if let address, kind == "image" || !spans.contains(where: { $0.element == .a }) {
      addNumber(of: address)
    }
  }

  // MARK: Formulas

  mutating func addFormula(_ formula: String, isDisplayed: Bool) {
    lastFormula = formula
    guard isDisplayed else { return append(formula) }
    endBlock(apart: true)
    let outer = style
    style = .code
    append(formula)
    endBlock(apart: true)
    style = outer
  }
}

extension HTMLTree {
  /// The address of a film, a sound or an embedded page.
  func mediumAddress(of node: Int) -> String? {
    // Far more than any page has.
    let sources = children(of: node).prefix(20).filter { nodes[$0].element == .source }
    return ([node] + sources).lazy.compactMap { source in
      ["src", "data-src", "data"].lazy.compactMap { harmlessAddress($0, of: source) }.first
    }.first
  }

  /// The title of a film, a sound or an embedded page.
  func mediumTitle(of node: Int) -> String {
    ["title", "aria-label"].lazy.map { cleanText(self.value($0, of: node) ?? "", limit: 4096) }
      .first { !$0.isEmpty } ?? ""
  }
}

extension HTMLElement {
  /// The word for something that a text cannot show.
  var mediumName: String { self == .audio || self == .video ? name : "embed" }
}

// The parts of an article that text cannot show: images, sound, films, embedded pages and formulas.

extension ArticleReader {
  mutating func addImage(_ node: Int) {
    let address = tree.imageAddress(of: node)
    let words = text("alt", of: node)
    guard address == nil || address != lastImage else { return }
    lastImage = address
    let kind = tree.value("class", of: node) ?? ""
    let isFormula = words.hasPrefix("{\\displaystyle") || address?.contains("/math/render/") ?? false
    if !words.isEmpty,
      isFormula || isSymbol(words) || ["emoji", "smiley", "latex", "math"].contains(where: kind.contains)
    {
      let formula = withoutDisplayStyle(words)
      if formula != lastFormula { append(formula) }
      lastFormula = nil
      return
    }
    let title = text("title", of: node)
    addMedia(
      "image", words.isEmpty || words == title ? title : title.isEmpty ? words : words + " – " + title,
      address)
  }

  func isSymbol(_ text: String) -> Bool {
    text.unicodeScalars.count <= 8
      && !text.unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
  }

  mutating func addMedia(_ node: Int, _ element: HTMLElement) {
    let own = ["src", "data-src", "data"].lazy.compactMap { [tree] in tree.harmlessAddress($0, of: node) }
      .first
    let sources = tree.children(of: node).lazy.filter { [tree] in tree.nodes[$0].element == .source }
    let address = own ?? sources.compactMap { [tree] in tree.harmlessAddress("src", of: $0) }.first
    guard let address else {
      if !element.traits.contains(.hidden) { addChildren(node) }
      return
    }
    let isSeen = ["width", "height"].allSatisfy { (number($0, of: node) ?? 2) > 1 }
    let title = text("title", of: node)
    let isMedium = element == .audio || element == .video
    if isSeen {
      addMedia(
        isMedium ? element.name : "embed", title.isEmpty ? text("aria-label", of: node) : title, address)
    }
  }

  /// Adds a mark in place of what text cannot show.
  private mutating func addMedia(_ kind: String, _ words: String, _ address: String?) {
    guard !words.isEmpty || address != nil && numbersLinks else { return }
    if text.utf8.last == UInt8(ascii: "]") { owesBlank = true }
    append("[\(kind)" + (words.isEmpty ? "]" : ": \(words)]"))
    // For media in a link, the link's number is enough.
    if let address, kind == "image" || !spans.contains(where: { $0.element == .a }) {
      addNumber(of: address)
    }
  }

  private func text(_ attribute: String, of node: Int) -> String {
    cleanText(tree.value(attribute, of: node) ?? "", limit: 4096)
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

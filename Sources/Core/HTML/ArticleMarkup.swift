// An article's HTML reduced to elements and attributes that can do no harm in a page or a mail of ours.

/// HTML with elements and attributes of an allow-list only, each element closed within it.
///
/// The text of other elements stays. Scripts, styles, forms and frames, event handlers and addresses that are not on the web or
/// of a mail go. Takes linear time for any text.
///
/// - Parameters:
///   - html: HTML with absolute addresses.
///   - showsImages: whether images stay; otherwise there is their alternative text.
///   - limit: the maximum length, in bytes of UTF-8.
public func harmlessMarkup(_ html: String, showsImages: Bool, limit: Int) -> String {
  var html = html
  return html.withUTF8 { bytes in
    guard let tree = HTMLTree(bytes, isItem: true) else { return "" }
    var cleaning = MarkupCleaning(tree: tree, showsImages: showsImages, limit: limit)
    cleaning.add(0, depth: 0)
    return cleaning.output
  }
}

extension ItemDetails {
  /// The image of the item: the feed's, or else the first on the web in the content that a person can see.
  public var picture: String? {
    guard image == nil, var html = content else { return image }
    return html.withUTF8 { HTMLTree($0, isItem: true)?.picture }
  }
}

extension HTMLTree {
  fileprivate var picture: String? {
    var node = 0
    while node < nodes.count {
      if nodes[node].element == .img {
        let address = webLink(value("src", of: node))
        // A picture of one pixel tells a server that the article is read.
        let sizes = ["width", "height"].compactMap {
          value($0, of: node).flatMap { Int($0.prefix { $0.isNumber }) }
        }
        if !address.isEmpty, sizes.allSatisfy({ $0 > 1 }) { return address }
      }
      node = nodes[node].element.traits.contains(.hidden) ? Int(nodes[node].end) : node + 1
    }
    return nil
  }
}

private struct MarkupCleaning {
  let tree: HTMLTree
  let showsImages: Bool
  let limit: Int
  private(set) var output = ""

  private static let deepest = 64
  /// Attributes that stay if their value is a short number.
  private static let numbers = [
    "ol": ["start"], "td": ["colspan", "rowspan"], "th": ["colspan", "rowspan"],
  ]

  /// Adds an element or a text of the tree, which is not deep.
  mutating func add(_ node: Int, depth: Int) {
    guard output.utf8.count < limit else { return }
    guard tree.nodes[node].isElement else {
      // A character takes at most six when it is escaped.
      output += escapedMarkup(graphemePrefix(of: tree.text(of: node), limit: (limit - output.utf8.count) / 6))
      return
    }
    let element = tree.nodes[node].element
    let (name, traits) = (element.name, element.traits)
    let tag = depth < Self.deepest ? tagOfElement(name, traits, node) : nil
    output += tag ?? replacement(name, node)
    if !traits.contains(.hidden) {
      for child in tree.children(of: node) { add(child, depth: depth + (tag == nil ? 0 : 1)) }
    }
    if tag != nil { output += "</\(name)>" }
  }

  /// The start tag of an element that stays.
  private func tagOfElement(_ name: String, _ traits: ElementTraits, _ node: Int) -> String? {
    if name == "a" {
      return tree.harmlessAddress("href", of: node).map(link(to:))
    }
    guard traits.contains(.harmless) else { return nil }
    let attributes = (Self.numbers[name] ?? []).map { attribute in
      let number = tree.value(attribute, of: node).flatMap { Int($0) } ?? -1
      return (0...1000).contains(number) ? " \(attribute)=\"\(number)\"" : ""
    }
    return "<" + name + attributes.joined() + ">"
  }

  /// The markup in place of an element without an end tag, or of one that does not stay.
  private func replacement(_ name: String, _ node: Int) -> String {
    switch name {
    case "br", "hr": return "<\(name)>"
    case "img":
      let text = escapedMarkup(tree.value("alt", of: node) ?? "")
      guard showsImages, let address = tree.harmlessAddress("src", of: node) else { return text }
      return "<img src=\"\(escapedMarkup(address))\" alt=\"\(text)\" loading=\"lazy\">"
    case "iframe", "video", "audio", "embed":
      return tree.harmlessAddress("src", of: node).map { link(to: $0) + escapedMarkup($0) + "</a>" } ?? ""
    default: return ""
    }
  }

  private func link(to address: String) -> String {
    "<a href=\"\(escapedMarkup(address))\" rel=\"noreferrer\">"
  }
}

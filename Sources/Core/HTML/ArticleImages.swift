// The pictures of articles: pages load them late, in several sizes, or only without scripts.

/// The attributes in which scripts find the picture to load later, which `src` replaces until then.
public enum LazyImageAttributes {
  /// The names of those with one address.
  public static let addresses = ["data-src", "data-lazy-src", "data-original", "data-lazy"]
  /// The names of those with a list of sizes.
  public static let lists = ["data-srcset", "data-lazy-srcset"]
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
      if nodes[node].element == .img, let address = imageAddress(of: node), !webLink(address).isEmpty {
        return address
      }
      node = nodes[node].element.traits.contains(.hidden) ? Int(nodes[node].end) : node + 1
    }
    return nil
  }

  /// The address of the picture of an `img`; nil if it is not on the web or nobody can see it.
  func imageAddress(of node: Int) -> String? {
    // A picture of one pixel tells a server that the article is read.
    for name in ["width", "height"] {
      if let size = value(name, of: node).flatMap({ Int($0.prefix { $0.isNumber }) }), size <= 1 {
        return nil
      }
    }
    for name in LazyImageAttributes.addresses + ["src"] {
      if let address = harmlessAddress(name, of: node, schemes: webSchemes) { return address }
    }
    if let address = imageInList(of: node) { return address }
    let parent = Int(nodes[node].parent)
    guard nodes[parent].element == .picture else { return nil }
    // Far more than any page has.
    return children(of: parent).prefix(20).lazy.filter { nodes[$0].element == .source }
      .compactMap(imageInList).first
  }

  /// The text that an image is a picture of, such as a formula or an emoji.
  func textInPlace(of image: Int) -> String? {
    let words = cleanText(value("alt", of: image) ?? "", limit: 4096)
    let kind = value("class", of: image) ?? ""
    let isFormula =
      words.hasPrefix("{\\displaystyle") || value("src", of: image)?.contains("/math/render/") ?? false
    return !words.isEmpty
      && (isFormula || isSymbol(words)
        || ["emoji", "smiley", "latex", "math"].contains(where: kind.contains))
      ? withoutDisplayStyle(words) : nil
  }

  /// The description of an image, and its title.
  func imageWords(of image: Int) -> String {
    let (words, title) = (value("alt", of: image) ?? "", value("title", of: image) ?? "")
    return [words, title == words ? "" : title].map { cleanText($0, limit: 4096) }.filter { !$0.isEmpty }
      .joined(separator: " – ")
  }

  /// The address in a list of sizes that suits a page best.
  private func imageInList(of node: Int) -> String? {
    (LazyImageAttributes.lists + ["srcset"]).lazy
      .compactMap { value(nameHash($0.utf8), of: node, limit: 1 << 16) }
      .compactMap { bestImage(inList: String(decoding: $0, as: UTF8.self)) }.first
  }

  /// Whether an element shows a picture that is loaded late, so that the `noscript` beside it says the same.
  func isShownImage(_ node: Int) -> Bool {
    nodes.indices.contains(node) && nodes[node].element == .img && imageAddress(of: node) != nil
  }

  /// The nodes beside an element in the order of the source, without blanks.
  func neighbors(of node: Int) -> [Int] {
    var (before, after) = (node - 1, Int(nodes[node].end))
    if before > 0, !nodes[before].isElement, isBlank(before) { before -= 1 }
    if after < nodes.count, !nodes[after].isElement, isBlank(after) { after += 1 }
    return [before, after]
  }
}

/// Whether a text is a few signs, without letters or numbers.
func isSymbol(_ text: String) -> Bool {
  text.unicodeScalars.count <= 8
    && !text.unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
}

/// The address of a list of images that is as large as possible up to 2,000 pixels (HTML standard, section 4.8.4.2.1).
private func bestImage(inList list: String) -> String? {
  var best: (address: String, width: Double)?
  var rest = Substring(list)
  while true {
    rest = rest.drop { $0.isWhitespace || $0 == "," }
    var address = rest.prefix { !$0.isWhitespace }
    guard !address.isEmpty else { return best?.address }
    rest = rest[address.endIndex...]
    var description = Substring()
    if address.last == "," {
      while address.last == "," { address.removeLast() }
    } else {
      description = rest.prefix { $0 != "," }
      rest = rest[description.endIndex...]
    }
    // Without a size it is for screens of a single density.
    let size = description.split(whereSeparator: \.isWhitespace).first ?? "1x"
    let width = (Double(size.dropLast()) ?? 1) * (size.last == "w" ? 1 : 1000)
    let isBetter = best.map { width <= 2000 ? width > $0.width || $0.width > 2000 : width < $0.width } ?? true
    if isBetter, let address = harmless(address, schemes: webSchemes) { best = (address, width) }
  }
}

/// HTML whose addresses contain no pictures, which may be longer than all its words and are never shown.
func withoutEmbeddedPictures(_ html: String) -> String {
  var html = html
  return html.withUTF8 { bytes in
    var tags = HTMLStartTags(bytes)
    var output: [UInt8] = []
    var copied = 0
    while tags.next() != nil {
      for value in tags.attributes.map(\.value)
      where value.count > 1024 && bytes[value].prefix(5).lazy.map(asciiLowercased).elementsEqual("data:".utf8)
      {
        output += bytes[copied..<value.lowerBound]
        output += "data:,".utf8
        copied = value.upperBound
      }
    }
    return copied == 0 ? nil : String(decoding: output + bytes[copied...], as: UTF8.self)
  } ?? html
}

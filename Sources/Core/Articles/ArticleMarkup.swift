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
    var reduction = MarkupCleaning(HTMLScanner(bytes), showsImages: showsImages, limit: limit)
    return reduction.markup()
  }
}

extension ItemDetails {
  /// The image of the item: the feed's, or else the first on the web in the content that a person can see.
  public var picture: String? {
    guard image == nil, var html = content else { return image }
    return html.withUTF8 { bytes in
      var scanner = HTMLScanner(bytes)
      while let event = scanner.next() {
        guard case .start(let tag) = event, tag.name == "img" else { continue }
        let address = webLink(tag["src"])
        // A picture of one pixel tells a server that the article is read.
        let sizes = ["width", "height"].compactMap { tag[$0].flatMap { Int($0.prefix { $0.isNumber }) } }
        if !address.isEmpty, sizes.allSatisfy({ $0 > 1 }) { return address }
      }
      return nil
    }
  }
}

private struct MarkupCleaning {
  private var scanner: HTMLScanner
  private let showsImages: Bool
  private let limit: Int
  private var output = ""
  /// The elements that are open, outermost first.
  private var open: [String] = []

  private static let deepest = 64
  private static let elements: Set = [
    "a", "abbr", "b", "blockquote", "caption", "cite", "code", "dd", "del", "details", "dfn", "div", "dl",
    "dt", "em",
    "figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "i", "ins", "kbd", "li", "mark", "ol", "p",
    "pre", "q", "s",
    "samp", "small", "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
    "u", "ul",
    "var",
  ]
  /// Attributes that stay if their value is a short number.
  private static let numbers = [
    "ol": ["start"], "td": ["colspan", "rowspan"], "th": ["colspan", "rowspan"],
  ]

  init(_ scanner: HTMLScanner, showsImages: Bool, limit: Int) {
    (self.scanner, self.showsImages, self.limit) = (scanner, showsImages, limit)
  }

  mutating func markup() -> String {
    while let event = scanner.next() {
      switch event {
      case .text(let text):
        // A character takes at most six when it is escaped.
        output += escapedMarkup(graphemePrefix(of: text, limit: max(0, limit - output.utf8.count) / 6))
      case .start(let tag): begin(tag)
      case .end(let name): end(name)
      }
      guard output.utf8.count < limit else { break }
    }
    while let name = open.popLast() { output += "</\(name)>" }
    return output
  }

  private mutating func begin(_ tag: HTMLScanner.Tag) {
    switch tag.name {
    case "br", "hr": output += "<\(tag.name)>"
    case "img": addImage(tag)
    case "a": beginLink(tag["href"])
    case "iframe", "video", "audio", "embed":
      if let address = tag["src"].flatMap(harmlessAddress) {
        output += "<a href=\"\(address)\" rel=\"noreferrer\">\(address)</a>"
      }
    case let name where Self.elements.contains(name) && open.count < Self.deepest:
      var attributes = ""
      for attribute in Self.numbers[name] ?? [] {
        if let number = tag[attribute].flatMap({ Int($0) }), (0...1000).contains(number) {
          attributes += " \(attribute)=\"\(number)\""
        }
      }
      open.append(name)
      output += "<\(name)\(attributes)>"
    default: break
    }
  }

  private mutating func beginLink(_ address: String?) {
    // Links cannot be nested.
    end("a")
    guard let address = address.flatMap(harmlessAddress), open.count < Self.deepest else { return }
    open.append("a")
    output += "<a href=\"\(address)\" rel=\"noreferrer\">"
  }

  private mutating func addImage(_ tag: HTMLScanner.Tag) {
    let text = escapedMarkup(tag["alt"] ?? "")
    guard showsImages, let address = tag["src"].flatMap(harmlessAddress) else {
      output += text
      return
    }
    output += "<img src=\"\(address)\" alt=\"\(text)\" loading=\"lazy\">"
  }

  /// Closes the nearest open element with a name, and those within it.
  private mutating func end(_ name: String) {
    guard let index = open.lastIndex(of: name) else { return }
    for name in open[index...].reversed() { output += "</\(name)>" }
    open.removeSubrange(index...)
  }

  private func harmlessAddress(_ text: String) -> String? {
    isHarmlessAddress(text) && text.utf8.count <= 4096 ? escapedMarkup(text) : nil
  }
}

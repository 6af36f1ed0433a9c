// Open elements while a tree is built (HTML standard, section 13.2.4).

extension HTMLTreeBuilder {
  /// An element whose end has not been found.
  struct OpenElement {
    let node: Int
    let name: NameHash
    let element: HTMLElement
    let traits: ElementTraits
    /// The language of its content: `svg`, `math`, or nil for HTML.
    var language: HTMLElement?
    /// Whether `<![CDATA[` begins a section: it is an element of SVG or MathML, even if its content is HTML.
    var hasSections = false
    /// Whether its end tag was found inside an element that goes on.
    var isEnded = false

    var isForeign: Bool { language != nil }

    /// The index of the name in `openCounts`.
    var slot: Int { Self.slot(name) }

    static func slot(_ name: NameHash) -> Int { Int(name >> 2 & 1023) }
  }

  // MARK: HTML in other languages

  /// Whether the content of an element of MathML is HTML.
  func isAnnotationOfHTML(_ tag: HTMLTokenizer.Tag) -> Bool {
    guard tag.name == Self.annotation else { return false }
    return tokens.attributes[tag.attributes].contains { attribute in
      attribute.name == Self.encoding
        && ["text/html", "application/xhtml+xml"].contains(
          String(decoding: tokens.value(of: attribute, limit: 64), as: UTF8.self).lowercased())
    }
  }

  private static let (annotation, encoding) = (
    nameHash("annotation-xml".utf8), nameHash("encoding".utf8)
  )
}

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
}

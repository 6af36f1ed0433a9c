// The elements of HTML that bgfetch knows, and what they mean for a tree of a page (HTML standard, sections 13.1.2 and 13.2.4).

/// The kind of a node of a tree: an element by its name, a text, or the document itself.
public enum HTMLElement: UInt8, CaseIterable, Sendable {
  case document, text
  /// An element with any other name.
  case other

  case a, abbr, acronym, address, annotation, applet, area, article, aside, audio
  case b, base, basefont, bdi, bdo, bgsound, big, blockquote, body, br, button
  case caption, center, cite, code, col, colgroup
  case data, dd, del, desc, details, dfn, dialog, dir, div, dl, dt
  case em, embed, fieldset, figcaption, figure, font, footer, foreignobject, form, frame, frameset
  case h1, h2, h3, h4, h5, h6, head, header, hgroup, hr, html
  case i, iframe, image, img, input, ins, kbd, keygen, label, legend, li, link, listing
  case main, map, mark, marquee, math, menu, meta, mi, mn, mo, ms, mtext
  case nav, nobr, noembed, noframes, noscript, object, ol, optgroup, option, output
  case p, param, picture, plaintext, pre, q, rb, rp, rt, rtc, ruby
  case s, samp, script, search, section, select, small, source, span, strike, strong, style, sub, summary,
    sup, svg
  case table, tbody, td, template, textarea, tfoot, th, thead, time, title, tr, track, tt
  case u, ul, `var`, video, wbr, xmp

  /// The element with a name.
  init(_ name: NameHash) { self = Self.byName[name] ?? .other }

  /// The name in lower case; empty for an element that is not known, for a text and for the document.
  var name: String { Self.names[Int(rawValue)] }

  /// The meaning of the element for trees and texts.
  public var traits: ElementTraits { Self.traits[Int(rawValue)] }

  /// The language of its content in `svg`, in `math` or, if nil, in HTML: again one of them.
  func contentLanguage(in language: HTMLElement?) -> HTMLElement? {
    switch (language, self) {
    case (nil, .svg), (nil, .math): self
    case (.svg, .desc), (.svg, .foreignobject), (.svg, .title): nil
    case (.math, .mi), (.math, .mn), (.math, .mo), (.math, .ms), (.math, .mtext): nil
    default: language
    }
  }

  private static let byName = NameTable(allCases.dropFirst(Int(other.rawValue) + 1).map { ($0.name, $0) })

  /// The hash of its name.
  var hash: NameHash { Self.hashes[Int(rawValue)] }

  private static let hashes = allCases.map { nameHash($0.name.utf8) }

  private static let names = allCases.map { $0.rawValue <= other.rawValue ? "" : "\($0)" }

  private static let traits: [ElementTraits] = {
    var traits = [ElementTraits](repeating: [], count: allCases.count)
    let numbers = Dictionary(
      uniqueKeysWithValues: zip(names, allCases.indices).dropFirst(Int(other.rawValue) + 1))
    for (words, trait) in ElementTraits.elements {
      for name in words.split(separator: " ") {
        if let number = numbers[String(name)] { traits[number].formUnion(trait) }
      }
    }
    return traits
  }()
}

/// The meaning of an element for trees and texts.
public struct ElementTraits: OptionSet, Sendable {
  /// The bits of the traits.
  public let rawValue: UInt32

  /// Traits of these bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  // MARK: For the tree

  /// An element without content.
  public static let isVoid = ElementTraits(rawValue: 1 << 0)
  /// Its start tag ends a paragraph.
  static let endsParagraph = ElementTraits(rawValue: 1 << 2)
  /// Its end tag is for the nearest one that is open, even around a block, such as `b`.
  static let formatting = ElementTraits(rawValue: 1 << 3)
  /// An end tag of an inline element has no effect beyond it.
  static let special = ElementTraits(rawValue: 1 << 4)
  /// Elements are in scope up to it: a cell, a table and the like.
  static let barrier = ElementTraits(rawValue: 1 << 5)
  static let heading = ElementTraits(rawValue: 1 << 8)
  /// A part of a table.
  static let tablePart = ElementTraits(rawValue: 1 << 10)
  static let rowGroup = ElementTraits(rawValue: 1 << 11)
  public static let cell = ElementTraits(rawValue: 1 << 12)
  /// Blanks in it mean nothing.
  static let structural = ElementTraits(rawValue: 1 << 13)
  static let inHead = ElementTraits(rawValue: 1 << 14)
  /// `html`, `head` and `body`: a second tag is ignored.
  static let once = ElementTraits(rawValue: 1 << 15)
  /// Its start tag ends SVG and MathML that were not closed.
  static let endsForeign = ElementTraits(rawValue: 1 << 16)

  // MARK: For texts

  /// Not inline: a line of text ends before and after it.
  public static let block = ElementTraits(rawValue: 1 << 18)
  /// Its text is not for readers.
  public static let hidden = ElementTraits(rawValue: 1 << 19)
  public static let preformatted = ElementTraits(rawValue: 1 << 20)
  public static let navigation = ElementTraits(rawValue: 1 << 21)
  public static let lineBreak = ElementTraits(rawValue: 1 << 22)
  /// Part of a line of text: no words end before and after it.
  static let inline = ElementTraits(rawValue: 1 << 23)
  /// It can do no harm in an article.
  static let harmless = ElementTraits(rawValue: 1 << 24)

  /// The traits of the elements of a name.
  public static func of(_ name: NameHash) -> ElementTraits { HTMLElement(name).traits }

  fileprivate static let elements: [(names: String, traits: ElementTraits)] = [
    (
      "area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr",
      .isVoid
    ),
    (
      """
      address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 \
      h5 h6 header hgroup hr listing main menu nav ol p plaintext pre search section summary table ul
      """, [.endsParagraph, .block]
    ),
    ("li dd dt", .endsParagraph), ("xmp", .endsParagraph),
    ("li dt dd tr thead tbody tfoot caption option optgroup legend body html title", .block),
    ("a b big code em font i nobr s small strike strong tt u", .formatting),
    (
      """
      address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd \
      details dialog dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header \
      hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object \
      ol p param plaintext pre script search section select source style summary table tbody td template textarea tfoot th \
      thead title tr track ul wbr xmp
      """, .special
    ),
    ("applet caption document html table td th marquee object template", .barrier),
    ("h1 h2 h3 h4 h5 h6", .heading),
    ("caption col colgroup tbody td tfoot th thead tr", .tablePart), ("tbody tfoot thead", .rowGroup),
    ("td th", .cell), ("table tbody tfoot thead tr colgroup ul ol menu dir dl head", .structural),
    ("base basefont bgsound link meta noframes noscript script style template title", .inHead),
    ("html head body", .once),
    (
      """
      b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr \
      ol p pre ruby s small span strike strong sub sup table tt u ul var
      """, .endsForeign
    ),
    ("script style template noscript svg head title iframe noembed noframes", .hidden),
    ("pre textarea listing xmp plaintext", .preformatted),
    ("nav", .navigation), ("br hr", .lineBreak),
    (
      """
      a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rb rp rt ruby s samp small \
      span strike strong sub sup time tt u var wbr
      """, .inline
    ),
    (
      """
      abbr b bdi bdo blockquote caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 i ins \
      kbd li mark ol p pre q rb rp rt rtc ruby s samp small span strike strong sub summary sup table tbody td tfoot th thead \
      tr u ul var
      """, .harmless
    ),
  ]
}

// XML namespaces that readers know, by address and by the prefix everybody writes.

/// A family of element names.
enum Namespace {
  /// The document's own: RSS of any version, or whatever the root has as its default.
  case plain
  /// Atom 1.0 or 0.3.
  case atom
  /// Dublin Core and its terms.
  case dublinCore
  /// `content:encoded`.
  case content
  /// Media RSS.
  case media
  /// Apple's podcast names.
  case itunes
  /// When to come again.
  case syndication
  /// What FeedBurner adds.
  case feedburner
  /// RDF.
  case rdf
  /// XHTML.
  case xhtml
  /// `xml:`.
  case xml
  /// Anything else.
  case other

  /// The namespace of an address; scheme, case and the mark at its end do not matter, since feeds get them
  /// wrong.
  init(address: UnsafeBufferPointer<UInt8>) {
    let text = String(decoding: address, as: UTF8.self).lowercased()
    var name = text[...]
    for scheme in ["http://", "https://"] where name.hasPrefix(scheme) {
      name = name.dropFirst(scheme.utf8.count)
    }
    while let last = name.utf8.last, last == UInt8(ascii: "/") || last == UInt8(ascii: "#") {
      name.removeLast()
    }
    self = Self.byAddress[name] ?? .other
  }

  /// Whether an address is that of Atom 0.3 or its drafts.
  static func isOldAtom(_ address: UnsafeBufferPointer<UInt8>) -> Bool {
    let text = String(decoding: address, as: UTF8.self).lowercased()
    return Namespace(address: address) == .atom && !text.contains("2005")
  }

  /// Whether an address is that of RSS 0.90, the first of all.
  static func isNetscape(_ address: UnsafeBufferPointer<UInt8>) -> Bool {
    String(decoding: address, as: UTF8.self).lowercased().hasPrefix("http://my.netscape.com/rdf/")
  }

  private static let byAddress: [Substring: Namespace] = [
    "": .plain, "backend.userland.com/rss": .plain, "backend.userland.com/rss2": .plain,
    "backend.userland.com/rss091": .plain, "backend.userland.com/rss092": .plain,
    "blogs.law.harvard.edu/tech/rss": .plain, "cyber.law.harvard.edu/rss/rss.html": .plain,
    "purl.org/rss/1.0": .plain, "my.netscape.com/rdf/simple/0.9": .plain,
    "channel.netscape.com/rdf/simple/0.9": .plain,
    "purl.org/net/rss1.1": .plain, "my.netscape.com/publish/formats/rss-0.91.dtd": .plain,
    "www.w3.org/2005/atom": .atom, "purl.org/atom/ns": .atom, "example.com/newformat": .atom,
    "example.com/necho": .atom,
    "purl.org/echo": .atom, "uri/of/echo/namespace": .atom, "purl.org/pie": .atom,
    "purl.org/dc/elements/1.1": .dublinCore, "purl.org/dc/elements/1.0": .dublinCore,
    "purl.org/dc/terms": .dublinCore,
    "purl.org/rss/1.0/modules/dc": .dublinCore, "purl.org/rss/1.0/modules/dcterms": .dublinCore,
    "purl.org/rss/1.0/modules/content": .content,
    "search.yahoo.com/mrss": .media, "tools.search.yahoo.com/mrss": .media, "search.yahoo.com/rss": .media,
    "www.itunes.com/dtds/podcast-1.0.dtd": .itunes, "www.itunes.com/dtd/podcast-1.0.dtd": .itunes,
    "example.com/dtds/podcast-1.0.dtd": .itunes,
    "purl.org/rss/1.0/modules/syndication": .syndication,
    "rssnamespace.org/feedburner/ext/1.0": .feedburner,
    "www.w3.org/1999/02/22-rdf-syntax-ns": .rdf, "www.w3.org/1999/xhtml": .xhtml,
    "www.w3.org/xml/1998/namespace": .xml,
  ]

  /// The namespace that a prefix nobody declared stands for.
  init(undeclaredPrefix prefix: NameKey) {
    self = Self.byPrefix.first { $0.0 == prefix }?.1 ?? .other
  }

  private static let byPrefix: [(NameKey, Namespace)] = [
    (NameKey("xml"), .xml), (NameKey("dc"), .dublinCore), (NameKey("dcterms"), .dublinCore),
    (NameKey("content"), .content), (NameKey("media"), .media), (NameKey("itunes"), .itunes),
    (NameKey("atom"), .atom), (NameKey("atom10"), .atom), (NameKey("a10"), .atom),
    (NameKey("sy"), .syndication),
    (NameKey("feedburner"), .feedburner), (NameKey("rdf"), .rdf), (NameKey("xhtml"), .xhtml),
    (NameKey("rss"), .plain),
  ]
}

// The names that readers know: elements, attributes and namespaces; and XMLScanner's use of them.
// A new format adds its names to Word, and its namespaces to Namespace.

import Core

/// A name that some reader knows, in any case.
///
/// The raw value is the name in lower case.
enum Word: String, CaseIterable {
  /// Any other name.
  case unknown = ""

  // Roots and structure.
  case rss, rdf, feed, channel, item, entry, html, head, body
  // Feeds and items.
  case title, link, guid, id, description, summary, content, encoded, author, name, creator, category, subject
  case source, managingeditor
  case newfeedurl = "new-feed-url"
  case enclosure, group, origlink, subtitle, abstract, email, thumbnail, image, comments
  // Podcasts.
  case duration, season, episode
  // Dates.
  case pubdate, lastbuilddate, date, published, updated, issued, modified, created, lastmod
  // When to fetch again.
  case ttl, skiphours, hour, skipdays, day, updateperiod, updatefrequency
  // Attributes.
  case url, href, rel, type, length, filesize, ispermalink, term, mode, about, base, text, src,
    resource
  case isdefault, medium, expression, height, bitrate
  // Lists of subscriptions.
  case opml, outline, xmlurl, htmlurl
}

extension Word {
  /// The known name with a hash, or `unknown`.
  init(_ name: NameHash) { self = Self.table[name] ?? .unknown }

  private static let table = NameTable(allCases.dropFirst().map { ($0.rawValue, $0) })
}

/// An XML namespace that readers know.
enum Namespace {
  /// The document's own namespace: RSS's, or the root's default.
  case plain
  /// Atom 1.0 or 0.3.
  case atom
  /// Dublin Core and its terms.
  case dublinCore
  /// RSS 1.0 content, for `content:encoded`.
  case content
  /// The enclosures of RSS 1.0.
  case enclosures
  /// Media RSS.
  case media
  /// Apple's podcasts.
  case itunes
  /// Podcasting 2.0.
  case podcast
  /// RSS 1.0 syndication, for update intervals.
  case syndication
  case feedburner, rdf, xhtml, xml, other

  /// The namespace with an address.
  ///
  /// Scheme, case, and a final `/` or `#` are ignored, as feeds get them wrong.
  init(address: UnsafeBufferPointer<UInt8>) {
    let text = String(decoding: address, as: UTF8.self).lowercased()
    var name = text[...]
    for scheme in ["http://", "https://"] where name.hasPrefix(scheme) {
      name = name.dropFirst(scheme.utf8.count)
    }
    while let last = name.utf8.last, last == "/" || last == "#" {
      name.removeLast()
    }
    self = Self.byAddress[name] ?? .other
  }

  private static let byAddress: [Substring: Namespace] = [
    "": .plain, "backend.userland.com/rss2": .plain, "purl.org/rss/1.0": .plain,
    "my.netscape.com/rdf/simple/0.9": .plain, "www.w3.org/2005/atom": .atom, "purl.org/atom/ns": .atom,
    "purl.org/dc/elements/1.1": .dublinCore, "purl.org/dc/terms": .dublinCore,
    "purl.org/rss/1.0/modules/content": .content, "purl.oclc.org/net/rss_2.0/enc": .enclosures,
    "search.yahoo.com/mrss": .media, "www.itunes.com/dtds/podcast-1.0.dtd": .itunes,
    "podcastindex.org/namespace/1.0": .podcast,
    "github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md": .podcast,
    "purl.org/rss/1.0/modules/syndication": .syndication, "rssnamespace.org/feedburner/ext/1.0": .feedburner,
    "www.w3.org/1999/02/22-rdf-syntax-ns": .rdf, "www.w3.org/1999/xhtml": .xhtml,
    "www.w3.org/xml/1998/namespace": .xml,
  ]

  /// The usual namespace of a prefix that the document does not declare.
  init(undeclaredPrefix prefix: NameHash) {
    self = Self.byPrefix[prefix] ?? .other
  }

  private static let byPrefix = NameTable<Namespace>([
    ("xml", .xml), ("dc", .dublinCore), ("dcterms", .dublinCore), ("content", .content), ("media", .media),
    ("itunes", .itunes), ("enc", .enclosures), ("podcast", .podcast), ("atom", .atom), ("atom10", .atom),
    ("a10", .atom), ("sy", .syndication), ("feedburner", .feedburner), ("rdf", .rdf), ("xhtml", .xhtml),
    ("rss", .plain),
  ])
}

/// A namespace declaration.
struct Binding {
  /// The depth of the element that declares it.
  let depth: Int
  /// The prefix; nil for the default namespace.
  let prefix: NameHash?
  let space: Namespace
}

/// The base of relative links below an element.
struct Base {
  /// The depth of the element that declares it.
  let depth: Int
  let address: URIReference
}

extension XMLScanner {
  /// Declares a namespace for the element whose tag is being read.
  mutating func bind(_ prefix: NameHash?, to address: UnsafeBufferPointer<UInt8>) {
    guard bindings.count < Self.maximumBindings, address.count <= 256 else { return }
    // The root's own names are in its default namespace: RSS with Atom's address as default is RSS.
    let space = depth == 0 && prefix == nil ? .plain : Namespace(address: trimmed(address))
    bindings.append(Binding(depth: depth + 1, prefix: prefix, space: space))
  }

  var defaultSpace: Namespace {
    bindings.last { $0.prefix == nil }?.space ?? .plain
  }

  /// The namespace of a prefix; the usual one if the document does not declare it.
  func space(ofPrefix prefix: NameHash) -> Namespace {
    bindings.last { $0.prefix == prefix }?.space ?? Namespace(undeclaredPrefix: prefix)
  }

  /// The value, with undecoded references, of an attribute of the element that was opened last.
  ///
  /// An attribute without a prefix is preferred. Of those with a prefix, only `rdf:` and `enc:` ones count.
  func attribute(_ word: Word) -> UnsafeBufferPointer<UInt8>? {
    var prefixed: Range<Int>?
    for attribute in attributes where attribute.word == word {
      guard let prefix = attribute.prefix else { return slice(attribute.value) }
      let space = space(ofPrefix: prefix)
      if space == .rdf || space == .enclosures { prefixed = attribute.value }
    }
    return prefixed.map { slice($0) }
  }

  /// The trimmed text of an attribute of the element that was opened last; nil if it is missing or empty.
  mutating func attributeText(_ word: Word) -> String? {
    guard let value = attribute(word) else { return nil }
    return nonEmpty(trimmed(decoded(value)))
  }

  /// The resolved link in an attribute of the element that was opened last.
  mutating func attributeLink(_ word: Word) -> String? {
    guard let value = attribute(word) else { return nil }
    return resolved(decoded(value))
  }

  /// A link at this place, resolved against the innermost base; nil if it is empty or too long.
  mutating func resolved(_ address: UnsafeBufferPointer<UInt8>) -> String? {
    links.link(address, base: declaredBase ?? links.base)
  }

  /// The innermost base that the document declares; nil if there is only its own address.
  var declaredBase: URIReference? { bases.last?.address }

  /// Sets the base of links inside the element that was opened last.
  mutating func pushBase(_ value: UnsafeBufferPointer<UInt8>) {
    guard value.count <= LinkResolver.longestBase, let address = resolved(decoded(value)),
      address.utf8.count <= LinkResolver.longestBase
    else { return }
    bases.append(Base(depth: depth, address: URIReference(address)))
  }
}

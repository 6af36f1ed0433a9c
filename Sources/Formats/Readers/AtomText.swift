// Links and text constructs of Atom: text, HTML or XHTML, in Atom 0.3 also escaped or in base64.

import Core

/// Reads a content that is elsewhere (RFC 4287 section 4.1.3.2): a page is the item's link, anything else a file.
func parseSource(_ xml: inout XMLScanner, _ draft: inout ItemDraft) {
  guard let address = xml.attributeLink(.src) else { return }
  let type = xml.attributeText(.type)
  let kind = type ?? fileExtension(ofAddress: address).flatMap { mediaType(ofExtension: $0) } ?? "text/html"
  let isPage = !kind.contains("/") || kind.hasPrefix("text/") || kind.contains("html")
  if isPage { draft.link.accept(address, rank: 3) } else { draft.add(Enclosure(url: address, type: type)) }
}

/// The relation of an Atom link, as far as feeds need it.
enum AtomRelation: String {
  /// The page of the entry or feed.
  case alternate
  /// The entry or feed in Atom.
  case itself = "self"
  case enclosure
  /// A page with the comments on an entry (RFC 4685).
  case replies
  /// A hub (W3C WebSub, section 4).
  case hub
  case other
}

extension XMLScanner {
  /// Reads the `link` that was opened last.
  ///
  /// Its address is in `href`, and in invalid feeds in its text.
  mutating func atomLink() -> (relation: AtomRelation, address: String?, isPage: Bool) {
    // RFC 4287 section 4.2.7.2: the registered names may be written as addresses.
    let name = attribute(.rel).flatMap { trimmed($0).split(separator: "/").last }
    var relation = AtomRelation.alternate
    if let name {
      relation = AtomRelation(rawValue: String(decoding: name, as: UTF8.self).lowercased()) ?? .other
    }
    let type = attribute(.type).map(trimmed)
    let isPage =
      type.map { $0.isEmpty || equals($0, "text/html") || equals($0, "application/xhtml+xml") } ?? true
    // Without a type the comments are a feed (RFC 4685 section 4).
    if relation == .replies, type == nil || !isPage { relation = .other }
    if let address = attributeLink(.href) { return (relation, address, isPage) }
    return (relation, resolved(text().bytes), isPage)
  }
}

/// The encoding of a text construct.
private enum AtomEncoding {
  case text
  case html
  case xhtml
  case base64
}

extension XMLScanner {
  /// Reads the title that was opened last, as plain text.
  mutating func atomTitle() -> String? {
    let encoding = atomEncoding()
    let found = text()
    switch encoding {
    case .text where !found.isMarkup: return plainTitle(found.bytes, .text)
    case .base64 where !found.isMarkup:
      guard let decoded = decodedBase64(found.bytes), isValidUTF8(decoded) else { fallthrough }
      return withoutControls(decoded).withUnsafeBufferPointer { plainTitle($0, .title) }
    default: return plainTitle(found.bytes, .title)
    }
  }

  /// Reads the summary or content that was opened last, as HTML; nil if it is empty or not text.
  mutating func atomMarkup() -> ItemMarkup? {
    let base = declaredBase
    return atomText().map { ItemMarkup(text: $0, base: base) }
  }

  private mutating func atomText() -> String? {
    let encoding = atomEncoding()
    let found = text(isXHTML: encoding == .xhtml)
    let bytes = trimmed(found.bytes)
    switch encoding {
    case _ where bytes.isEmpty: return nil
    case .text where !found.isMarkup: return escapedMarkup(bytes, for: .html)
    case .base64 where !found.isMarkup:
      // A file inside the feed is not text and has no address.
      guard let decoded = decodedBase64(bytes), isValidUTF8(decoded) else { return nil }
      return String(decoding: withoutControls(decoded), as: UTF8.self)
    default: return nonEmpty(bytes)
    }
  }

  private func atomEncoding() -> AtomEncoding {
    if let mode = attribute(.mode), equals(trimmed(mode), "base64") { return .base64 }
    guard let type = attribute(.type).map(trimmed), !type.isEmpty else {
      // Atom 0.3: escaped text, which may be HTML.
      return attribute(.mode).map { equals(trimmed($0), "escaped") } ?? false ? .html : .text
    }
    if equals(type, "text/html") { return .html }
    if equals(type, "text") || hasPrefix(type, "text/") { return .text }
    let isXML = type.count > 3 && equals(UnsafeBufferPointer(rebasing: type.suffix(3)), "xml")
    if isXML || equals(type, "xhtml") { return .xhtml }
    // RFC 4287 section 4.1.3.3: any other media type is base64. A type without a slash is not a media type.
    return type.contains("/") ? .base64 : .html
  }
}

// The common parts of the feed formats: ids, the text of items, characters that XML forbids, dates.

import Core

extension Publication {
  /// When an item was last added or changed, so that the document stays the same until the next change.
  var changed: Instant {
    items.map { max($0.item.firstSeen, $0.item.updatedAt ?? $0.item.firstSeen) }.max() ?? updated
  }

  /// The items, each with an identity that is unique in the document.
  ///
  /// Items of a feed may share a guid. The item that was seen first keeps the plain identity; the others get
  /// their numbers.
  var identified: [(item: PublishedItem, id: String)] {
    var first: [String: Int64] = [:]
    for item in items { first[item.id] = min(item.item.number, first[item.id] ?? .max) }
    return items.map { item in
      let isFirst = first[item.id] == item.item.number
      return (item, isFirst ? item.id : item.id + ":\(item.item.number)")
    }
  }

  /// An identity that stays the same for the same name, or for the same title if it has no name.
  var id: String {
    "urn:bgfetch:" + urnEncoded(name ?? title)
  }
}

extension PublishedItem {
  /// An identity that no other item has, even if two feeds use the same guids (RFC 8141 allows these characters).
  var id: String {
    "urn:bgfetch:\(feed.name.text):\(urnEncoded(item.id))"
  }

  /// When it was last changed.
  var updated: Instant { item.updatedAt ?? item.date }

  /// The full content as HTML, if it is stored; readers sanitise it themselves.
  var content: String? { item.record.details?.content }

  /// Its page; nil unless http or https.
  var link: String? { web(item.record.link) }

  /// The page with its comments; nil unless http or https.
  var comments: String? { web(item.record.details?.comments) }

  /// Its files at http or https addresses.
  var enclosures: [Enclosure] { (item.record.details?.enclosures ?? []).filter { web($0.url) != nil } }
}

private func urnEncoded(_ text: String) -> String {
  percentEncoded(text) { scalar in
    scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
  }
}

private func web(_ address: String?) -> String? {
  let link = webLink(address)
  return link.isEmpty ? nil : link
}

/// An element with text, or nothing if there is no text.
func element(_ name: String, _ text: String?, _ attributes: String = "") -> String {
  guard let text, !text.isEmpty else { return "" }
  return "<\(name)\(attributes)>\(xmlText(text))</\(name)>\n"
}

/// An attribute with a space before it, or nothing.
func attribute(_ name: String, _ text: String?) -> String {
  guard let text, !text.isEmpty else { return "" }
  return " \(name)=\"\(xmlText(text))\""
}

/// Text for XML 1.0: escaped, without the characters that XML forbids (section 2.2).
func xmlText(_ text: String) -> String {
  let isClean = text.unicodeScalars.allSatisfy(isAllowed)
  return escapedMarkup(
    isClean ? text : String(String.UnicodeScalarView(text.unicodeScalars.filter(isAllowed))), for: .xml)
}

private func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0xA0...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
  default: false
  }
}

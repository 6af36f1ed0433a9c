// The two hashes of an item: what identifies one that has neither guid nor link, and what an edit changes.

import Model

extension ParsedItem {
  /// The hash of title and content: the identity of an item that has neither guid nor link.
  var contentHash: UInt64 {
    var hash = Fingerprint()
    hash.add(title)
    hash.add(content ?? summary)
    return hash.value
  }

  /// The hash of what an edit would change: title, link, text without markup, enclosure addresses without
  /// query.
  var editHash: UInt64 {
    var hash = Fingerprint()
    hash.add(title)
    hash.add(link)
    hash.add(visibleTextOf: content ?? summary ?? "")
    for enclosure in enclosures {
      var reference = URIReference(enclosure.url).withoutFragment
      reference.query = nil
      hash.add(reference.text)
    }
    return hash.value
  }
}

extension Fingerprint {
  /// Adds a text without its tags and white space, so that new markup around the same words is no edit.
  mutating func add(visibleTextOf text: String) {
    var text = text
    text.withUTF8 { bytes in
      var isInTag = false
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "<"): isInTag = true
        case UInt8(ascii: ">"): isInTag = false
        case 0x09, 0x0A, 0x0D, 0x20: break
        default: if !isInTag { add(byte: byte) }
        }
      }
    }
    add(byte: 0xFF)
  }
}

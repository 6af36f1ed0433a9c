// The fingerprints of an item: what may identify it, and what an edit changes.

extension ParsedItem {
  /// Everything that may identify the item.
  var identityKeys: IdentityKeys {
    var content = Fingerprint()
    content.add(title)
    content.add(self.content ?? summary)
    if title == nil, self.content ?? summary == nil {
      // An item without any words is known by its files and its date.
      for enclosure in enclosures { content.add(fileOf: enclosure) }
      content.add(published.map { String($0.secondsSince1970) })
    }
    return IdentityKeys(
      guid: id.map(Self.addressKey), link: link.map(Self.addressKey),
      title: title.map { title in
        var print = Fingerprint()
        print.add(title)
        return print.value
      }, content: content.value)
  }

  /// The hash of what an edit would change: title, link, text without markup, enclosure addresses without
  /// query.
  func editHash(_ keys: IdentityKeys) -> UInt64 {
    var hash = Fingerprint()
    hash.add(title)
    hash.add(keys.link.map { String($0) })
    hash.add(visibleTextOf: content ?? summary ?? "")
    for enclosure in enclosures { hash.add(fileOf: enclosure) }
    return hash.value
  }

  private static func addressKey(_ text: String) -> UInt64 {
    var print = Fingerprint()
    print.add(address: text)
    return print.value
  }
}

extension Fingerprint {
  /// Adds a file's address without its query, in which podcasts count their listeners.
  fileprivate mutating func add(fileOf enclosure: Enclosure) {
    var reference = URIReference(enclosure.url).withoutFragment
    reference.query = nil
    add(reference.text)
  }

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

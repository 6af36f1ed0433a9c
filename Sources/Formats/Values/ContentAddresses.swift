// The addresses inside the HTML of items: made absolute once, when a document is read, so that every output can use them.

import Core

/// A text of an item that may contain markup.
struct ItemMarkup {
  let text: String
  /// The base that the document declares for it, such as `xml:base`; nil if the text belongs to the item's page.
  var base: URIReference?
}

extension ItemMarkup {
  /// The text as HTML with the same lines, if it has no element.
  ///
  /// Plain text is in descriptions, in `content_text` and the like; its lines may be the chapters of a podcast.
  func keepingLines() -> ItemMarkup {
    var text = text
    let kept = text.withUTF8 { bytes -> String? in
      guard firstIndex(of: "\n", in: bytes, from: 0) != nil, !hasElement(bytes) else {
        return nil
      }
      var lines: [String] = []
      for line in bytes.split(separator: "\n", omittingEmptySubsequences: false) {
        let text = trimmed(UnsafeBufferPointer(rebasing: line))
        // Several empty lines are like one.
        guard !text.isEmpty || lines.last?.isEmpty == false else { continue }
        lines.append(String(decoding: text, as: UTF8.self))
      }
      return lines.joined(separator: "<br>\n")
    }
    return kept.map { ItemMarkup(text: $0, base: base) } ?? self
  }

  /// The text with absolute addresses, without addresses that are programs.
  ///
  /// Relative addresses start at the declared base, else at the item's page, else at the document.
  func resolved(at page: String?, _ links: inout LinkResolver) -> String {
    var text = text
    return text.withUTF8 { html -> String? in
      guard mayChangeAddresses(html) else { return nil }
      var base = self.base ?? page.flatMap { isWebAddress($0) ? documentBase($0) : nil }
      if base == nil {
        // The query of a feed's own address may be its reader's secret, and no anchor of a text is in the feed.
        base = links.base
        base?.query = nil
        base?.fragment = nil
      }
      let hasPage = self.base != nil || page.map(isWebAddress) ?? false
      var addresses = ContentAddresses(html, base: base, resolvesAnchors: hasPage)
      return addresses.changed(&links).map { String(decoding: $0, as: UTF8.self) }
    } ?? text
  }
}

/// Whether HTML has a tag.
private func hasElement(_ html: UnsafeBufferPointer<UInt8>) -> Bool {
  guard firstIndex(of: "<", in: html, from: 0) != nil else { return false }
  var tokens = HTMLTokenizer(html, attributes: .none)
  while let token = tokens.next() {
    switch token {
    case .start, .end: return true
    case .text, .comment, .doctype: continue
    }
  }
  return false
}

/// Whether HTML may have an address that is not a whole http, https or mail address; one quick pass over it.
func mayChangeAddresses(_ html: UnsafeBufferPointer<UInt8>) -> Bool {
  var index = 0
  while let equals = firstIndex(of: "=", in: html, from: index) {
    index = equals + 1
    var end = equals
    while end > 0, html[end - 1] <= 0x20 { end -= 1 }
    guard mayEndAddressName(html, end) else { continue }
    skipBlanks(in: html, &index)
    let isQuoted =
      index < html.count && (html[index] == "\"" || html[index] == "'")
    if isQuoted { index += 1 }
    let value = html.slice(index...)
    guard isWhole(value) else { return true }
    // The list of an image's sizes has several addresses.
    let isList = isQuoted && html[end - 1] | 0x20 == "t"
    if isList, value.prefix(while: { $0 != html[index - 1] }).contains(",") { return true }
  }
  return false
}

private func isWhole(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
  hasPrefix(value, "http://") || hasPrefix(value, "https://") || hasPrefix(value, "mailto:")
}

/// Whether the name before an index may belong to an attribute with addresses, by its last letters.
private func mayEndAddressName(_ html: UnsafeBufferPointer<UInt8>, _ end: Int) -> Bool {
  guard end >= 3 else { return false }
  return switch (html[end - 2] | 0x20, html[end - 1] | 0x20) {
  // href, src, srcset, poster and data; then cite, action, background and longdesc; data-original and data-lazy.
  case ("e", "f"), ("r", "c"),
    ("e", "t"), ("e", "r"),
    ("t", "a"), ("t", "e"),
    ("o", "n"), ("n", "d"),
    ("s", "c"), ("a", "l"),
    ("z", "y"):
    true
  default: false
  }
}

/// The addresses in the start tags of HTML.
private struct ContentAddresses {
  private let html: UnsafeBufferPointer<UInt8>
  private let base: URIReference?
  private let resolvesAnchors: Bool
  private var output: [UInt8] = []
  /// The end of what is in `output`.
  private var copied = 0

  /// The attributes with one address (HTML standard, section 13.3; XLink), and those with lists for images.
  private static let names = nameHashes(
    "href src poster data cite action formaction background longdesc xlink:href dynsrc lowsrc "
      + LazyImageAttributes.addresses.joined(separator: " "))
  private static let lists = nameHashes(
    "srcset imagesrcset " + LazyImageAttributes.lists.joined(separator: " "))
  private static let anchors = nameHashes("a area")
  private static let image = nameHash("img".utf8)

  init(_ html: UnsafeBufferPointer<UInt8>, base: URIReference?, resolvesAnchors: Bool) {
    (self.html, self.base, self.resolvesAnchors) = (html, base, resolvesAnchors)
  }

  /// The HTML with its addresses changed; nil if none changes.
  mutating func changed(_ links: inout LinkResolver) -> [UInt8]? {
    // Addresses in repeated attributes change, too: one would count if the first were removed.
    var tags = HTMLStartTags(html)
    while let tag = tags.next() {
      for attribute in tags.attributes { change(attribute, of: tag.name, &links) }
    }
    // Programs may be in the part that was not read.
    guard copied > 0 || tags.readEnd < html.count else { return nil }
    output += html[copied..<tags.readEnd]
    return output
  }

  private mutating func change(
    _ attribute: HTMLTokenizer.Attribute, of tag: NameHash, _ links: inout LinkResolver
  ) {
    let value = attribute.value
    guard !value.isEmpty, mayEndAddressName(html, attribute.nameRange.upperBound) else { return }
    if Self.lists.contains(attribute.name) {
      if let list = list(value, &links) { replace(value, by: list) }
    } else if Self.names.contains(attribute.name) {
      if isProgram(html.slice(value)) {
        remove(attribute.nameRange.lowerBound..<(value.upperBound + (isQuoted(value) ? 1 : 0)))
      } else if let address = address(value, of: tag, &links) {
        replace(value, by: Array(escapedMarkup(address).utf8))
      }
    }
  }

  private func isQuoted(_ value: Range<Int>) -> Bool {
    let before = html[value.lowerBound - 1]
    return before == "\"" || before == "'"
  }

  /// The absolute form of a relative address; nil leaves it as it is.
  private func address(_ value: Range<Int>, of tag: NameHash, _ links: inout LinkResolver) -> String? {
    let bytes = withoutReferences(
      html.slice(value), .attribute, limit: LinkResolver.longest)
    return bytes.withUnsafeBufferPointer { bytes in
      let address = trimmed(bytes)
      guard !address.isEmpty, base != nil, !isWhole(address),
        address[0] != "#" || resolvesAnchors && Self.anchors.contains(tag),
        URIReference(String(decoding: address, as: UTF8.self)).scheme == nil
      else { return nil }
      return links.link(address, base: base)
    }
  }

  /// A list of images with absolute addresses; nil if none changes.
  private func list(_ value: Range<Int>, _ links: inout LinkResolver) -> [UInt8]? {
    var parts: [UInt8] = []
    var copied = value.lowerBound
    var index = copied
    while index < value.upperBound {
      while index < value.upperBound, html[index] <= 0x20 || html[index] == "," { index += 1 }
      let start = index
      while index < value.upperBound, html[index] > 0x20 { index += 1 }
      var end = index
      while end > start, html[end - 1] == "," { end -= 1 }
      if start < end {
        let isProgram = isProgram(html.slice(start..<end))
        if let new = isProgram ? "" : address(start..<end, of: Self.image, &links) {
          parts += html[copied..<start]
          parts += escapedMarkup(new).utf8
          copied = end
        }
      }
      // A description of the size, up to a comma.
      if end == index { while index < value.upperBound, html[index] != "," { index += 1 } }
    }
    return copied > value.lowerBound ? parts + html[copied..<value.upperBound] : nil
  }

  /// Replaces a value, which may be without quotes.
  private mutating func replace(_ value: Range<Int>, by new: [UInt8]) {
    remove(value)
    output += isQuoted(value) ? new : ["\""] + new + ["\""]
  }

  private mutating func remove(_ range: Range<Int>) {
    output += html[copied..<range.lowerBound]
    copied = range.upperBound
  }
}

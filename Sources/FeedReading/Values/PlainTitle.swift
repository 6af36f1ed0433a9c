// Titles, names and categories as plain text.

import Core

/// The markup of a title, according to its format.
enum TextKind {
  /// Plain text, in which `<` is not markup.
  case text
  case html
  /// RSS does not say: the title is HTML if it looks like HTML, otherwise text.
  case unknown
}

/// The maximum length of a title, name or category, in bytes.
let titleLimit = 4096

/// A title as plain text, white space folded; nil if nothing is left.
func plainTitle(_ title: XMLText, _ kind: TextKind) -> String? {
  plainTitle(title.bytes, title.isMarkup ? .html : kind)
}

/// A title as plain text, white space folded; nil if nothing is left.
func plainTitle(_ title: UnsafeBufferPointer<UInt8>, _ kind: TextKind) -> String? {
  let title = trimmed(title)
  var isFolded = title.count <= titleLimit
  var mayBeMarkup = false
  var previous: UInt8 = 0
  for byte in title {
    switch byte {
    case UInt8(ascii: "<"), UInt8(ascii: "&"): mayBeMarkup = true
    case UInt8(ascii: " "): isFolded = isFolded && previous != UInt8(ascii: " ")
    case ..<0x20, 0xC2, 0xE2, 0xE3: isFolded = false  // Line breaks, and the first bytes of wide spaces.
    default: break
    }
    previous = byte
  }
  var text: String?
  if mayBeMarkup, kind == .html || kind == .unknown && looksLikeHTML(title) {
    text = plainText(title, isHTML: true, limit: titleLimit)
    // Character references may have made control characters.
    if let escaped = text, escaped.utf8.contains(where: isEscape) {
      text = cleanText(escaped, limit: titleLimit)
    }
  } else if isFolded {
    text = nonEmpty(title)
  } else {
    text = plainText(title, isHTML: false, limit: titleLimit)
  }
  return text.flatMap { $0.isEmpty ? nil : $0 }
}

/// Whether a text contains a character reference or an HTML tag; `List<String>` and `a < b` are neither.
private func looksLikeHTML(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
  for index in text.indices {
    switch text[index] {
    case UInt8(ascii: "&"):
      if HTMLEntities.reference(in: text, at: index) != nil { return true }
    case UInt8(ascii: "<"):
      var start = index + 1
      if start < text.count, text[start] == UInt8(ascii: "/") { start += 1 }
      var end = start
      while end < text.count, end - start <= 10,
        XMLScanner.beginsName(text[end]) || (0x30...0x39).contains(text[end])
      {
        end += 1
      }
      if htmlNames.contains(String(decoding: text[start..<end], as: UTF8.self).lowercased()) { return true }
    default:
      break
    }
  }
  return false
}

/// The elements that appear in titles.
private let htmlNames: Set<String> = [
  "a", "abbr", "acronym", "b", "big", "blink", "blockquote", "br", "center", "cite", "code", "del", "dfn",
  "div", "em",
  "font", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre",
  "q", "s",
  "script", "small", "span", "strike", "strong", "style", "sub", "sup", "table", "td", "tr", "tt", "u", "ul",
  "var",
  "wbr",
]

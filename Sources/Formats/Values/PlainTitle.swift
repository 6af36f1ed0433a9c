// Titles, names and categories as plain text.

import Core

/// The markup of a title, according to its format.
enum TextKind {
  /// Plain text, in which `<` is not markup.
  case text
  /// HTML of a page, in which every tag is markup.
  case html
  /// The title of a feed or item, whatever the feed calls it: references and the tags of titles are markup, and what only
  /// looks like a tag, such as `Why <script> is dangerous`, is text.
  case unknown
}

/// The maximum length of a title, name or category, in bytes.
let titleLimit = 4096

/// A title as plain text, white space folded; nil if nothing is left.
func plainTitle(_ title: XMLText, _ kind: TextKind) -> String? {
  plainTitle(title.bytes, title.isMarkup ? .unknown : kind)
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
  if mayBeMarkup, kind != .text {
    text = plainText(title, kind == .html ? .html : .title, limit: titleLimit)
    // Character references may have made control characters.
    if let escaped = text, escaped.utf8.contains(where: isEscape) {
      text = cleanText(escaped, limit: titleLimit)
    }
  } else if isFolded {
    text = nonEmpty(title)
  } else {
    text = plainText(title, .text, limit: titleLimit)
  }
  return text.flatMap { $0.isEmpty ? nil : $0 }
}

// The few tags of an HTML page that name addresses, with their attributes (HTML standard, section 13.2.5, much reduced).

import Core

/// Walks over the tags `base`, `link` and `a` of a page, past comments, scripts and styles.
struct HTMLTagScanner {
  enum Tag {
    case base, link, anchor
  }

  /// The attributes of one tag, with character references resolved; empty if absent.
  struct Attributes {
    var href: String?
    var rel = ""
    var type = ""
    var title = ""
  }

  private let source: UnsafeBufferPointer<UInt8>
  private var position = 0

  /// The maximum length of an attribute's value, in bytes; longer ones are cut off.
  private static let longestValue = 4096

  init(_ source: UnsafeBufferPointer<UInt8>) { self.source = source }

  /// Moves past the name of the next tag; nil at the end of the page.
  mutating func next() -> Tag? {
    while let open = firstIndex(of: UInt8(ascii: "<"), in: source, from: position) {
      position = open + 1
      if matches("!--") {
        position = end(of: "-->", from: position)
        continue
      }
      let start = position
      while position < source.count, source[position].isASCIILetter { position += 1 }
      guard position > start, position - start <= 8, position < source.count, endsHTMLName(source[position])
      else { continue }
      switch String(decoding: source[start..<position], as: UTF8.self).lowercased() {
      case "base": return .base
      case "link": return .link
      case "a": return .anchor
      case "script": skip(to: "</script")
      case "style": skip(to: "</style")
      case "textarea": skip(to: "</textarea")
      case "title": skip(to: "</title")
      case "template": skip(to: "</template")
      default: break
      }
    }
    return nil
  }

  /// Reads the attributes of the tag whose name was found, to its `>`.
  mutating func attributes() -> Attributes {
    var found = Attributes()
    while let (name, value) = parseHTMLAttribute(in: source, &position) {
      switch String(decoding: source[name.prefix(8)], as: UTF8.self).lowercased() {
      case "href": found.href = found.href ?? text(value)
      case "rel": found.rel = text(value)
      case "type": found.type = text(value)
      case "title": found.title = text(value)
      default: break
      }
    }
    return found
  }

  /// A value without white space around it, with its character references resolved.
  private func text(_ range: Range<Int>) -> String {
    // Line breaks inside an address do not count.
    let bytes = withoutReferences(
      UnsafeBufferPointer(rebasing: source[range]), limit: Self.longestValue
    ).filter { $0 >= 0x20 }
    let text = bytes.drop { $0 == 0x20 }
    let last = text.lastIndex { $0 != 0x20 } ?? text.startIndex - 1
    return String(decoding: text[text.startIndex..<(last + 1)], as: UTF8.self)
  }

  private mutating func skip(to mark: StaticString) { position = end(of: mark, from: position) }

  /// The place after a mark, in upper or lower case; the end of the page if it is missing.
  private func end(of mark: StaticString, from start: Int) -> Int {
    let length = mark.utf8CodeUnitCount
    var index = start
    while let found = firstIndex(of: mark.utf8Start[0], in: source, from: index) {
      if matches(mark, at: found) { return found + length }
      index = found + 1
    }
    return source.count
  }

  private func matches(_ mark: StaticString, at start: Int? = nil) -> Bool {
    let (start, length) = (start ?? position, mark.utf8CodeUnitCount)
    guard start + length <= source.count else { return false }
    return (0..<length).allSatisfy { asciiLowercased(source[start + $0]) == mark.utf8Start[$0] }
  }
}

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

/// Moves a position past white space.
func skipBlanks(in source: UnsafeBufferPointer<UInt8>, _ position: inout Int) {
  while position < source.count, source[position] <= 0x20 { position += 1 }
}

/// Reads the value of an attribute, in quotes of either kind or without; a missing quote is at the end of the page.
func parseHTMLValue(in source: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Range<Int> {
  guard position < source.count else { return position..<position }
  let quote = source[position]
  if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
    let start = position + 1
    let end = firstIndex(of: quote, in: source, from: start) ?? source.count
    position = min(end + 1, source.count)
    return start..<end
  }
  let start = position
  while position < source.count, source[position] > 0x20, source[position] != UInt8(ascii: ">") {
    position += 1
  }
  return start..<position
}

/// Whether a byte ends the name of a tag.
func endsHTMLName(_ byte: UInt8) -> Bool {
  byte <= 0x20 || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
}

/// Reads the next attribute of a tag; nil at the tag's `>`, which is not taken, or at the end of the page.
func parseHTMLAttribute(
  in source: UnsafeBufferPointer<UInt8>, _ position: inout Int
) -> (name: Range<Int>, value: Range<Int>)? {
  while position < source.count, source[position] <= 0x20 || source[position] == UInt8(ascii: "/") {
    position += 1
  }
  guard position < source.count, source[position] != UInt8(ascii: ">") else { return nil }
  let start = position
  position += 1
  while position < source.count, !endsHTMLName(source[position]), source[position] != UInt8(ascii: "=") {
    position += 1
  }
  let name = start..<position
  skipBlanks(in: source, &position)
  var value = position..<position
  if position < source.count, source[position] == UInt8(ascii: "=") {
    position += 1
    skipBlanks(in: source, &position)
    value = parseHTMLValue(in: source, &position)
  }
  return (name, value)
}

/// The place after a declaration, comment or instruction that begins with `<!` or `<?`.
func endOfHTMLComment(in source: UnsafeBufferPointer<UInt8>, at tag: Int) -> Int {
  guard tag + 3 < source.count, source[tag + 1] == UInt8(ascii: "!"), source[tag + 2] == UInt8(ascii: "-"),
    source[tag + 3] == UInt8(ascii: "-")
  else { return firstIndex(of: UInt8(ascii: ">"), in: source, from: tag + 1).map { $0 + 1 } ?? source.count }
  // `<!-->` and `<!--->` are also whole comments.
  var index = tag + 4
  while let end = firstIndex(of: UInt8(ascii: ">"), in: source, from: index) {
    if source[end - 1] == UInt8(ascii: "-"), source[end - 2] == UInt8(ascii: "-") { return end + 1 }
    index = end + 1
  }
  return source.count
}

/// The place of the end tag of an element without markup inside, such as `script`, or the end of the page.
func endOfRawHTML(
  in source: UnsafeBufferPointer<UInt8>, from start: Int,
  _ isName: (Slice<UnsafeBufferPointer<UInt8>>) -> Bool
) -> Int {
  var index = start
  while let tag = firstIndex(of: UInt8(ascii: "<"), in: source, from: index) {
    index = tag + 1
    guard index < source.count, source[index] == UInt8(ascii: "/") else { continue }
    var end = index + 1
    while end < source.count, end - index < 16, !endsHTMLName(source[end]) { end += 1 }
    if isName(source[(index + 1)..<end]) { return tag }
  }
  return source.count
}

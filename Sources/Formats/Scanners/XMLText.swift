// XMLScanner: the text of an element, with its references decoded, or the markup inside it.

import Core

/// The text of an element.
///
/// Its bytes are valid until the scanner continues.
struct XMLText {
  let bytes: UnsafeBufferPointer<UInt8>
  /// Whether there were elements inside: then the bytes are markup, otherwise text with decoded references.
  let isMarkup: Bool
}

extension XMLScanner {
  /// Reads the text of the element that was opened last, up to its end tag.
  ///
  /// If there are elements inside, the text is their markup as HTML, without the prefixes of names.
  mutating func text() -> XMLText {
    let target = depth - 1
    scratch.removeAll()
    let start = position
    if let run = parseSingleRun() { return XMLText(bytes: run, isMarkup: false) }
    while true {
      switch next() {
      case .text(let range): appendDecoded(slice(range))
      case .literal(let range): scratch.append(slice(range))
      case .close where depth == target: return XMLText(bytes: scratch.bytes, isMarkup: false)
      case .close: break
      case .end: return XMLText(bytes: scratch.bytes, isMarkup: false)
      case .open(let element):
        pendingCloses = 0
        if element.isItem {
          closeBefore(element, at: target)
          return XMLText(bytes: scratch.bytes, isMarkup: false)
        }
        while depth > target + 1 { pop() }
        position = start
        return XMLText(bytes: markup(), isMarkup: true)
      }
    }
  }

  /// Reads one run of text or one CDATA section up to the element's own end tag, without a copy.
  ///
  /// This is the usual case. In any other case the result is nil, and nothing is read.
  mutating func parseSingleRun() -> UnsafeBufferPointer<UInt8>? {
    guard pendingCloses == 0, let leaf = open.last, var mark = first(UInt8(ascii: "<"), from: position) else {
      return nil
    }
    var run = position..<mark
    var isLiteral = false
    if matches("<![CDATA[", at: mark) {
      guard trimmed(slice(run)).isEmpty else { return nil }
      let start = position
      position = mark
      guard let literal = parseDeclaration() else { return nil }
      run = literal
      isLiteral = true
      skipBlanks(in: source, &position)
      mark = position
      position = start
    }
    let nameStart = mark + 2
    let end = nameStart + leaf.name.count
    guard end < source.count, source[mark] == UInt8(ascii: "<"), source[mark + 1] == UInt8(ascii: "/"),
      source[end] == UInt8(ascii: ">"), nameHash(slice(nameStart..<end)) == leaf.key
    else { return nil }
    position = end + 1
    pop()
    return isLiteral ? slice(run) : decoded(slice(run))
  }

  /// The bytes with their references decoded; the same bytes if there are none.
  mutating func decoded(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    guard firstIndex(of: UInt8(ascii: "&"), in: bytes, from: 0) != nil else { return bytes }
    scratch.removeAll()
    appendDecoded(bytes)
    return scratch.bytes
  }

  private mutating func appendDecoded(_ bytes: UnsafeBufferPointer<UInt8>) {
    let began = scratch.count
    var start = 0
    var index = 0
    var hasEscape = false
    while let ampersand = firstIndex(of: UInt8(ascii: "&"), in: bytes, from: index) {
      index = ampersand + 1
      guard let found = HTMLEntities.reference(in: bytes, at: ampersand) else { continue }
      scratch.append(UnsafeBufferPointer(rebasing: bytes[start..<ampersand]))
      if let scalar = found.scalar {
        scratch.append(scalar)
        if scalar.value < 0x20, isEscape(UInt8(scalar.value)) { hasEscape = true }
      }
      index = ampersand + found.length
      start = index
    }
    scratch.append(UnsafeBufferPointer(rebasing: bytes[start...]))
    guard hasEscape else { return }
    let clean = withoutControls(Array(scratch.bytes[began...]))
    scratch.truncate(to: began)
    clean.withUnsafeBufferPointer { scratch.append($0) }
  }

  /// The markup inside the element that was opened last, as HTML.
  ///
  /// CDATA sections in it are HTML already. What the document lacks, the markup lacks too: end tags, and the `>` of `x<a`,
  /// which is probably text. Addresses below a base inside the markup become absolute.
  private mutating func markup() -> UnsafeBufferPointer<UInt8> {
    let target = depth - 1
    let outerBases = bases.count
    scratch.removeAll()
    while true {
      switch next() {
      case .text(let range), .literal(let range):
        scratch.append(slice(range))
      case .open(let element):
        if element.isItem {
          closeBefore(element, at: target)
          return scratch.bytes
        }
        let start = scratch.count
        scratch.append(UInt8(ascii: "<"))
        scratch.append(localName(element.name))
        scratch.append(slice(element.attributes))
        let isCut = source[position - 1] != UInt8(ascii: ">")
        if !isCut || firstIndex(of: UInt8(ascii: "="), in: slice(element.attributes), from: 0) != nil {
          scratch.append(UInt8(ascii: ">"))
        }
        if bases.count > outerBases { resolveTag(from: start) }
      case .close:
        guard depth > target else { return scratch.bytes }
        guard pendingCloses == 0 else { continue }
        if let name = lastClosed?.name, !ElementTraits.of(nameHash(localName(name))).contains(.isVoid) {
          scratch.append("</")
          scratch.append(localName(name))
          scratch.append(UInt8(ascii: ">"))
        }
      case .end:
        return scratch.bytes
      }
    }
  }

  /// Makes the addresses of the tag at the end of `scratch` absolute.
  private mutating func resolveTag(from start: Int) {
    let tag = String(decoding: scratch.bytes[start...], as: UTF8.self)
    let new = ItemMarkup(text: tag, base: declaredBase).resolved(at: nil, &links)
    scratch.truncate(to: start)
    for byte in new.utf8 { scratch.append(byte) }
  }

  /// Goes back to the start tag of an item found inside a text whose end tag was forgotten.
  private mutating func closeBefore(_ item: Element, at target: Int) {
    pendingCloses = 0
    while depth > target { pop() }
    position = item.name.lowerBound - 1
  }

  private func localName(_ name: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    let bytes = slice(name)
    guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else { return bytes }
    return UnsafeBufferPointer(rebasing: bytes[(colon + 1)...])
  }
}

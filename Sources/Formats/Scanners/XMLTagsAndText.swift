// XMLScanner: tags with their attributes, comments, CDATA sections, document types and instructions; and the text of an element,
// with its references decoded, or the markup inside it.

import Core

/// An attribute of a start tag.
struct Attribute {
  /// The name without the prefix.
  let word: Word
  let prefix: NameHash?
  /// The value with undecoded references, without quotes.
  let value: Range<Int>
}

extension XMLScanner {
  /// Reads a start tag; nil if it is nested too deep and was skipped.
  mutating func parseStartTag() -> Event? {
    let start = position
    let name = name(from: start + 1)
    position = name.upperBound
    let bindingsBefore = bindings.count
    let isEmpty = parseAttributes()
    var attributesEnd = position
    if attributesEnd > name.upperBound, source[attributesEnd - 1] == ">" { attributesEnd -= 1 }
    if isEmpty { attributesEnd -= 1 }
    let (prefix, local) = parts(of: name)
    let element = Element(
      space: prefix.map { space(ofPrefix: $0) } ?? defaultSpace, word: Word(local), name: name,
      attributes: name.upperBound..<max(name.upperBound, attributesEnd))
    if element.isItem, itemDepth > 0 {
      // The end tag of the item before was forgotten. Close that item first, then come back to this tag.
      bindings.removeSubrange(bindingsBefore...)
      position = start
      pendingCloses = depth - itemDepth
      pop()
      return .close
    }
    guard depth < Self.maximumDepth else {
      bindings.removeSubrange(bindingsBefore...)
      skippedElements += 1
      return nil
    }
    push(OpenElement(key: prefix == nil ? local : nameHash(slice(name)), name: name))
    if element.isItem { itemDepth = depth }
    if let base = attributes.first(where: { $0.word == .base && $0.prefix != nil }) {
      pushBase(slice(base.value))
    }
    pendingCloses = isEmpty ? 1 : 0
    return .open(element)
  }

  /// Reads an end tag, and counts the elements that it closes as pending; false if it closes nothing.
  mutating func parseEndTag() -> Bool {
    let name = name(from: position + 2)
    var end = name.upperBound
    while end < source.count, source[end] != ">", source[end] != "<" { end += 1 }
    guard end < source.count else {
      // The document is cut off within the tag, which closes nothing.
      position = end
      return false
    }
    position = source[end] == ">" ? end + 1 : end
    guard let index = openElement(nameHash(slice(name))) else { return false }
    pendingCloses = open.count - index
    return true
  }

  func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    source.slice(range)
  }

  /// The name at a place, up to a byte that no name has.
  private func name(from start: Int) -> Range<Int> {
    var end = start
    while end < source.count, case let byte = source[end], !endsTagName(byte), byte != "<",
      byte != "="
    {
      end += 1
    }
    return start..<end
  }

  /// The parts of a name before and after its last colon.
  private func parts(of name: Range<Int>) -> (prefix: NameHash?, local: NameHash) {
    guard let colon = source[name].lastIndex(of: ":"), colon > name.lowerBound else {
      return (nil, nameHash(slice(name)))
    }
    return (nameHash(slice(name.lowerBound..<colon)), nameHash(slice((colon + 1)..<name.upperBound)))
  }

  /// Reads up to the tag's end, and returns whether the element is empty.
  ///
  /// A `<` ends a tag without `>`.
  private mutating func parseAttributes() -> Bool {
    attributes.removeAll(keepingCapacity: true)
    while let (name, value) = parseMarkupAttribute(in: source, &position, isStrict: true) {
      guard value.lowerBound > name.upperBound, attributes.count < Self.maximumAttributes else { continue }
      let (prefix, local) = parts(of: name)
      if (prefix ?? local) == Self.namespaceName {
        bind(prefix == nil ? nil : local, to: slice(value))
      } else {
        attributes.append(Attribute(word: Word(local), prefix: prefix, value: value))
      }
    }
    guard position < source.count, source[position] == ">" else { return false }
    position += 1
    return source[position - 2] == "/"
  }

  private static let namespaceName = nameHash("xmlns".utf8)
}

extension XMLScanner {
  /// Reads markup that begins with `<!`; returns the text of a CDATA section, nil for anything else.
  mutating func parseDeclaration() -> Range<Int>? {
    if matches("<![CDATA[", at: position) {
      let start = position + 9
      var end = first("]", from: start)
      while let found = end, !matches("]]>", at: found) { end = first("]", from: found + 1) }
      position = min(source.count, (end ?? source.count) + 3)
      return start..<(end ?? source.count)
    }
    if matches("<!--", at: position) {
      position = markupComment(in: source, at: position).end
    } else {
      parseDocumentType()
    }
    return nil
  }

  /// Reads the entities in the internal subset of a document type.
  private mutating func parseDocumentType() {
    var index = position + 2
    var isInSubset = false
    while index < source.count {
      switch source[index] {
      case ">" where !isInSubset:
        position = index + 1
        return
      case "[":
        isInSubset = true
      case "]":
        isInSubset = false
      case "<" where !isInSubset:
        // The `>` is missing.
        position = index
        return
      case "\"", "'":
        if isInSubset, let close = first(source[index], from: index + 1) { index = close }
      case "<" where matches("<!ENTITY", at: index):
        index = declareEntity(at: index)
      case "-" where isInSubset && matches("<!--", at: index - 2):
        index = markupComment(in: source, at: index - 2).end - 1
      default:
        break
      }
      index += 1
    }
    position = source.count
  }

  /// Reads the declaration of an entity, and returns the index of the last byte that was read.
  private mutating func declareEntity(at start: Int) -> Int {
    var index = start + 8
    skipBlanks(in: source, &index)
    let name = name(from: index)
    index = name.upperBound
    skipBlanks(in: source, &index)
    guard depth == 0, index < source.count,
      source[index] == "\"" || source[index] == "'",
      let end = first(source[index], from: index + 1)
    else {
      // The entity of another file, or a parameter entity.
      return name.lowerBound - 1
    }
    entities.declare(slice(name), slice((index + 1)..<end))
    return end
  }
}

// MARK: Text

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
  ///
  /// - Parameter isXHTML: whether CDATA sections beside elements are text, and not HTML.
  mutating func text(isXHTML: Bool = false) -> XMLText {
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
        return XMLText(bytes: markup(isXHTML: isXHTML), isMarkup: true)
      }
    }
  }

  /// Reads one run of text or one CDATA section up to the element's own end tag, without a copy.
  ///
  /// This is the usual case. In any other case the result is nil, and nothing is read.
  mutating func parseSingleRun() -> UnsafeBufferPointer<UInt8>? {
    guard pendingCloses == 0, let leaf = open.last, var mark = first("<", from: position) else {
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
    guard end < source.count, source[mark] == "<", source[mark + 1] == "/",
      source[end] == ">", nameHash(slice(nameStart..<end)) == leaf.key
    else { return nil }
    position = end + 1
    pop()
    return isLiteral ? slice(run) : decoded(slice(run))
  }

  /// The bytes with their references decoded; the same bytes if there are none.
  mutating func decoded(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    guard firstIndex(of: "&", in: bytes, from: 0) != nil else { return bytes }
    scratch.removeAll()
    appendDecoded(bytes)
    return scratch.bytes
  }

  /// - Parameter isEntity: whether it is the text of a declared entity, in which others are not replaced.
  private mutating func appendDecoded(_ bytes: UnsafeBufferPointer<UInt8>, isEntity: Bool = false) {
    let began = scratch.count
    var start = 0
    var index = 0
    var hasControl = false
    while let ampersand = firstIndex(of: "&", in: bytes, from: index) {
      index = ampersand + 1
      if !isEntity, !entities.isEmpty, let found = entities.text(in: bytes, at: ampersand) {
        scratch.append(bytes.slice(start..<ampersand))
        found.text.withUnsafeBufferPointer { appendDecoded($0, isEntity: true) }
        index = ampersand + found.length
        start = index
        continue
      }
      guard let found = CharacterReference(in: bytes, at: ampersand, .xml) else { continue }
      scratch.append(bytes.slice(start..<ampersand))
      scratch.append(scalar: found.scalar)
      if let second = found.second { scratch.append(scalar: second) }
      hasControl = hasControl || found.scalar.value < 0x20
      index = ampersand + found.length
      start = index
    }
    scratch.append(bytes.slice(start...))
    guard hasControl else { return }
    let clean = withoutControls(Array(scratch.bytes[began...]))
    scratch.truncate(to: began)
    clean.withUnsafeBufferPointer { scratch.append($0) }
  }

  /// The markup inside the element that was opened last, as HTML.
  ///
  /// CDATA sections in it are HTML already, except in XHTML. What the document lacks, the markup lacks too: end tags, and the `>` of `x<a`,
  /// which is probably text.
  private mutating func markup(isXHTML: Bool) -> UnsafeBufferPointer<UInt8> {
    let target = depth - 1
    scratch.removeAll()
    while true {
      switch next() {
      case .text(let range): appendMarkup(range)
      case .literal(let range) where isXHTML:
        var text = escapedMarkup(slice(range), for: .html)
        text.withUTF8 { scratch.append($0) }
      case .literal(let range): scratch.append(slice(range))
      case .open(let element):
        if element.isItem {
          closeBefore(element, at: target)
          return scratch.bytes
        }
        scratch.append("<")
        scratch.append(localName(element.name))
        appendMarkup(element.attributes)
        let isCut = source[position - 1] != ">"
        if !isCut || firstIndex(of: "=", in: slice(element.attributes), from: 0) != nil {
          scratch.append(">")
        }
      case .close:
        guard depth > target else { return scratch.bytes }
        guard pendingCloses == 0 else { continue }
        if let name = lastClosed?.name, !ElementTraits.of(nameHash(localName(name))).contains(.isVoid) {
          scratch.append("<")
          scratch.append("/")
          scratch.append(localName(name))
          scratch.append(">")
        }
      case .end:
        return scratch.bytes
      }
    }
  }

  /// Adds markup with the declared entities in it replaced; all other references are those of HTML.
  private mutating func appendMarkup(_ range: Range<Int>) {
    guard !entities.isEmpty else { return scratch.append(slice(range)) }
    var start = range.lowerBound
    var index = start
    while let ampersand = firstIndex(of: "&", in: slice(index..<range.upperBound), from: 0) {
      index += ampersand + 1
      guard let found = entities.text(in: slice((index - 1)..<range.upperBound), at: 0) else { continue }
      scratch.append(slice(start..<(index - 1)))
      found.text.withUnsafeBufferPointer { scratch.append($0) }
      index += found.length - 1
      start = index
    }
    scratch.append(slice(start..<range.upperBound))
  }

  /// Goes back to the start tag of an item found inside a text whose end tag was forgotten.
  private mutating func closeBefore(_ item: Element, at target: Int) {
    pendingCloses = 0
    while depth > target { pop() }
    position = item.name.lowerBound - 1
  }

  private func localName(_ name: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    let bytes = slice(name)
    guard let colon = bytes.lastIndex(of: ":") else { return bytes }
    return bytes.slice((colon + 1)...)
  }
}

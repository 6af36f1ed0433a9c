// XMLScanner: tags with their attributes, comments, CDATA sections, document types and instructions.

import Core

/// An attribute of a start tag.
struct Attribute {
  /// The name without the prefix.
  let word: Word
  let prefix: NameKey?
  /// The value with undecoded references, without quotes.
  let value: Range<Int>
}

extension XMLScanner {
  /// Reads a start tag; nil if it is nested too deep and was skipped.
  mutating func parseStartTag() -> Event? {
    let start = position
    let (name, colon) = nameRange(from: start + 1)
    position = name.upperBound
    let bindingsBefore = bindings.count
    let isEmpty = parseAttributes()
    var attributesEnd = position
    if attributesEnd > name.upperBound, source[attributesEnd - 1] == UInt8(ascii: ">") { attributesEnd -= 1 }
    if isEmpty { attributesEnd -= 1 }
    let local = colon.map { ($0 + 1)..<name.upperBound } ?? name
    let key = NameKey(slice(name))
    let space =
      colon.map { self.space(ofPrefix: NameKey(slice(name.lowerBound..<$0))) } ?? defaultSpace
    let element = Element(
      space: space, word: colon == nil ? key.word : NameKey(slice(local)).word, name: name,
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
    push(OpenElement(key: key, name: name))
    if element.isItem { itemDepth = depth }
    if let base = attributes.first(where: { $0.word == .base && $0.prefix != nil }) {
      pushBase(slice(base.value))
    }
    pendingCloses = isEmpty ? 1 : 0
    return .open(element)
  }

  /// Reads an end tag, and counts the elements that it closes as pending; false if it closes nothing.
  mutating func parseEndTag() -> Bool {
    let (name, _) = nameRange(from: position + 2)
    var end = name.upperBound
    while end < source.count, source[end] != UInt8(ascii: ">"), source[end] != UInt8(ascii: "<") { end += 1 }
    guard end < source.count else {
      // The document is cut off within the tag, which closes nothing.
      position = end
      return false
    }
    position = source[end] == UInt8(ascii: ">") ? end + 1 : end
    let key = NameKey(slice(name))
    guard let index = openElement(key) else { return false }
    pendingCloses = open.count - index
    return true
  }

  func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: source[range])
  }

  /// The name at a place, up to a byte that no name has, and the index of its last colon.
  private func nameRange(from start: Int) -> (name: Range<Int>, colon: Int?) {
    var index = start
    var colon: Int?
    while index < source.count {
      let byte = source[index]
      if byte <= 0x20 || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "<")
        || byte == UInt8(ascii: "=")
      {
        break
      }
      if byte == UInt8(ascii: ":"), index > start { colon = index }
      index += 1
    }
    return (start..<index, colon)
  }

  /// Reads up to the tag's end, and returns whether the element is empty.
  ///
  /// A `<` ends a tag without `>`.
  private mutating func parseAttributes() -> Bool {
    attributes.removeAll(keepingCapacity: true)
    while position < source.count {
      switch source[position] {
      case UInt8(ascii: ">"):
        position += 1
        return false
      case UInt8(ascii: "<"):
        return false
      case UInt8(ascii: "/") where position + 1 < source.count && source[position + 1] == UInt8(ascii: ">"):
        position += 2
        return true
      case UInt8(ascii: "/"), UInt8(ascii: "="), ...0x20:
        position += 1
      default:
        parseAttribute()
      }
    }
    return false
  }

  private mutating func parseAttribute() {
    let (name, colon) = nameRange(from: position)
    position = name.upperBound
    skipBlanks(in: source, &position)
    guard position < source.count, source[position] == UInt8(ascii: "=") else { return }
    position += 1
    skipBlanks(in: source, &position)
    let value = parseValue()
    guard attributes.count < Self.maximumAttributes else { return }
    let key = NameKey(slice((colon.map { $0 + 1 } ?? name.lowerBound)..<name.upperBound))
    let prefix = colon.map { NameKey(slice(name.lowerBound..<$0)) }
    if (prefix ?? key) == NameKey.xmlns {
      bind(prefix == nil ? nil : key, to: slice(value))
    } else {
      attributes.append(Attribute(word: key.word, prefix: prefix, value: value))
    }
  }

  /// Reads a value, in quotes of either kind or without.
  private mutating func parseValue() -> Range<Int> {
    guard position < source.count else { return position..<position }
    let quote = source[position]
    // A search fails once at most: then the rest of the document has no such quote.
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"), let end = first(quote, from: position + 1) {
      defer { position = end + 1 }
      return (position + 1)..<end
    }
    let start = position
    while position < source.count, source[position] > 0x20, source[position] != UInt8(ascii: ">"),
      source[position] != UInt8(ascii: "<")
    {
      position += 1
    }
    let isClosed = position < source.count && source[position] == UInt8(ascii: ">")
    if isClosed, position > start, source[position - 1] == UInt8(ascii: "/") { position -= 1 }
    return start..<position
  }
}

extension XMLScanner {
  /// Reads markup that begins with `<!`; returns the text of a CDATA section, nil for anything else.
  mutating func parseDeclaration() -> Range<Int>? {
    if matches("<![CDATA[", at: position) {
      let start = position + 9
      let end = firstRun(of: UInt8(ascii: "]"), before: UInt8(ascii: ">"), from: start)
      position = min(source.count, (end ?? source.count) + 3)
      return start..<(end ?? source.count)
    }
    if matches("<!--", at: position) {
      let end = firstRun(of: UInt8(ascii: "-"), before: UInt8(ascii: ">"), from: position + 4)
      position = end.map { $0 + 3 } ?? source.count
    } else {
      parseDocumentType()
    }
    return nil
  }

  /// The index of the next pair of a byte that is followed by an end byte, such as `-->`.
  private func firstRun(of byte: UInt8, before end: UInt8, from start: Int) -> Int? {
    var index = start
    while let found = first(byte, from: index) {
      if found + 2 < source.count, source[found + 1] == byte, source[found + 2] == end { return found }
      index = found + 1
    }
    return nil
  }

  /// Skips a document type with its internal subset.
  ///
  /// Entities declared there are ignored.
  private mutating func parseDocumentType() {
    var index = position + 2
    var isInSubset = false
    while index < source.count {
      switch source[index] {
      case UInt8(ascii: ">") where !isInSubset:
        position = index + 1
        return
      case UInt8(ascii: "["):
        isInSubset = !hasBrokenSubset
      case UInt8(ascii: "]"):
        isInSubset = false
      case UInt8(ascii: "<") where !isInSubset:
        // The `>` is missing.
        position = index
        return
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if isInSubset, let close = first(source[index], from: index + 1) { index = close }
      case UInt8(ascii: "-") where isInSubset && matches("<!--", at: index - 2):
        index =
          firstRun(of: UInt8(ascii: "-"), before: UInt8(ascii: ">"), from: index + 2).map { $0 + 2 }
          ?? source.count
      default:
        break
      }
      index += 1
    }
    if isInSubset {
      // A subset without end would hide the document. Read the document type again without a subset.
      hasBrokenSubset = true
      parseDocumentType()
    } else {
      position = source.count
    }
  }
}

// XMLScanner: tags with their attributes, comments, CDATA sections, document types and instructions.

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
    if attributesEnd > name.upperBound, source[attributesEnd - 1] == UInt8(ascii: ">") { attributesEnd -= 1 }
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
    while end < source.count, source[end] != UInt8(ascii: ">"), source[end] != UInt8(ascii: "<") { end += 1 }
    guard end < source.count else {
      // The document is cut off within the tag, which closes nothing.
      position = end
      return false
    }
    position = source[end] == UInt8(ascii: ">") ? end + 1 : end
    guard let index = openElement(nameHash(slice(name))) else { return false }
    pendingCloses = open.count - index
    return true
  }

  func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: source[range])
  }

  /// The name at a place, up to a byte that no name has.
  private func name(from start: Int) -> Range<Int> {
    var end = start
    while end < source.count, case let byte = source[end], !endsHTMLName(byte), byte != UInt8(ascii: "<"),
      byte != UInt8(ascii: "=")
    {
      end += 1
    }
    return start..<end
  }

  /// The parts of a name before and after its last colon.
  private func parts(of name: Range<Int>) -> (prefix: NameHash?, local: NameHash) {
    guard let colon = source[name].lastIndex(of: UInt8(ascii: ":")), colon > name.lowerBound else {
      return (nil, nameHash(slice(name)))
    }
    return (nameHash(slice(name.lowerBound..<colon)), nameHash(slice((colon + 1)..<name.upperBound)))
  }

  /// Reads up to the tag's end, and returns whether the element is empty.
  ///
  /// A `<` ends a tag without `>`.
  private mutating func parseAttributes() -> Bool {
    attributes.removeAll(keepingCapacity: true)
    while let (name, value) = parseHTMLAttribute(in: source, &position, isStrict: true) {
      guard value.lowerBound > name.upperBound, attributes.count < Self.maximumAttributes else { continue }
      let (prefix, local) = parts(of: name)
      if (prefix ?? local) == Self.namespaceName {
        bind(prefix == nil ? nil : local, to: slice(value))
      } else {
        attributes.append(Attribute(word: Word(local), prefix: prefix, value: value))
      }
    }
    guard position < source.count, source[position] == UInt8(ascii: ">") else { return false }
    position += 1
    return source[position - 2] == UInt8(ascii: "/")
  }

  private static let namespaceName = nameHash("xmlns".utf8)
}

extension XMLScanner {
  /// Reads markup that begins with `<!`; returns the text of a CDATA section, nil for anything else.
  mutating func parseDeclaration() -> Range<Int>? {
    if matches("<![CDATA[", at: position) {
      let start = position + 9
      var end = first(UInt8(ascii: "]"), from: start)
      while let found = end, !matches("]]>", at: found) { end = first(UInt8(ascii: "]"), from: found + 1) }
      position = min(source.count, (end ?? source.count) + 3)
      return start..<(end ?? source.count)
    }
    if matches("<!--", at: position) {
      position = endOfHTMLComment(in: source, at: position)
    } else {
      parseDocumentType()
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
        index = endOfHTMLComment(in: source, at: index - 2) - 1
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

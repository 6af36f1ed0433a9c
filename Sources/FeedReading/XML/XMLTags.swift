// The parts of XMLScanner that read tags and attributes.

/// An attribute of a start tag.
struct Attribute {
  /// Its name without the prefix.
  let word: Word
  /// Its prefix; nil if it has none.
  let prefix: NameKey?
  /// Its value in the document, references and all, quotes left out.
  let value: Range<Int>
}

extension XMLScanner {
  /// Reads a start tag; nil if it is nested too deep and was passed over.
  mutating func takeStartTag() -> Event? {
    let start = position
    let (name, colon) = nameRange(from: start + 1)
    position = name.upperBound
    let bindingsBefore = bindings.count
    let isEmpty = takeAttributes()
    var attributesEnd = position
    if attributesEnd > name.upperBound, source[attributesEnd - 1] == UInt8(ascii: ">") { attributesEnd -= 1 }
    if isEmpty { attributesEnd -= 1 }
    let local = colon.map { ($0 + 1)..<name.upperBound } ?? name
    let key = NameKey(slice(name))
    let space = colon.map { self.space(ofPrefix: NameKey(slice(name.lowerBound..<$0))) } ?? defaultSpace
    let element = Element(
      space: space, word: colon == nil ? key.word : NameKey(slice(local)).word, name: name,
      attributes: name.upperBound..<max(name.upperBound, attributesEnd))
    if element.isItem, itemDepth > 0 {
      // The end tag of the item before was forgotten: close that one first and come back to this tag.
      bindings.removeSubrange(bindingsBefore...)
      position = start
      pendingCloses = depth - itemDepth
      pop()
      return .close
    }
    guard depth < Self.maximumDepth else {
      bindings.removeSubrange(bindingsBefore...)
      passedOver += 1
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

  /// Reads an end tag; says whether it closes anything, and leaves all but one of what it closes pending.
  mutating func takeEndTag() -> Bool {
    let (name, _) = nameRange(from: position + 2)
    var end = name.upperBound
    while end < source.count, source[end] != UInt8(ascii: ">"), source[end] != UInt8(ascii: "<") { end += 1 }
    guard end < source.count else {
      // The document breaks off within the tag, which therefore closes nothing.
      position = end
      return false
    }
    position = source[end] == UInt8(ascii: ">") ? end + 1 : end
    let key = NameKey(slice(name))
    guard let index = openElement(key) else { return false }
    pendingCloses = open.count - index
    return true
  }

  /// The bytes of a range.
  func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: source[range])
  }

  /// The name at a place, up to a byte that no name has, and where the last colon in it is.
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

  /// Reads up to the tag's end and says whether the element is empty; a `<` ends a tag whose `>` was
  /// forgotten.
  private mutating func takeAttributes() -> Bool {
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
        takeAttribute()
      }
    }
    return false
  }

  private mutating func takeAttribute() {
    let (name, colon) = nameRange(from: position)
    position = name.upperBound
    skipBlanks()
    guard position < source.count, source[position] == UInt8(ascii: "=") else { return }
    position += 1
    skipBlanks()
    let value = takeValue()
    guard attributes.count < Self.maximumAttributes else { return }
    let key = NameKey(slice((colon.map { $0 + 1 } ?? name.lowerBound)..<name.upperBound))
    let prefix = colon.map { NameKey(slice(name.lowerBound..<$0)) }
    if (prefix ?? key) == NameKey.xmlns {
      bind(prefix == nil ? nil : key, to: slice(value))
    } else {
      attributes.append(Attribute(word: key.word, prefix: prefix, value: value))
    }
  }

  /// Reads a value in quotes of either kind, or without.
  private mutating func takeValue() -> Range<Int> {
    guard position < source.count else { return position..<position }
    let quote = source[position]
    // A search in vain is the last one for its kind of quote: there is none further on.
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

  private mutating func skipBlanks() {
    while position < source.count, source[position] <= 0x20 { position += 1 }
  }
}

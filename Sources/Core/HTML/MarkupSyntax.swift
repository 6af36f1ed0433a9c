// The syntax that HTML and XML share: attributes and comments; the search for a byte, and names by their hashes.

/// The index of the first occurrence of a byte at or after a start; nil if there is none.
func nextIndex(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
  let raw = UnsafeRawBufferPointer(bytes)
  let ones: UInt64 = 0x0101_0101_0101_0101
  var index = start
  // Eight bytes at a time: a byte that is found is the lowest one from which a one cannot be taken.
  while index + 8 <= raw.count {
    let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian ^ (ones &* UInt64(byte))
    let found = (word &- ones) & ~word & (ones &* 0x80)
    if found != 0 { return index + found.trailingZeroBitCount / 8 }
    index += 8
  }
  return (min(index, raw.count)..<raw.count).first { raw[$0] == byte }
}

/// Moves a position past white space.
@inlinable public func skipBlanks(in source: UnsafeBufferPointer<UInt8>, _ position: inout Int) {
  while position < source.count, isMarkupBlank(source[position]) { position += 1 }
}

/// Whether a byte separates attributes: a tab, line feed, form feed, carriage return or blank.
@inlinable public func isMarkupBlank(_ byte: UInt8) -> Bool {
  byte <= 0x20 && 0x1_0000_3600 &>> UInt64(byte) & 1 != 0
}

/// Whether a byte ends the name of a tag.
@inlinable public func endsTagName(_ byte: UInt8) -> Bool {
  isMarkupBlank(byte) || byte == "/" || byte == ">"
}

/// Reads the next attribute of a tag; nil at the tag's `>`, which is not taken, or at the end of the document.
///
/// Only with `=` the value begins after the end of the name.
///
/// - Parameter isStrict: whether a `<` ends the tag, a value without its second quote ends like one without quotes, and a `/>`
///   is not part of a value.
public func parseMarkupAttribute(
  in source: UnsafeBufferPointer<UInt8>, _ position: inout Int, isStrict: Bool = false
) -> (name: Range<Int>, value: Range<Int>)? {
  func endsTag(_ byte: UInt8) -> Bool { byte == ">" || isStrict && byte == "<" }
  while position < source.count, isMarkupBlank(source[position]) || source[position] == "/" {
    position += 1
  }
  guard position < source.count, !endsTag(source[position]) else { return nil }
  let start = position
  position += 1
  // All bytes that end something are at or below ">".
  while position < source.count, case let byte = source[position],
    byte > 0x3E || !endsTagName(byte) && !endsTag(byte) && byte != "="
  {
    position += 1
  }
  let name = start..<position
  skipBlanks(in: source, &position)
  guard position < source.count, source[position] == "=" else {
    return (name, name.upperBound..<name.upperBound)
  }
  position += 1
  skipBlanks(in: source, &position)
  guard position < source.count else { return (name, position..<position) }
  let (quote, first) = (source[position], position)
  if quote == "\"" || quote == "'",
    case let close = nextIndex(of: quote, in: source, from: first + 1), close != nil || !isStrict
  {
    // A missing quote is at the end of the document.
    let end = close ?? source.count
    position = min(end + 1, source.count)
    return (name, (first + 1)..<end)
  }
  while position < source.count, !isMarkupBlank(source[position]), !endsTag(source[position]) {
    position += 1
  }
  let isClosed = position < source.count && source[position] == ">"
  if isStrict, isClosed, position > first, source[position - 1] == "/" { position -= 1 }
  return (name, first..<position)
}

/// The content and the end of a comment that begins with `<!--` at an index (HTML standard, section 13.2.5.43).
///
/// It ends with `-->` or `--!>`; `<!-->` and `<!--->` are also whole comments.
public func markupComment(
  in source: UnsafeBufferPointer<UInt8>, at tag: Int
) -> (content: Range<Int>, end: Int) {
  let start = tag + 4
  func content(to end: Int) -> Range<Int> { start..<max(start, end) }
  func hasDashes(before end: Int) -> Bool {
    end - 2 >= start && source[end - 1] == "-" && source[end - 2] == "-"
  }
  var index = start
  while let end = nextIndex(of: ">", in: source, from: index) {
    if end == start || end == start + 1 && source[start] == "-" { return (content(to: start), end + 1) }
    if hasDashes(before: end) { return (content(to: end - 2), end + 1) }
    if source[end - 1] == "!", hasDashes(before: end - 1) {
      return (content(to: end - 3), end + 1)
    }
    index = end + 1
  }
  // A comment without an end loses the beginning of one.
  var end = source.count
  if end > start, source[end - 1] == "!", hasDashes(before: end - 1) { end -= 1 }
  if end > start, source[end - 1] == "-" { end -= hasDashes(before: end) ? 2 : 1 }
  return (content(to: end), source.count)
}

/// The hash of the name of an element or attribute.
///
/// A document with colliding names is only itself misread.
public typealias NameHash = UInt32

/// The hash of a name in upper or lower case; neither 0 nor 1.
@inlinable
public func nameHash(_ name: some Collection<UInt8>) -> NameHash {
  func hash(_ name: UnsafeBufferPointer<UInt8>) -> NameHash {
    var hash = UInt64(name.count)
    var index = 0
    // Eight bytes at a time, with the bit set that makes letters lower case.
    while index < name.count {
      var word: UInt64 = 0
      if index + 8 <= name.count {
        word = UnsafeRawBufferPointer(name).loadUnaligned(fromByteOffset: index, as: UInt64.self)
      } else {
        for byte in name[index...] { word = word << 8 | UInt64(byte) }
      }
      hash = (hash ^ (word | 0x2020_2020_2020_2020)) &* 0xFF51_AFD7_ED55_8CCD
      hash ^= hash >> 32
      index += 8
    }
    return NameHash(truncatingIfNeeded: hash) | 2
  }
  return name.withContiguousStorageIfAvailable(hash) ?? Array(name).withUnsafeBufferPointer(hash)
}

/// The hashes of names with blanks between them.
public func nameHashes(_ names: String) -> Set<NameHash> {
  Set(names.split(separator: " ").map { nameHash($0.utf8) })
}

/// Values by names of markup, in a hash table with open addressing: faster than a dictionary.
public struct NameTable<Value: Sendable>: Sendable {
  @usableFromInline let slots: [(name: NameHash, value: Value?)]

  /// A table of far fewer than 512 names.
  public init(_ values: [(name: String, value: Value)]) {
    var slots = [(name: NameHash, value: Value?)](repeating: (0, nil), count: 512)
    for (name, value) in values {
      let hash = nameHash(name.utf8)
      var slot = Int(hash >> 2 & 511)
      while slots[slot].value != nil { slot = (slot + 1) & 511 }
      slots[slot] = (hash, value)
    }
    self.slots = slots
  }

  /// The value of the name with a hash.
  @inlinable public subscript(name: NameHash) -> Value? {
    var slot = Int(name >> 2 & 511)
    while slots[slot].value != nil, slots[slot].name != name { slot = (slot + 1) & 511 }
    return slots[slot].value
  }
}

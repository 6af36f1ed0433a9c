// The parts of the markup of HTML, and where elements without markup end (HTML standard, section 13.2.5, much reduced).
// XMLScanner reads attributes with it, too.

/// The index of the first occurrence of a byte at or after a start; nil if there is none.
func firstIndex(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
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
  while position < source.count, source[position] <= 0x20 { position += 1 }
}

/// The kind of a piece of markup.
public enum HTMLMarkup: Sendable {
  /// A start tag.
  case start
  /// An end tag.
  case end
  /// A comment, declaration or instruction.
  case comment
}

/// The kind of the markup that begins with the `<` at an index; nil if it is text.
func htmlMarkup(in source: UnsafeBufferPointer<UInt8>, at index: Int) -> HTMLMarkup? {
  guard index + 1 < source.count else { return nil }
  switch source[index + 1] {
  case UInt8(ascii: "!"), UInt8(ascii: "?"): return .comment
  case UInt8(ascii: "/"): return index + 2 < source.count && source[index + 2].isASCIILetter ? .end : nil
  case let byte: return byte.isASCIILetter ? .start : nil
  }
}

/// The place and the kind of the next markup at or after a start; nil if there is none.
public func nextHTMLMarkup(
  in source: UnsafeBufferPointer<UInt8>, from start: Int
) -> (index: Int, kind: HTMLMarkup)? {
  var index = start
  while let mark = firstIndex(of: UInt8(ascii: "<"), in: source, from: index) {
    if let kind = htmlMarkup(in: source, at: mark) { return (mark, kind) }
    index = mark + 1
  }
  return nil
}

/// Whether a byte ends the name of a tag.
@inlinable public func endsHTMLName(_ byte: UInt8) -> Bool {
  byte <= 0x20 || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
}

/// Reads the name of a tag.
public func parseHTMLName(in source: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> NameHash {
  let start = position
  while position < source.count, !endsHTMLName(source[position]) { position += 1 }
  return nameHash(source[start..<position])
}

/// Reads the next attribute of a tag; nil at the tag's `>`, which is not taken, or at the end of the page.
///
/// Only with `=` the value begins after the end of the name.
///
/// - Parameter isStrict: whether a `<` ends the tag, a value without its second quote ends like one without quotes, and a `/>`
///   is not part of a value.
public func parseHTMLAttribute(
  in source: UnsafeBufferPointer<UInt8>, _ position: inout Int, isStrict: Bool = false
) -> (name: Range<Int>, value: Range<Int>)? {
  func endsTag(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ">") || isStrict && byte == UInt8(ascii: "<") }
  while position < source.count, source[position] <= 0x20 || source[position] == UInt8(ascii: "/") {
    position += 1
  }
  guard position < source.count, !endsTag(source[position]) else { return nil }
  let start = position
  position += 1
  while position < source.count, case let byte = source[position], !endsHTMLName(byte), !endsTag(byte),
    byte != UInt8(ascii: "=")
  {
    position += 1
  }
  let name = start..<position
  skipBlanks(in: source, &position)
  guard position < source.count, source[position] == UInt8(ascii: "=") else {
    return (name, name.upperBound..<name.upperBound)
  }
  position += 1
  skipBlanks(in: source, &position)
  guard position < source.count else { return (name, position..<position) }
  let (quote, first) = (source[position], position)
  if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
    case let close = firstIndex(of: quote, in: source, from: first + 1), close != nil || !isStrict
  {
    // A missing quote is at the end of the page.
    let end = close ?? source.count
    position = min(end + 1, source.count)
    return (name, (first + 1)..<end)
  }
  while position < source.count, source[position] > 0x20, !endsTag(source[position]) { position += 1 }
  let isClosed = position < source.count && source[position] == UInt8(ascii: ">")
  if isStrict, isClosed, position > first, source[position - 1] == UInt8(ascii: "/") { position -= 1 }
  return (name, first..<position)
}

/// The place after a declaration, comment or instruction that begins with `<!` or `<?`.
public func endOfHTMLComment(in source: UnsafeBufferPointer<UInt8>, at tag: Int) -> Int {
  guard source[tag...].starts(with: "<!--".utf8) else {
    return firstIndex(of: UInt8(ascii: ">"), in: source, from: tag + 1).map { $0 + 1 } ?? source.count
  }
  // `<!-->` and `<!--->` are also whole comments.
  var index = tag + 4
  while let end = firstIndex(of: UInt8(ascii: ">"), in: source, from: index) {
    if source[end - 1] == UInt8(ascii: "-"), source[end - 2] == UInt8(ascii: "-") { return end + 1 }
    index = end + 1
  }
  return source.count
}

/// The place of the end tag of an element without markup inside, such as `script`, or the end of the page.
public func endOfRawHTML(
  in source: UnsafeBufferPointer<UInt8>, from start: Int, _ name: NameHash
) -> Int {
  var index = start
  while let tag = firstIndex(of: UInt8(ascii: "<"), in: source, from: index) {
    index = tag + 1
    guard index < source.count, source[index] == UInt8(ascii: "/") else { continue }
    var end = index + 1
    while end < source.count, end - index < 16, !endsHTMLName(source[end]) { end += 1 }
    if nameHash(source[(index + 1)..<end]) == name { return tag }
  }
  return source.count
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

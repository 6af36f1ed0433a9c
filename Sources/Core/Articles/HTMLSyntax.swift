// The parts of a tag of HTML, and where elements without markup end (HTML standard, section 13.2.5, much reduced).

/// The index of the first occurrence of a byte at or after a start; nil if there is none.
func firstIndex(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
  bytes[min(start, bytes.count)...].firstIndex(of: byte)
}

/// Moves a position past white space.
@inlinable public func skipBlanks(in source: UnsafeBufferPointer<UInt8>, _ position: inout Int) {
  while position < source.count, source[position] <= 0x20 { position += 1 }
}

/// Reads the value of an attribute, in quotes of either kind or without; a missing quote is at the end of the page.
public func parseHTMLValue(in source: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Range<Int> {
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
@inlinable public func endsHTMLName(_ byte: UInt8) -> Bool {
  byte <= 0x20 || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
}

/// Reads the next attribute of a tag; nil at the tag's `>`, which is not taken, or at the end of the page.
public func parseHTMLAttribute(
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
public func endOfHTMLComment(in source: UnsafeBufferPointer<UInt8>, at tag: Int) -> Int {
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
public func endOfRawHTML(
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

/// The hash of the name of an element or attribute.
///
/// A page with colliding names only makes selectors match wrong elements of that page.
public typealias NameHash = UInt32

/// The hash of a name in upper or lower case (FNV-1a, folded); neither 0 nor 1.
@inlinable
public func nameHash(_ name: some Sequence<UInt8>) -> NameHash {
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  for byte in name { hash = (hash ^ UInt64(asciiLowercased(byte))) &* 0x100_0000_01B3 }
  return NameHash(truncatingIfNeeded: hash ^ hash >> 32) | 2
}

/// Whether an address is on the web or of a mail, so that an article of ours may link to it.
func isHarmlessAddress(_ address: String) -> Bool {
  let start = address.prefix(8).lowercased()
  return ["http://", "https://", "mailto:"].contains(where: start.hasPrefix)
}

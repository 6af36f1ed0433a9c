// The parts of an HTML tag that HTMLTagScanner and HTMLTreeBuilder read by the same rules (HTML standard, section 13.2.5,
// much reduced). XML has rules of its own, because a `<` ends a broken tag there.

/// Moves a position past white space.
func skipBlanks(in source: UnsafeBufferPointer<UInt8>, _ position: inout Int) {
  while position < source.count, source[position] <= 0x20 { position += 1 }
}

/// Reads the value of an attribute, in quotes of either kind or without; a missing quote is at the end of the page.
func takeHTMLValue(in source: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Range<Int> {
  guard position < source.count else { return position..<position }
  let quote = source[position]
  if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
    let start = position + 1
    let end = place(of: quote, in: source, from: start) ?? source.count
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

// The parts of XMLScanner that read what is neither tag nor text: comments, CDATA, document types, instructions.

extension XMLScanner {
  /// Reads what begins with `<!`; gives the text of a CDATA section, nil for anything else.
  mutating func takeDeclaration() -> Range<Int>? {
    if stands("<![CDATA[", at: position) {
      let start = position + 9
      let end = firstRun(of: UInt8(ascii: "]"), before: UInt8(ascii: ">"), from: start)
      position = min(source.count, (end ?? source.count) + 3)
      return start..<(end ?? source.count)
    }
    if stands("<!--", at: position) {
      let end = firstRun(of: UInt8(ascii: "-"), before: UInt8(ascii: ">"), from: position + 4)
      position = end.map { $0 + 3 } ?? source.count
    } else {
      takeDocumentType()
    }
    return nil
  }

  /// Reads `<?…?>`, up to the first `>`: a forgotten `?` must not hide the document.
  mutating func takeInstruction() {
    position = first(UInt8(ascii: ">"), from: position + 2).map { $0 + 1 } ?? source.count
  }

  /// The place of the next `cc` that stands right before an end byte.
  private func firstRun(of byte: UInt8, before end: UInt8, from start: Int) -> Int? {
    var index = start
    while let found = first(byte, from: index) {
      if found + 2 < source.count, source[found + 1] == byte, source[found + 2] == end { return found }
      index = found + 1
    }
    return nil
  }

  /// Skips a declaration, an internal subset with it.
  ///
  /// Entities declared there stay unknown: nothing is expanded.
  private mutating func takeDocumentType() {
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
        // The `>` was forgotten.
        position = index
        return
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if isInSubset, let close = first(source[index], from: index + 1) { index = close }
      case UInt8(ascii: "-") where isInSubset && stands("<!--", at: index - 2):
        index =
          firstRun(of: UInt8(ascii: "-"), before: UInt8(ascii: ">"), from: index + 2).map { $0 + 2 }
          ?? source.count
      default:
        break
      }
      index += 1
    }
    if isInSubset {
      // A subset without end would hide the document; without the subset there may be one.
      hasBrokenSubset = true
      takeDocumentType()
    } else {
      position = source.count
    }
  }
}

// A tolerant JSON scanner for documents as they are found on the web, and short descriptions of what it finds.
// The readers in Formats give members their meaning. Push payloads are read strictly, by Core's JSONParser.

import Core

/// A scanner that goes through a JSON document value by value.
///
/// Values that a reader does not want are skipped without being built, however deep they are nested. So are values of
/// an unexpected type. Superfluous commas are ignored. A document that is cut off or is not JSON sets `isBroken`, and
/// nothing more is read from it.
struct JSONScanner: ~Copyable {
  private let source: UnsafeBufferPointer<UInt8>
  private(set) var position = 0
  /// Whether the document is cut off or is not JSON.
  private(set) var isBroken = false
  private var scratch = ByteBuffer()
  /// Ends the scan; then `isBroken` is true.
  private(set) var stopCheck: StopCheck

  /// The document must outlive the scanner and be valid UTF-8.
  init(_ source: UnsafeBufferPointer<UInt8>, shouldStop: @escaping ShouldStop = { false }) {
    (self.source, stopCheck) = (source, StopCheck(shouldStop))
  }

  /// The first byte of the next token; 0 at the end.
  mutating func peek() -> UInt8 {
    while position < source.count, source[position] <= 0x20 { position += 1 }
    if stopCheck.stops(at: position) { fail() }
    return position < source.count ? source[position] : 0
  }

  /// Goes back to the beginning of a value.
  mutating func rewind(to offset: Int) {
    position = offset
  }

  /// Enters the next value if it begins with a bracket; otherwise skips it and returns false.
  mutating func enter(_ bracket: Unicode.Scalar) -> Bool {
    guard peek() == UInt8(ascii: bracket), !isBroken else {
      skip()
      return false
    }
    position += 1
    return true
  }

  /// The name of the object's next member, whose value must be read or skipped; nil at the object's end.
  mutating func nextName() -> Word? {
    nextMember().map { Word(nameHash($0)) }
  }

  /// The name of the object's next member as written, valid until the scanner continues; nil at the object's end.
  ///
  /// The member's value must be read or skipped.
  mutating func nextMember() -> UnsafeBufferPointer<UInt8>? {
    guard hasMore(before: "}") else { return nil }
    guard peek() == "\"", let name = parseString() else {
      fail()
      return nil
    }
    guard peek() == ":" else {
      fail()
      return nil
    }
    position += 1
    return name
  }

  /// Whether the array has another value, which must be read or skipped.
  mutating func nextValue() -> Bool {
    hasMore(before: "]")
  }

  private mutating func hasMore(before end: UInt8) -> Bool {
    while !isBroken {
      switch peek() {
      case ",": position += 1
      case end:
        position += 1
        return false
      case 0:
        fail()
      default: return true
      }
    }
    return false
  }

  /// The bytes of the next string or number, valid until the scanner continues; nil if it is another value, which is
  /// skipped.
  mutating func text() -> UnsafeBufferPointer<UInt8>? {
    let first = peek()
    if first == "\"" || first == "-" || first.isASCIIDigit { return scalar() }
    skip()
    return nil
  }

  /// The bytes of the next string, number or word (`true`, `false`, `null`), valid until the scanner continues; nil if it is
  /// an object or array, which is skipped.
  mutating func scalar() -> UnsafeBufferPointer<UInt8>? {
    let first = peek()
    if first == "\"" { return parseString() }
    guard first != "{", first != "[" else {
      skip()
      return nil
    }
    let start = position
    skip()
    return isBroken ? nil : source.slice(start..<position)
  }

  /// Skips the next value.
  mutating func skip() {
    var depth = 0
    repeat {
      switch peek() {
      case "{", "[":
        depth += 1
        position += 1
      case "}", "]":
        depth -= 1
        position += 1
        if depth < 0 { fail() }
      case "\"":
        skipString()
      case ",", ":":
        position += 1
        if depth == 0 { fail() }
      case 0:
        fail()
      default:
        skipWord()
      }
    } while depth > 0 && !isBroken
  }

  private mutating func fail() {
    isBroken = true
    position = source.count
  }

  private mutating func skipWord() {
    let start = position
    while position < source.count {
      let byte = source[position]
      guard byte.isASCIILetter || byte.isASCIIDigit || "+-.".utf8.contains(byte) else {
        if position == start { fail() }
        return
      }
      position += 1
    }
    // The document is cut off here: only an object or array can end it.
    fail()
  }

  private mutating func skipString() {
    var index = position + 1
    while let quote = firstIndex(of: "\"", in: source, from: index) {
      var backslashes = 0
      while source[quote - 1 - backslashes] == "\\" { backslashes += 1 }
      if backslashes % 2 == 0 {
        position = quote + 1
        return
      }
      index = quote + 1
    }
    fail()
  }

  /// Reads the string here, without a copy if nothing in it is escaped.
  private mutating func parseString() -> UnsafeBufferPointer<UInt8>? {
    let start = position + 1
    skipString()
    guard !isBroken else { return nil }
    let bytes = source.slice(start..<(position - 1))
    guard let escape = bytes.firstIndex(of: "\\") else { return bytes }
    scratch.removeAll()
    scratch.append(bytes.slice(..<escape))
    unescape(bytes.slice(escape...))
    guard scratch.bytes.contains(where: isEscape) else { return scratch.bytes }
    // A terminal escape sequence can be recognised only in the unescaped text.
    let clean = withoutControls(Array(scratch.bytes))
    scratch.removeAll()
    clean.withUnsafeBufferPointer { scratch.append($0) }
    return scratch.bytes
  }

  private mutating func unescape(_ bytes: UnsafeBufferPointer<UInt8>) {
    var index = 0
    while index < bytes.count {
      guard bytes[index] == "\\", index + 1 < bytes.count else {
        let start = index
        repeat { index += 1 } while index < bytes.count && bytes[index] != "\\"
        scratch.append(bytes.slice(start..<index))
        continue
      }
      let escaped = bytes[index + 1]
      index += 2
      switch escaped {
      case "n": scratch.append("\n")
      case "t": scratch.append("\t")
      case "r", "b", "f": scratch.append(" ")
      case "u": unescapeUnit(bytes, &index)
      case ..<0x80: scratch.append(escaped)
      default: index -= 1  // A backslash before a multi-byte character means nothing.
      }
    }
  }

  /// Reads the digits after `\u`, with the second surrogate of a pair.
  ///
  /// Unpaired surrogates and control characters are dropped.
  private mutating func unescapeUnit(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
    guard var code = unit(bytes, index) else { return }
    index += 4
    if (0xD800...0xDBFF).contains(code), index + 1 < bytes.count, bytes[index] == "\\",
      bytes[index + 1] == "u", let low = unit(bytes, index + 2), (0xDC00...0xDFFF).contains(low)
    {
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      index += 6
    }
    // ESC and BEL are removed with their sequences, once the text is complete.
    let isKept = code < 0x20 && isEscape(UInt8(code))
    guard code >= 0x20 || code == 0x09 || code == 0x0A || isKept, let scalar = Unicode.Scalar(code) else {
      return
    }
    scratch.append(scalar: scalar)
  }

  private func unit(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt32? {
    guard start + 4 <= bytes.count else { return nil }
    var value: UInt32 = 0
    for byte in bytes[start..<(start + 4)] {
      guard let digit = byte.hexDigitValue else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}

extension JSONScanner {
  /// Skips the next value, and returns what it is, for example `an object with message, status`.
  mutating func shape() -> String {
    switch peek() {
    case "{": objectShape()
    case "[": arrayShape()
    case "\"": skipping("a string")
    case "n": skipping("null")
    case "t", "f": skipping("a boolean")
    default: skipping("a number")
    }
  }

  private mutating func skipping(_ words: String) -> String {
    skip()
    return words
  }

  private mutating func arrayShape() -> String {
    guard enter("[") else { return "an array" }
    var count = 0
    while nextValue() {
      skip()
      count += 1
    }
    return count == 0 ? "an empty array" : "an array of \(count)"
  }

  private mutating func objectShape() -> String {
    guard enter("{") else { return "an object" }
    var names: [String] = []
    var others = 0
    while let name = nextMember() {
      if names.count < 8 {
        let start = UnsafeBufferPointer(rebasing: name.prefix(100))
        names.append(cleanText(String(decoding: start, as: UTF8.self), limit: 40))
      } else {
        others += 1
      }
      skip()
    }
    guard !names.isEmpty else { return "an empty object" }
    return "an object with " + names.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
  }
}

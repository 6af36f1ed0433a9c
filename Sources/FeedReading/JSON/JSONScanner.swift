// JSON as it is found on the web, member by member. What the members mean is JSONFeedReader's business.

import Core

/// A walk over a JSON document.
///
/// Values that nobody asks for are passed over without being built, however deep they are nested, and a value of another
/// type than expected is one too. A comma too many is no fault. A document that ends too early, or holds what is no JSON,
/// is `isBroken`, and nothing more is read from it.
struct JSONScanner: ~Copyable {
  private let source: UnsafeBufferPointer<UInt8>
  private(set) var position = 0
  /// Whether it turned out to be no JSON, or not all of it.
  private(set) var isBroken = false
  private var scratch = ByteBuffer()
  private let isExact: Bool
  /// Whether the walk was stopped; then it is broken.
  private(set) var isStopped = false
  private let shouldStop: ShouldStop
  /// The place from which on it is asked again whether to stop.
  private var nextAsk = askingDistance

  /// A walk over a document, which must outlive it and be valid UTF-8.
  ///
  /// With `isExact` escaped control characters are kept, and half of a pair alone is U+FFFD; without it both are dropped.
  init(
    _ source: UnsafeBufferPointer<UInt8>, isExact: Bool = false, shouldStop: @escaping ShouldStop = { false }
  ) {
    self.source = source
    self.isExact = isExact
    self.shouldStop = shouldStop
  }

  /// The first byte of what comes next; 0 at the end.
  mutating func peek() -> UInt8 {
    while position < source.count, source[position] <= 0x20 { position += 1 }
    if position >= nextAsk { ask() }
    return position < source.count ? source[position] : 0
  }

  private mutating func ask() {
    nextAsk = position + askingDistance
    isStopped = isStopped || shouldStop()
    if isStopped { fail() }
  }

  /// Goes back to a place where a value begins.
  mutating func rewind(to place: Int) {
    position = place
  }

  /// Goes into the object or array that comes next; false, and the value is passed over, if it is none.
  mutating func enter(_ bracket: Unicode.Scalar) -> Bool {
    guard peek() == UInt8(ascii: bracket), !isBroken else {
      skip()
      return false
    }
    position += 1
    return true
  }

  /// The name of the object's next member; nil at its end.
  ///
  /// The member's value has to be read or skipped.
  mutating func nextName() -> Word? {
    nextMember().map { NameKey($0).word }
  }

  /// The name of the object's next member as it is, valid until the walk goes on; nil at its end.
  ///
  /// The member's value has to be read or skipped.
  mutating func nextMember() -> UnsafeBufferPointer<UInt8>? {
    guard goesOn(to: UInt8(ascii: "}")) else { return nil }
    guard peek() == UInt8(ascii: "\""), let name = takeString() else {
      fail()
      return nil
    }
    guard peek() == UInt8(ascii: ":") else {
      fail()
      return nil
    }
    position += 1
    return name
  }

  /// Whether the array goes on; its next value has to be read or skipped.
  mutating func nextValue() -> Bool {
    goesOn(to: UInt8(ascii: "]"))
  }

  private mutating func goesOn(to end: UInt8) -> Bool {
    while !isBroken {
      switch peek() {
      case UInt8(ascii: ","): position += 1
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

  /// The bytes of the string or number that comes next, valid until the walk goes on; nil, and the value is
  /// passed over, if it is none.
  mutating func text() -> UnsafeBufferPointer<UInt8>? {
    switch peek() {
    case UInt8(ascii: "\""):
      return takeString()
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      let start = position
      skip()
      return isBroken ? nil : UnsafeBufferPointer(rebasing: source[start..<position])
    default:
      skip()
      return nil
    }
  }

  /// Passes over the value that comes next.
  mutating func skip() {
    var depth = 0
    repeat {
      switch peek() {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        position += 1
        if depth < 0 { fail() }
      case UInt8(ascii: "\""):
        skipString()
      case UInt8(ascii: ","), UInt8(ascii: ":"):
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
      switch source[position] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
        position += 1
      default:
        if position == start { fail() }
        return
      }
    }
    // Only an object or array ends a document.
    fail()
  }

  private mutating func skipString() {
    var index = position + 1
    while let quote = place(of: UInt8(ascii: "\""), in: source, from: index) {
      var backslashes = 0
      while source[quote - 1 - backslashes] == UInt8(ascii: "\\") { backslashes += 1 }
      if backslashes % 2 == 0 {
        position = quote + 1
        return
      }
      index = quote + 1
    }
    fail()
  }

  /// Reads the string here, in place where nothing in it is escaped.
  private mutating func takeString() -> UnsafeBufferPointer<UInt8>? {
    let start = position + 1
    skipString()
    guard !isBroken else { return nil }
    let bytes = UnsafeBufferPointer(rebasing: source[start..<(position - 1)])
    guard let escape = bytes.firstIndex(of: UInt8(ascii: "\\")) else { return bytes }
    scratch.removeAll()
    scratch.append(UnsafeBufferPointer(rebasing: bytes[..<escape]))
    unescape(UnsafeBufferPointer(rebasing: bytes[escape...]))
    guard !isExact, scratch.bytes.contains(where: isEscape) else { return scratch.bytes }
    // Only now it can be seen how far a terminal escape sequence goes.
    let clean = withoutControls(Array(scratch.bytes))
    scratch.removeAll()
    clean.withUnsafeBufferPointer { scratch.append($0) }
    return scratch.bytes
  }

  private mutating func unescape(_ bytes: UnsafeBufferPointer<UInt8>) {
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else {
        let start = index
        repeat { index += 1 } while index < bytes.count && bytes[index] != UInt8(ascii: "\\")
        scratch.append(UnsafeBufferPointer(rebasing: bytes[start..<index]))
        continue
      }
      let escaped = bytes[index + 1]
      index += 2
      switch escaped {
      case UInt8(ascii: "n"): scratch.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "t"): scratch.append(UInt8(ascii: "\t"))
      case UInt8(ascii: "r"): scratch.append(isExact ? 0x0D : UInt8(ascii: " "))
      case UInt8(ascii: "b"): scratch.append(isExact ? 0x08 : UInt8(ascii: " "))
      case UInt8(ascii: "f"): scratch.append(isExact ? 0x0C : UInt8(ascii: " "))
      case UInt8(ascii: "u"): unescapeUnit(bytes, &index)
      case ..<0x80: scratch.append(escaped)
      default: index -= 1  // A backslash before a long character means nothing.
      }
    }
  }

  /// Reads what follows `\u`, the second half of a pair included; halves alone and control characters are
  /// dropped, unless it is exact.
  private mutating func unescapeUnit(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
    guard var code = unit(bytes, index) else { return }
    index += 4
    if (0xD800...0xDBFF).contains(code), index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
      bytes[index + 1] == UInt8(ascii: "u"), let low = unit(bytes, index + 2), (0xDC00...0xDFFF).contains(low)
    {
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      index += 6
    }
    guard !isExact else { return scratch.append(Unicode.Scalar(code) ?? "\u{FFFD}") }
    // These go once the text is whole.
    let isKept = code < 0x20 && isEscape(UInt8(code))
    guard code >= 0x20 || code == 0x09 || code == 0x0A || isKept, let scalar = Unicode.Scalar(code) else {
      return
    }
    scratch.append(scalar)
  }

  private func unit(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt32? {
    guard start + 4 <= bytes.count else { return nil }
    var value: UInt32 = 0
    for byte in bytes[start..<(start + 4)] {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt32(byte - UInt8(ascii: "A") + 10)
      default: return nil
      }
    }
    return value
  }
}

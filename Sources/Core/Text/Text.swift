// Text as pure values. This file: ASCII bytes, blanks, byte counts, fingerprints, globs, numbers with nouns, lists, near words.
//
// Doors of this folder: CleanText (untrusted text), HiddenWords (secrets), PlainText (HTML to text), Escaping
// (text to markup, addresses and JSON), Template, JSONValue (JSON to write), NameText, and
// Pattern (regular expressions). Parsers of documents are in Formats.

/// An ASCII capital letter in lower case; any other byte unchanged.
@inlinable
public func asciiLowercased(_ byte: UInt8) -> UInt8 {
  (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}

extension UInt8 {
  /// Whether the byte is an ASCII digit.
  public var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  /// Whether the byte is an ASCII letter.
  public var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

  /// Whether a token of HTTP, such as the name of a field, may contain the byte (RFC 9110 section 5.6.2).
  public var isTokenByte: Bool { isASCIILetter || isASCIIDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }

  /// The value of an ASCII hexadecimal digit; nil for other bytes.
  public var hexDigitValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46, 0x61...0x66: (self | 0x20) - 0x57
    default: nil
    }
  }
}

extension Sequence {
  /// The elements of each key, in the order of the first ones.
  public func grouped<Key: Hashable>(by key: (Element) -> Key) -> [[Element]] {
    var groups: [[Element]] = []
    var indexByKey: [Key: Int] = [:]
    for element in self {
      let index = indexByKey[key(element), default: groups.count]
      if index == groups.count { groups.append([]) }
      indexByKey[key(element)] = index
      groups[index].append(element)
    }
    return groups
  }
}

/// A text without blanks and tabs at both ends.
func trimmedOfBlanks(_ text: some StringProtocol) -> String {
  func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
  var bytes = Array(text.utf8)[...]
  while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
  while let last = bytes.last, isBlank(last) { bytes.removeLast() }
  return String(decoding: bytes, as: UTF8.self)
}

/// A number of bytes, never negative.
public struct ByteCount: Hashable, Comparable, Sendable {
  public let bytes: Int64

  /// A negative number gives zero.
  public init(_ bytes: Int64) {
    self.bytes = max(0, bytes)
  }

  /// Reads a whole number with a unit: `B`, `KiB`, `MiB`, `GiB`, `TiB` (powers of 1024), `KB`, `MB`, `GB`, `TB` (powers of
  /// 1000).
  ///
  /// Nil without a unit, because `10` is ambiguous.
  public init?(text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits), let factor = Self.factors[String(text.dropFirst(digits.count))] else {
      return nil
    }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow else { return nil }
    self.bytes = bytes
  }

  private static let factors: [String: Int64] = [
    "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
    "KB": 1000, "MB": 1_000_000, "GB": 1_000_000_000, "TB": 1_000_000_000_000,
  ]

  /// The size as `init(text:)` reads it, in the largest unit that gives a whole number.
  public var written: String {
    let unit = Self.factors.filter { bytes.isMultiple(of: $0.value) }.max { $0.value < $1.value }
    return bytes == 0 ? "0B" : "\(bytes / (unit?.value ?? 1))\(unit?.key ?? "B")"
  }

  public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }

  /// Short text for people, such as `14.1 MB`.
  public var text: String {
    guard bytes >= 1000 else { return "\(bytes) B" }
    var tenths = bytes / 100
    var unit = 0
    let units = ["kB", "MB", "GB", "TB"]
    while tenths >= 10_000, unit < units.count - 1 {
      tenths /= 1000
      unit += 1
    }
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}

/// A 64-bit FNV-1a fingerprint of bytes (draft-eastlake-fnv), the same on every machine; not a cryptographic hash.
///
/// Two different texts of one feed have the same fingerprint with a probability of 2^-64. A feed that builds such texts on
/// purpose can hide only its own items.
public struct Fingerprint: Hashable, Sendable {
  public private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  public init() {}

  /// The fingerprint of one text.
  public init(of text: String) { add(text) }

  @inlinable
  public mutating func add(byte: UInt8) {
    add(bits: byte)
  }

  /// Adds the eight bytes of a number, the lowest first.
  public mutating func add(number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      add(bits: UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
  }

  /// Adds a text and an end mark, so that `ab`, `c` differs from `a`, `bc`.
  ///
  /// Nil differs from empty text.
  public mutating func add(_ text: String?) {
    guard var text else {
      add(bits: 0xFE)
      return
    }
    text.withUTF8 { bytes in
      for byte in bytes { add(bits: byte) }
    }
    add(bits: 0xFF)
  }

  /// Adds a text to this fingerprint, and adds it without tags and white space to another one, so that new markup around the
  /// same words does not change the second fingerprint.
  ///
  /// The two chains of multiplications run side by side in the processor, and no branch depends on the text: mispredicted
  /// ones at every blank took longer than all the rest.
  mutating func add(_ text: String, visiblyTo other: inout Fingerprint) {
    var text = text
    text.withUTF8 { bytes in
      var (whole, visible) = (value, other.value)
      var index = 0
      while index < bytes.count {
        while index < bytes.count, case let byte = bytes[index], byte != UInt8(ascii: "<") {
          let bits = UInt64(byte)
          // One for a tab, line feed, carriage return, blank or stray ">", from a set of bits: the compiler would make a branch
          // of a comparison.
          let isInvisible = 0x4000_0001_0000_2600 &>> bits & (bits &- 64) >> 63
          let mask = isInvisible &- 1
          whole = (whole ^ bits) &* Self.prime
          // An invisible byte multiplies by one.
          visible = (visible ^ bits & mask) &* (1 | (Self.prime - 1) & mask)
          index += 1
        }
        while index < bytes.count {
          whole = (whole ^ UInt64(bytes[index])) &* Self.prime
          index += 1
          if bytes[index - 1] == UInt8(ascii: ">") { break }
        }
      }
      (value, other.value) = (whole, visible)
    }
    add(bits: 0xFF)
    other.add(bits: 0xFF)
  }

  @usableFromInline static let prime: UInt64 = 0x0000_0100_0000_01B3

  @usableFromInline
  mutating func add(bits: UInt8) {
    value = (value ^ UInt64(bits)) &* Self.prime
  }
}

/// Whether a text matches a pattern of `*` (any text), `?` (any scalar) and literal scalars.
public func glob(matches text: String, pattern: String) -> Bool {
  let text = Array(text.unicodeScalars)
  let pattern = Array(pattern.unicodeScalars)
  var position = 0
  var index = 0
  var resume: (position: Int, index: Int)?
  while position < text.count {
    if index < pattern.count, pattern[index] == "*" {
      resume = (position, index)
      index += 1
    } else if index < pattern.count, pattern[index] == "?" || pattern[index] == text[position] {
      index += 1
      position += 1
    } else if let last = resume {
      resume = (last.position + 1, last.index)
      position = last.position + 1
      index = last.index + 1
    } else {
      return false
    }
  }
  return pattern[index...].allSatisfy { $0 == "*" }
}

/// Whether long work should stop, for example because its task was cancelled.
///
/// Pure code that may run long on hostile input asks now and then, so that it needs no clock. Its result is then useless.
public typealias ShouldStop = @Sendable () -> Bool

/// The number of bytes read between two calls of `shouldStop`: at most some milliseconds of work.
public let stopCheckDistance = 1 << 16

/// A number with its noun: `1 feed`, `2 feeds`, `3 deliveries`.
public func counted(_ count: Int, _ noun: String, plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}

/// Words joined as in a sentence: `a, b and c`.
public func list(_ words: [String], _ conjunction: String) -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
}

/// The candidate that was probably meant: the nearest one, if at most a third of its letters differ.
///
/// Case, and `_` or a capital instead of `-`, do not count.
public func nearest(
  _ word: String, among candidates: some Sequence<String>
) -> (word: String, distance: Int)? {
  // A longer word is not a typing slip, and comparing it would cost its length times each candidate's.
  guard word.utf8.count <= 64 else { return nil }
  let plain = kebabCase(word)
  return
    candidates
    .map { (word: $0, distance: editDistance(plain, $0)) }
    .filter { $0.distance <= max(1, min($0.word.utf8.count, plain.utf8.count) / 3) }
    .min { ($0.distance, $0.word) < ($1.distance, $1.word) }
}

/// The number of letters to add, remove, change or swap with a neighbour to turn one word into the other.
func editDistance(_ left: String, _ right: String) -> Int {
  let (left, right) = (Array(left.utf8), Array(right.utf8))
  var rows = (before: [Int](), last: [Int](), this: Array(0...right.count))
  for (row, letter) in left.enumerated() {
    rows = (rows.last, rows.this, [row + 1])
    for (column, other) in right.enumerated() {
      let change = rows.last[column] + (letter == other ? 0 : 1)
      var least = min(change, rows.last[column + 1] + 1, rows.this[column] + 1)
      if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
        least = min(least, rows.before[column - 1] + 1)
      }
      rows.this.append(least)
    }
  }
  return rows.this[right.count]
}

/// `minimumInterval`, `minimum_interval` and `Minimum-Interval` as `minimum-interval`.
private func kebabCase(_ word: String) -> String {
  var kebab = ""
  var afterLowercase = false
  for character in word {
    if character.isUppercase, afterLowercase { kebab += "-" }
    kebab += character == "_" || character == " " ? "-" : character.lowercased()
    afterLowercase = character.isLowercase
  }
  return kebab
}

/// The reason why a text is not what it should be, such as a cron expression or a selector.
public struct TextProblem: Error, Hashable, Sendable {
  /// The message; of pointers and selectors the rest of a sentence about the text.
  public let what: String
  public let cure: String
  /// The place in characters of the text, from 1; one past the end if something is missing there.
  public let column: Int

  init(what: String, cure: String, column: Int = 1) {
    (self.what, self.cure, self.column) = (what, cure, column)
  }

  init(_ words: Words, at column: Int) { self.init(what: words.what, cure: words.cure, column: column) }

  /// The message and its cure, for a line.
  public var text: String { "\(what); \(cure)" }

  /// A message with its cure.
  struct Words {
    let what: String
    let cure: String

    init(_ what: String, _ cure: String) { (self.what, self.cure) = (what, cure) }
  }
}

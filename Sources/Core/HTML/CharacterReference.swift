// The character references of HTML: names and numbers (HTML standard, section 13.2.5.72).

/// A character reference, such as `&eacute;`, `&copy` or `&#8364;`.
public struct CharacterReference {
  /// The character.
  public let scalar: Unicode.Scalar
  /// The second scalar of the few characters that have two.
  public let second: Unicode.Scalar?
  /// The length of the reference in bytes.
  public let length: Int

  /// The rules for a reference, by its place.
  public enum Place: Sendable {
    /// In text some old names and all numbers need no semicolon: `&copy 2027`.
    case text
    /// In an attribute they do before `=`, a letter or a digit: `?a=1&copy=2`.
    case attribute
    /// In XML and in titles, which may be text without markup, each reference needs one.
    case xml
  }

  /// Reads the reference at an ampersand; nil if the ampersand means itself.
  ///
  /// A number that is no character means U+FFFD, and 128 to 159 mean windows-1252. Control characters stay; `cleanText`
  /// removes them with the terminal escape sequences that they begin.
  public init?(in bytes: UnsafeBufferPointer<UInt8>, at ampersand: Int, _ place: Place) {
    guard ampersand + 2 < bytes.count else { return nil }
    guard bytes[ampersand + 1] != "#" else {
      self.init(number: bytes, at: ampersand, place)
      return
    }
    // Nearly every bare ampersand has a blank, or a parameter's name and '=', after it.
    let limit = min(bytes.count, ampersand + 1 + Self.longestName)
    var end = ampersand + 1
    while end < limit, bytes[end].isASCIILetterOrDigit { end += 1 }
    guard end - ampersand > 2 else { return nil }
    let name = bytes.slice((ampersand + 1)..<end)
    if end < bytes.count, bytes[end] == ";", let found = Self.characters(name) {
      self.init(found, length: end + 1 - ampersand)
      return
    }
    guard place != .xml else { return nil }
    for count in stride(from: min(name.count, Self.longestOldName), through: 2, by: -1) {
      let old = name.slice(..<count)
      guard let found = Self.characters(old), found.isOld else { continue }
      let next = ampersand + 1 + count
      if place == .attribute, next < bytes.count, case let byte = bytes[next],
        byte == "=" || byte.isASCIILetterOrDigit
      {
        return nil
      }
      self.init(found, length: count + 1)
      return
    }
    return nil
  }

  private init(_ found: Characters, length: Int) {
    (scalar, second, self.length) = (found.first, found.second, length)
  }

  private init?(number bytes: UnsafeBufferPointer<UInt8>, at ampersand: Int, _ place: Place) {
    let isHex = bytes[ampersand + 2] | 0x20 == "x"
    let first = ampersand + (isHex ? 3 : 2)
    var end = first
    var value: UInt32 = 0
    while end < bytes.count, let digit = bytes[end].hexDigitValue, isHex || digit < 10 {
      value = min(value, 0x110000) * (isHex ? 16 : 10) + UInt32(digit)
      end += 1
    }
    let isClosed = end < bytes.count && bytes[end] == ";"
    guard end > first, isClosed || place != .xml else { return nil }
    if (0x80...0x9F).contains(value), let code = Self.windows1252[Int(value - 0x80)] { value = UInt32(code) }
    scalar = value == 0 ? "\u{FFFD}" : Unicode.Scalar(value) ?? "\u{FFFD}"
    second = nil
    length = end - ampersand + (isClosed ? 1 : 0)
  }

  /// The characters of the bytes 0x80 to 0x9F in windows-1252, nil for its five holes.
  public static let windows1252: [UInt16?] = [
    0x20AC, nil, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, nil,
    0x017D, nil, nil, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
    0x0153, nil, 0x017E, 0x0178,
  ]

  // MARK: Names

  private struct Characters {
    var first: Unicode.Scalar
    var second: Unicode.Scalar?
    /// Whether the name needs no semicolon.
    var isOld = false
  }

  private static let longestName = 31
  private static let longestOldName = 6

  /// The characters of a name.
  private static func characters(_ name: UnsafeBufferPointer<UInt8>) -> Characters? {
    // Escaped HTML is full of these.
    switch name.count {
    case 2 where name[1] == "t":
      if name[0] == "l" { return Characters(first: "<", isOld: true) }
      if name[0] == "g" { return Characters(first: ">", isOld: true) }
    case 3 where name.elementsEqual("amp".utf8): return Characters(first: "&", isOld: true)
    case 4 where name.elementsEqual("quot".utf8): return Characters(first: "\"", isOld: true)
    case 4 where name.elementsEqual("nbsp".utf8): return Characters(first: "\u{A0}", isOld: true)
    default: break
    }
    return charactersByName[key(name)]
  }

  /// The names by their words in the order of the characters (HTML standard, section 13.5), which the build embeds.
  ///
  /// A number in hexadecimal and a colon before a word is its character, or its two characters; the character of any other
  /// word follows the one before it. Names with a `!` need no semicolon.
  private static let charactersByName: [UInt64: Characters] = {
    var byName: [UInt64: Characters] = [:]
    byName.reserveCapacity(2200)
    var next = Characters(first: " ")
    for word in PackageResources.CharacterReferences_txt.split(whereSeparator: { $0 <= 0x20 }) {
      let colon = word.firstIndex(of: ":")
      if let colon {
        let codes = word[..<colon].split(separator: "+").map { digits in
          digits.reduce(UInt32(0)) { $0 << 4 | UInt32($1.hexDigitValue ?? 0) }
        }
        next = Characters(
          first: Unicode.Scalar(codes[0]) ?? " ", second: codes.count > 1 ? Unicode.Scalar(codes[1]) : nil)
      }
      for name in word[(colon.map(word.index(after:)) ?? word.startIndex)...].split(
        separator: ",")
      {
        next.isOld = name.last == "!"
        byName[key(next.isOld ? name.dropLast() : name)] = next
      }
      next.first = Unicode.Scalar(next.first.value + 1) ?? " "
    }
    return byName
  }()

  /// A fingerprint of a name: a reference whose name collides with another one is only itself misread.
  private static func key(_ name: some Collection<UInt8>) -> UInt64 {
    name.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* Fingerprint.prime }
  }
}

extension CharacterReference {
  /// The bytes of the character.
  @inline(__always)
  func append(to output: inout [UInt8]) {
    output += UTF8.encode(scalar) ?? .init()
    if let second { output += UTF8.encode(second) ?? .init() }
  }
}

/// Bytes with their character references resolved, up to a limit.
public func withoutReferences(
  _ bytes: UnsafeBufferPointer<UInt8>, _ place: CharacterReference.Place, limit: Int = .max
) -> [UInt8] {
  guard var ampersand = nextIndex(of: "&", in: bytes, from: 0) else {
    return Array(bytes.prefix(limit))
  }
  var output: [UInt8] = []
  output.reserveCapacity(min(bytes.count, limit))
  var index = 0
  while output.count < limit {
    output += bytes[index..<ampersand].prefix(limit - output.count)
    index = ampersand
    guard index < bytes.count, output.count < limit else { break }
    if let found = CharacterReference(in: bytes, at: index, place) {
      found.append(to: &output)
      index += found.length
      ampersand = index
    } else {
      ampersand = index + 1
    }
    ampersand = nextIndex(of: "&", in: bytes, from: ampersand) ?? bytes.count
  }
  return output
}

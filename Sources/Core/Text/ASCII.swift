// Bytes of ASCII text: letters, digits, blanks.

/// An ASCII capital letter in lower case; any other byte unchanged.
@inlinable
public func asciiLowercased(_ byte: UInt8) -> UInt8 {
  ("A"..."Z").contains(byte) ? byte | 0x20 : byte
}

// Parsers compare bytes with characters on most of their lines: a literal says which without a conversion.
extension UInt8: @retroactive ExpressibleByUnicodeScalarLiteral {
  /// The byte of an ASCII character, which a literal such as "<" names; another character traps.
  @_transparent
  public init(unicodeScalarLiteral character: Unicode.Scalar) { self.init(ascii: character) }
}

extension UInt8 {
  /// Whether the byte is an ASCII digit.
  public var isASCIIDigit: Bool { ("0"..."9").contains(self) }

  /// Whether the byte is an ASCII letter.
  public var isASCIILetter: Bool { ("a"..."z").contains(self | 0x20) }

  var isASCIILetterOrDigit: Bool { isASCIILetter || isASCIIDigit }

  /// Whether a token of HTTP, such as the name of a field, may contain the byte (RFC 9110 section 5.6.2).
  public var isTokenByte: Bool { isASCIILetterOrDigit || "-!#$%&'*+.^_`|~".utf8.contains(self) }

  /// The value of an ASCII hexadecimal digit; nil for other bytes.
  var hexDigitValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46, 0x61...0x66: (self | 0x20) - 0x57
    default: nil
    }
  }
}

extension UnsafeBufferPointer {
  /// Some of the elements as a buffer of their own, which begins at 0.
  @inlinable
  public func slice(_ range: some RangeExpression<Int>) -> Self { Self(rebasing: self[range]) }
}

/// A text without blanks and tabs at both ends.
public func trimmedOfBlanks(_ text: some StringProtocol) -> String {
  String(decoding: Array(text.utf8).trimmed { $0 == " " || $0 == "\t" }, as: UTF8.self)
}

/// Whether a text is not empty and has only ASCII digits.
func isDigits(_ text: some StringProtocol) -> Bool {
  !text.isEmpty && text.utf8.allSatisfy { $0.isASCIIDigit }
}

/// The value of digits, clamped to the largest number; nil for anything else.
func wholeNumber(_ text: some StringProtocol) -> Int64? {
  isDigits(text) ? Int64(text) ?? .max : nil
}

// Characters that do something instead of showing something, for texts that have to be kept whole.

extension Unicode.Scalar {
  /// Whether a terminal, or whoever shows lines of text, could be steered by it: C0 and C1 control characters, line and
  /// paragraph separators, bidirectional marks, overrides and isolates (UAX #9).
  public var isSteering: Bool {
    switch value {
    case ..<0x20, 0x7F...0x9F: true
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// The character as JSON escapes it (RFC 8259 section 7); none that steers is beyond U+FFFF.
  var jsonEscape: String {
    let hex = String(value, radix: 16)
    return "\\u" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
  }
}

/// JSON on one line in which characters that could steer a terminal are escaped, which means the same: they stand in
/// strings only.
public func jsonWithoutSteering(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: \.isSteering) else { return text }
  var output = ""
  for scalar in text.unicodeScalars {
    if scalar.isSteering { output += scalar.jsonEscape } else { output.unicodeScalars.append(scalar) }
  }
  return output
}

/// An address in which characters that could steer a terminal are written as percent and digits, which means the same
/// (RFC 3987 section 3.1).
public func addressWithoutSteering(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: \.isSteering) else { return text }
  var output: [UInt8] = []
  output.reserveCapacity(text.utf8.count * 2)
  let digits = Array("0123456789ABCDEF".utf8)
  for scalar in text.unicodeScalars {
    for byte in UTF8.encode(scalar) ?? .init() {
      if scalar.isSteering {
        output.append(UInt8(ascii: "%"))
        output.append(digits[Int(byte >> 4)])
        output.append(digits[Int(byte & 15)])
      } else {
        output.append(byte)
      }
    }
  }
  return String(decoding: output, as: UTF8.self)
}

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
}

/// An address in which characters that could steer a terminal are written as percent and digits, which means the same
/// (RFC 3987 section 3.1).
public func addressWithoutSteering(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: \.isSteering) else { return text }
  var output = ""
  for scalar in text.unicodeScalars {
    guard scalar.isSteering else {
      output.unicodeScalars.append(scalar)
      continue
    }
    for byte in String(scalar).utf8 {
      output += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }
  }
  return output
}

// Addresses and names without anything that could control a terminal or that nobody sees.

/// An address in which scalars that could control a terminal are percent-encoded, which does not change its meaning (RFC
/// 3987 section 3.1).
public func terminalSafeAddress(_ text: String) -> String {
  // Printable ASCII cannot control a terminal.
  if text.utf8.allSatisfy({ 0x20 <= $0 && $0 < 0x7F }) { return text }
  return percentEncoded(text) { !$0.controlsTerminal }
}

/// A text for a message, with invisible scalars written as `\u{200b}`, cut after `limit` scalars.
///
/// Two names that differ only in invisible scalars then look different.
public func visible(_ text: String, limit: Int) -> String {
  var output = ""
  for (index, scalar) in text.unicodeScalars.enumerated() {
    if index == limit { return output + "…" }
    switch scalar.properties.generalCategory {
    case _ where scalar == " ": output += " "
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .unassigned:
      output += "\\u{" + String(scalar.value, radix: 16) + "}"
    default: output.unicodeScalars.append(scalar)
    }
  }
  return output
}

/// The name or path of a file on one line, without terminal escape sequences.
public func shownFileName(_ name: String) -> String { visible(name, limit: 4096) }

extension Unicode.Scalar {
  /// Whether a URI may contain the scalar anywhere without encoding (RFC 3986 section 2.3).
  var isUnreserved: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
    default: false
    }
  }

  /// Whether the scalar could control a terminal or a display of lines: C0 and C1 control characters, line and paragraph
  /// separators, bidirectional marks, overrides and isolates (UAX #9).
  public var controlsTerminal: Bool {
    switch value {
    case ..<0x20, 0x7F...0x9F: true
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// The scalar as JSON escapes it (RFC 8259 section 7); no scalar that controls a terminal is above U+FFFF.
  var jsonEscape: String {
    let hex = String(value, radix: 16)
    return "\\u" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
  }
}

// Atom's text constructs: text, HTML or XHTML, in 0.3 also escaped or in base64.

/// How the content of an Atom element is written.
private enum AtomEncoding {
  case text
  case html
  /// Nobody can tell: an old feed that calls text what may be HTML.
  case unsaid
  case base64
}

extension XMLScanner {
  /// Reads the title that was opened last as plain text.
  mutating func atomTitle() -> String? {
    let encoding = atomEncoding()
    let found = text()
    switch encoding {
    case _ where found.isMarkup: return plainTitle(found.bytes, .html)
    case .text: return plainTitle(found.bytes, .text)
    case .html: return plainTitle(found.bytes, .html)
    case .unsaid: return plainTitle(found.bytes, .unsaid)
    case .base64:
      guard let decoded = decodedBase64(found.bytes), isValidUTF8(decoded) else {
        return plainTitle(found.bytes, .unsaid)
      }
      return withoutControls(decoded).withUnsafeBufferPointer { plainTitle($0, .unsaid) }
    }
  }

  /// Reads the summary or content that was opened last as HTML; nil if it is empty or no text.
  mutating func atomMarkup() -> String? {
    let encoding = atomEncoding()
    let found = text()
    let bytes = trimmed(found.bytes)
    switch encoding {
    case _ where bytes.isEmpty: return nil
    case .text where !found.isMarkup: return htmlEscaped(bytes)
    case .base64 where !found.isMarkup:
      // A file inside the feed is neither text nor somewhere else.
      guard let decoded = decodedBase64(bytes), isValidUTF8(decoded) else { return nil }
      return String(decoding: withoutControls(decoded), as: UTF8.self)
    default: return nonEmpty(bytes)
    }
  }

  private func atomEncoding() -> AtomEncoding {
    if let mode = attribute(.mode), equals(trimmed(mode), "base64") { return .base64 }
    guard let type = attribute(.type).map(trimmed), !type.isEmpty else {
      return attribute(.mode).map { equals(trimmed($0), "escaped") } ?? false ? .unsaid : .text
    }
    if equals(type, "html") || equals(type, "text/html") { return .html }
    if equals(type, "xhtml") || equals(type, "application/xhtml+xml") { return .unsaid }
    if equals(type, "text") || hasPrefix(type, "text/") { return .text }
    let isXML = type.count > 3 && equals(UnsafeBufferPointer(rebasing: type.suffix(3)), "xml")
    // RFC 4287 section 4.1.3.3: any other media type is base64; what has no slash is no media type.
    return !isXML && type.contains(UInt8(ascii: "/")) ? .base64 : .unsaid
  }
}

/// The bytes that base64 stands for (RFC 4648 section 4), blanks in it passed over; nil if it is none.
func decodedBase64(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
  var output: [UInt8] = []
  output.reserveCapacity(text.count * 3 / 4)
  var bits: UInt32 = 0
  var count: UInt32 = 0
  for byte in text {
    let value: UInt8
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): value = 62
    case UInt8(ascii: "/"): value = 63
    case UInt8(ascii: "="), ...0x20: continue
    default: return nil
    }
    bits = bits << 6 | UInt32(value)
    count += 6
    if count >= 8 {
      count -= 8
      output.append(UInt8(truncatingIfNeeded: bits >> count))
    }
  }
  return output
}

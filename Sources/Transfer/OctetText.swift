// Field values as text without losing a byte, whatever the server's character set.

/// Text for bytes that are mostly UTF-8, and the very same bytes back.
///
/// Field values are octets (RFC 9110 section 5.5), and a validator must be returned byte for byte. A byte that is
/// not UTF-8 becomes a character of the private use area, U+EF80 to U+EFFF; where a server really sends such a
/// character, its three bytes are kept in the same way, so that there is only one way back.
enum OctetText {
  /// Text for bytes.
  static func text(_ bytes: some Collection<UInt8>) -> String {
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    var scalars = String.UnicodeScalarView()
    var rest = bytes[...]
    while !rest.isEmpty {
      var length = 1
      var decoder = UTF8()
      var input = rest.prefix(4).makeIterator()
      if case .scalarValue(let scalar) = decoder.decode(&input), !isStandIn(scalar) {
        length = UTF8.width(scalar)
        scalars.append(scalar)
      } else if let byte = rest.first, let standIn = Unicode.Scalar(0xEF00 + UInt32(byte)) {
        scalars.append(standIn)
      }
      rest = rest.dropFirst(length)
    }
    return String(scalars)
  }

  /// The bytes that gave a text.
  static func bytes(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      if isStandIn(scalar) {
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        bytes.append(contentsOf: UTF8.encode(scalar) ?? .init())
      }
    }
    return bytes
  }

  /// Calls with the bytes that gave a text, and a zero after them.
  static func withCText<Value>(_ text: String, _ body: (UnsafePointer<CChar>?) -> Value) -> Value {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.withCString(body) }
    return (bytes(text) + [0]).withUnsafeBytes { body($0.assumingMemoryBound(to: CChar.self).baseAddress) }
  }

  /// An address whose bytes beyond ASCII are percent-encoded but for the host's (RFC 3987 section 3.1), which
  /// libcurl turns into its international form.
  static func encodedAddress(_ address: String) -> String {
    if address.utf8.allSatisfy({ $0 < 0x80 }) { return address }
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    var slashes = 0
    var isInHost = false
    for byte in bytes(address) {
      switch byte {
      case UInt8(ascii: "/"):
        slashes += 1
        isInHost = slashes == 2
      case UInt8(ascii: "?"):
        isInHost = false
      default:
        break
      }
      if byte < 0x80 || isInHost {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return text(encoded)
  }

  private static func isStandIn(_ scalar: Unicode.Scalar) -> Bool {
    (0xEF80...0xEFFF).contains(scalar.value)
  }
}

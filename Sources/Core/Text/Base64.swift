// Base64 (RFC 4648 section 4).

/// The bytes of a base64 text (RFC 4648 section 4), in which white space is ignored; nil if it is not base64.
public func decodedBase64(_ text: some Collection<UInt8>) -> [UInt8]? {
  var output: [UInt8] = []
  output.reserveCapacity(text.count * 3 / 4)
  var bits: UInt32 = 0
  var count: UInt32 = 0
  for byte in text where byte > 0x20 && byte != "=" {
    guard let value = base64Letters.firstIndex(of: byte) else { return nil }
    bits = bits << 6 | UInt32(value)
    count += 6
    if count >= 8 {
      count -= 8
      output.append(UInt8(truncatingIfNeeded: bits >> count))
    }
  }
  return output
}

/// Bytes in base64 without padding (RFC 4648 section 4).
func base64(_ bytes: [UInt8]) -> String {
  var text: [UInt8] = []
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(start + 3, bytes.count)]
    let number = (0..<3).reduce(0) { $0 << 8 | (start + $1 < bytes.count ? Int(bytes[start + $1]) : 0) }
    for index in 0...group.count { text.append(base64Letters[number >> (18 - 6 * index) & 63]) }
  }
  return String(decoding: text, as: UTF8.self)
}

private let base64Letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

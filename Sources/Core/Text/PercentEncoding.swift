// Percent-encoded text of addresses (RFC 3986).

/// A text with all scalars percent-encoded as UTF-8 (RFC 3986 section 2.1) except those to keep.
public func percentEncoded(_ text: String, keeping isKept: (Unicode.Scalar) -> Bool) -> String {
  let digits: StaticString = "0123456789ABCDEF"
  var output: [UInt8] = []
  output.reserveCapacity(text.utf8.count * 2)
  for scalar in text.unicodeScalars {
    guard !isKept(scalar) else {
      output.append(contentsOf: scalar.utf8)
      continue
    }
    for byte in scalar.utf8 {
      output.append("%")
      output.append(digits.utf8Start[Int(byte >> 4)])
      output.append(digits.utf8Start[Int(byte & 15)])
    }
  }
  return String(decoding: output, as: UTF8.self)
}

/// A text with `%XX` decoded; bytes that are not UTF-8 become U+FFFD.
func percentDecoded(_ text: some StringProtocol) -> String {
  guard text.utf8.contains("%") else { return String(text) }
  return String(decoding: percentDecodedBytes(text.utf8), as: UTF8.self)
}

/// Bytes with `%XX` decoded; a percent sign without two digits stays.
func percentDecodedBytes(_ text: some Collection<UInt8>) -> [UInt8] {
  let bytes = Array(text)
  var decoded: [UInt8] = []
  var index = 0
  while index < bytes.count {
    if bytes[index] == "%", index + 2 < bytes.count, let high = bytes[index + 1].hexDigitValue,
      let low = bytes[index + 2].hexDigitValue
    {
      decoded.append(high << 4 | low)
      index += 3
    } else {
      decoded.append(bytes[index])
      index += 1
    }
  }
  return decoded
}

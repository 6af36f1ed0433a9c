// Bytes of a document to clean UTF-8. Which labels mean what is EncodingLabel's business.

import Core

/// The document as valid UTF-8 without a byte order mark, without control characters, with LF line ends.
///
/// What counts, in this order: a byte order mark or the zero bytes of UTF-16 and UTF-32; the `charset` of the
/// HTTP field; the XML declaration; the bytes. A label that the bytes contradict is passed over: many servers call every
/// document latin-1, and many generators write `utf-8` before whatever their database holds. What no label explains is
/// UTF-8 in which single bytes may be windows-1252. A document that is clean UTF-8 is given back without a copy. What a
/// conversion that should stop gives is worth nothing.
func decodedText(
  _ bytes: [UInt8], contentType: String?, shouldStop: @escaping ShouldStop = { false }
) -> [UInt8] {
  if let form = WideForm(of: bytes) { return withoutControls(form.utf8(of: bytes)) }
  if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
    let body = Array(bytes[3...])
    return withoutControls(isValidUTF8(body) ? body : repairedUTF8(body))
  }
  let isUTF8 = isValidUTF8(bytes)
  for label in [contentType.flatMap(charset(ofContentType:)), declaredEncoding(bytes)] {
    switch label.flatMap(EncodingLabel.init) {
    case nil, .wide: continue
    case .utf8OrLatin1:
      if isUTF8 { return withoutControls(bytes) }
    case .other(let name, let isSevenBit):
      if isUTF8, !isSevenBit, isUnmistakablyUTF8(bytes) { return withoutControls(bytes) }
      if let text = converted(bytes, from: name, shouldStop: shouldStop) { return withoutControls(text) }
    }
  }
  return withoutControls(isUTF8 ? bytes : repairedUTF8(bytes))
}

/// Whether valid UTF-8 is so by intention: it is ASCII, or has more long characters than another encoding
/// would produce by chance.
private func isUnmistakablyUTF8(_ bytes: [UInt8]) -> Bool {
  var long = 0
  for byte in bytes where byte >= 0xC2 {
    long += 1
    if long == 8 { return true }
  }
  return long == 0
}

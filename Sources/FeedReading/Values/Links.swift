// Addresses in documents to addresses that stand alone.

import Model

/// An address with blanks around it and line breaks in it removed, resolved against a base; nil if nothing is
/// left.
///
/// A blank inside becomes `%20`, as in browsers: file names of podcasts are full of them. So does what could steer a
/// terminal. An absolute address is otherwise kept as it is, of whatever scheme; a relative one without a base stays
/// relative.
func link(_ address: UnsafeBufferPointer<UInt8>, base: URIReference?) -> String? {
  let address = trimmed(address)
  guard !address.isEmpty else { return nil }
  let isWhole = hasPrefix(address, "http://") || hasPrefix(address, "https://")
  if isWhole, address.allSatisfy({ 0x20 < $0 && $0 < 0x7F }) {
    return String(decoding: address, as: UTF8.self)
  }
  var clean: [UInt8] = []
  for byte in address {
    switch byte {
    case 0x20: clean.append(contentsOf: "%20".utf8)
    case ..<0x20: break
    default: clean.append(byte)
    }
  }
  let text = addressWithoutSteering(String(decoding: clean, as: UTF8.self))
  guard !isWhole, let base else { return text }
  let reference = URIReference(text)
  return reference.scheme == nil ? reference.resolved(against: base).text : text
}

/// Whether an address is absolute and of the web.
func isWebAddress(_ text: String) -> Bool {
  var text = text
  return text.withUTF8 { hasPrefix($0, "http://") || hasPrefix($0, "https://") }
}

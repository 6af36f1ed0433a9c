// Addresses in documents to addresses that stand alone.

import Core

/// Where addresses of a document begin, if nothing in the document says otherwise; nil if its own address is too long.
///
/// The query of a long address may go: no relative path needs it.
func documentBase(_ address: String?) -> BaseAddress? {
  guard let address, !address.isEmpty else { return nil }
  var reference = URIReference(address)
  if address.utf8.count > LinkResolver.longestBase { (reference.query, reference.fragment) = (nil, nil) }
  return reference.text.utf8.count <= LinkResolver.longestBase ? BaseAddress(reference) : nil
}

/// Makes the addresses of one document whole, within bounds on what they may come to.
///
/// Without bounds a short document could repeat a long base in every address: memory and time would be their product.
struct LinkResolver {
  /// The longest base in bytes.
  static let longestBase = 4096
  /// The longest address in bytes that is resolved, or changed in any other way, and the longest that may come of it.
  ///
  /// Servers and proxies refuse longer ones (RFC 9110 section 4.1 asks for 8000 octets).
  static let longest = 8192

  /// The bytes that resolved addresses may still have.
  private var bytesLeft: Int

  /// A resolver for a document of some size: what is resolved may be as long as the whole document, and 64 KiB longer.
  init(documentSize: Int) {
    bytesLeft = documentSize + 1 << 16
  }

  /// An address with blanks around it and line breaks in it removed, resolved against a base; nil if nothing is left, or
  /// if it is too long.
  ///
  /// A blank inside becomes `%20`, as in browsers: file names of podcasts are full of them. So does what could steer a
  /// terminal. An absolute address is otherwise kept as it is, of whatever scheme; a relative one without a base stays
  /// relative.
  mutating func link(_ address: UnsafeBufferPointer<UInt8>, base: inout BaseAddress?) -> String? {
    let address = trimmed(address)
    guard !address.isEmpty else { return nil }
    let isWhole = hasPrefix(address, "http://") || hasPrefix(address, "https://")
    if isWhole, address.allSatisfy({ 0x20 < $0 && $0 < 0x7F }) {
      return String(decoding: address, as: UTF8.self)
    }
    guard address.count <= Self.longest else { return nil }
    let text = cleanAddress(address)
    guard !isWhole, base != nil else { return text }
    guard bytesLeft > 0 else { return URIReference(text).scheme == nil ? nil : text }
    let reference = URIReference(text)
    guard reference.scheme == nil, let resolved = base?.resolve(reference).text else { return text }
    bytesLeft -= resolved.utf8.count
    return resolved.utf8.count <= Self.longest ? resolved : nil
  }
}

/// An address without line breaks; what is not to stand in one is written as percent and digits.
private func cleanAddress(_ address: UnsafeBufferPointer<UInt8>) -> String {
  var clean: [UInt8] = []
  clean.reserveCapacity(address.count)
  for byte in address {
    switch byte {
    case 0x20: clean.append(contentsOf: "%20".utf8)
    case ..<0x20: break
    default: clean.append(byte)
    }
  }
  return addressWithoutSteering(String(decoding: clean, as: UTF8.self))
}

/// Whether an address is absolute and of the web.
func isWebAddress(_ text: String) -> Bool {
  var text = text
  return text.withUTF8 { hasPrefix($0, "http://") || hasPrefix($0, "https://") }
}

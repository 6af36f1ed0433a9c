// Links in documents: making them absolute and safe to print.

import Core

/// The base of a document's links unless the document names another; nil if the address is too long.
///
/// A long address loses its query, which no relative path needs.
func documentBase(_ address: String?) -> BaseAddress? {
  guard let address, !address.isEmpty else { return nil }
  var reference = URIReference(address)
  if address.utf8.count > LinkResolver.longestBase { (reference.query, reference.fragment) = (nil, nil) }
  return reference.text.utf8.count <= LinkResolver.longestBase ? BaseAddress(reference) : nil
}

/// Resolves the links of one document, with a bound on their total size.
///
/// Without the bound, a short document could repeat a long base in every link.
struct LinkResolver {
  /// The maximum length of a base, in bytes.
  static let longestBase = 4096
  /// The maximum length of an address to resolve or change, and of the result, in bytes.
  ///
  /// Servers and proxies refuse longer ones (RFC 9110 section 4.1 asks for 8000 octets).
  static let longest = 8192

  /// The bytes left for resolved addresses.
  var bytesLeft: Int

  /// All resolved addresses together may be 64 KiB longer than the document.
  init(documentSize: Int) {
    bytesLeft = documentSize + 1 << 16
  }

  /// A link without surrounding white space and line breaks, resolved against a base; nil if it is empty or too long.
  ///
  /// Spaces and terminal control characters are percent-encoded, as in browsers: file names of podcasts are full of spaces.
  /// An absolute address of any scheme is otherwise kept as it is. A relative one without a base stays relative.
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

/// An address without line breaks, in which characters that no address may have are percent-encoded.
func cleanAddress(_ address: UnsafeBufferPointer<UInt8>) -> String {
  if address.allSatisfy({ 0x20 < $0 && $0 < 0x7F }) { return String(decoding: address, as: UTF8.self) }
  var clean: [UInt8] = []
  clean.reserveCapacity(address.count)
  for byte in address {
    switch byte {
    case 0x20: clean.append(contentsOf: "%20".utf8)
    case ..<0x20: break
    // Each pattern needs its own condition.
    case 0xBE where clean.suffix(2) == [0xEF, 0xBF], 0xBF where clean.suffix(2) == [0xEF, 0xBF]:
      // XML forbids U+FFFE and U+FFFF, so that an exported list could not contain them.
      clean.removeLast(2)
      clean.append(contentsOf: (byte == 0xBE ? "%EF%BF%BE" : "%EF%BF%BF").utf8)
    default: clean.append(byte)
    }
  }
  return terminalSafeAddress(String(decoding: clean, as: UTF8.self))
}

/// Whether an address begins with `http://` or `https://`.
func isWebAddress(_ text: String) -> Bool {
  var text = text
  return text.withUTF8 { hasPrefix($0, "http://") || hasPrefix($0, "https://") }
}

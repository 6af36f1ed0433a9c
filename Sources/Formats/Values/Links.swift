// Links in documents: making them absolute and safe to print.

import Core

/// The base of a document's links unless the document names another; nil if the address is too long.
///
/// A long address loses its query, which no relative path needs.
func documentBase(_ address: String?) -> URIReference? {
  guard let address, !address.isEmpty else { return nil }
  var reference = URIReference(address)
  if address.utf8.count > LinkResolver.longestBase { (reference.query, reference.fragment) = (nil, nil) }
  return reference.text.utf8.count <= LinkResolver.longestBase ? reference : nil
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

  /// The base of the links; nil if the document's address is not known.
  var base: URIReference?
  /// The bytes left for resolved addresses.
  private var bytesLeft: Int
  /// The number of parts of the document that were left out because they were too long or too many.
  var partsLeftOut = 0

  /// All resolved addresses together may be 64 KiB longer than the document.
  init(at address: String?, documentSize: Int) {
    base = documentBase(address)
    bytesLeft = documentSize + 1 << 16
  }

  /// A link without surrounding white space and line breaks, resolved against a base; nil if it is empty, too long or a
  /// program.
  ///
  /// Spaces and terminal control characters are percent-encoded, as in browsers: file names of podcasts are full of spaces.
  /// An absolute address of any scheme is otherwise kept as it is, without a `feed:` before it. A relative one without a base
  /// stays relative.
  mutating func link(_ address: UnsafeBufferPointer<UInt8>, base: URIReference?) -> String? {
    let address = trimmed(address)
    guard !address.isEmpty else { return nil }
    let isWhole = hasPrefix(address, "http://") || hasPrefix(address, "https://")
    if isWhole, address.allSatisfy({ 0x20 < $0 && $0 < 0x7F }) {
      return String(decoding: address, as: UTF8.self)
    }
    guard address.count <= Self.longest else {
      partsLeftOut += 1
      return nil
    }
    // Most relative addresses have no colon.
    let mayHaveScheme = !isWhole && address.contains { $0 == ":" || $0 == "&" }
    guard !mayHaveScheme || !isProgram(address) else { return nil }
    let text = mayHaveScheme ? withoutFeedScheme(cleanAddress(address)) : cleanAddress(address)
    guard !isWhole, let base else { return text }
    guard bytesLeft > 0 else { return URIReference(text).scheme == nil ? nil : text }
    let reference = URIReference(text)
    guard reference.scheme == nil else { return text }
    let resolved = reference.resolved(against: base).text
    // The path of the base costs time, however short the result is.
    bytesLeft -= max(resolved.utf8.count, base.path.utf8.count)
    guard resolved.utf8.count <= Self.longest else {
      partsLeftOut += 1
      return nil
    }
    return resolved
  }

  /// A link at the document's own base.
  mutating func link(_ address: UnsafeBufferPointer<UInt8>) -> String? { link(address, base: base) }
}

/// Whether a browser might run an address as a program: `javascript:` and its relatives, and `data:` with a page or a script.
///
/// Character references, blanks and control characters do not hide it, because browsers and the programs between us and them
/// see through them. A scheme of feeds in front does not either.
func isProgram(_ address: UnsafeBufferPointer<UInt8>) -> Bool {
  guard !hasPrefix(address, "http") else { return false }
  var letters = withoutReferences(address, .text).filter { $0 > 0x20 && $0 != 0x7F }.map(asciiLowercased)[...]
  while let scheme = feedSchemes.first(where: { letters.starts(with: ($0 + ":").utf8) }) {
    letters = letters.dropFirst(scheme.utf8.count + 1)
  }
  guard letters.starts(with: "data:".utf8) else {
    return ["javascript:", "vbscript:", "livescript:", "mocha:"].contains { letters.starts(with: $0.utf8) }
  }
  let type = String(decoding: letters.dropFirst(5).prefix { $0 != "," && $0 != ";" }, as: UTF8.self)
  let isPage = type.contains("html") || type.contains("xml") && !type.hasPrefix("image/")
  return isPage || type.contains("script")
}

/// An address without line breaks, in which characters that no address may have are percent-encoded.
func cleanAddress(_ address: UnsafeBufferPointer<UInt8>) -> String {
  if address.allSatisfy({ 0x20 < $0 && $0 < 0x7F }) { return String(decoding: address, as: UTF8.self) }
  let text = String(decoding: address.lazy.filter { $0 >= 0x20 }, as: UTF8.self)
  // XML forbids U+FFFE and U+FFFF, so that an exported list could not contain them.
  return percentEncoded(text) { $0 != " " && !$0.controlsTerminal && $0.value & 0xFFFE != 0xFFFE }
}

/// Whether an address begins with `http://` or `https://`.
func isWebAddress(_ text: String) -> Bool {
  text.withBytes { hasPrefix($0, "http://") || hasPrefix($0, "https://") }
}

// Reads the status line and fields of a response, as text that keeps every byte.

import Core

/// The head of the final response.
///
/// Interim responses (RFC 9110 section 15.2) and trailer fields (section 6.5) count towards the limits, but their fields
/// are dropped.
struct ResponseHead {
  /// The most bytes of all heads and trailers of one response.
  static let limit = ByteCount(256 << 10)
  /// The most fields in them.
  static let fieldLimit = 1000

  private enum Expected {
    case statusLine, fields, body
  }

  /// The status code; 0 before the status line.
  private(set) var status = 0
  /// The fields in order, without blanks around values.
  private(set) var fields: [HeaderField] = []
  /// The transfer codings of a head, also of an interim one, that nothing asked for; nil if there are none.
  private(set) var foreignTransferCodings: String?
  private var expected = Expected.statusLine
  private var byteCount = 0
  private var lineCount = 0

  /// Whether the whole head of the final response was read.
  var isComplete: Bool { expected == .body }

  /// Whether the body is wanted: the status is 2xx.
  var hasWantedBody: Bool { (200..<300).contains(status) }

  /// Takes one line with its line break; false if it is beyond the limits.
  mutating func parse(_ line: UnsafeRawBufferPointer) -> Bool {
    byteCount += line.count
    lineCount += 1
    // Each head has a status line and an empty line beside its fields.
    guard byteCount <= Self.limit.bytes, lineCount <= Self.fieldLimit + 2 else { return false }
    let text = line[..<(line.lastIndex { $0 != 13 && $0 != 10 }.map { $0 + 1 } ?? 0)]
    switch expected {
    case .statusLine: parseStatus(text)
    case .fields where text.isEmpty: endHead()
    case .fields: parseField(text)
    // After a challenge of HTTP Digest libcurl asks again, and the second response counts.
    case .body where status == 401 && text.starts(with: "HTTP/".utf8): parseStatus(text)
    case .body: break
    }
    return true
  }

  private mutating func parseStatus(_ text: Slice<UnsafeRawBufferPointer>) {
    // "HTTP/1.1 200 OK", checked by libcurl, which writes the same form for HTTP/2.
    guard let space = text.firstIndex(of: " ") else { return }
    status = text[(space + 1)...].prefix(3).reduce(0) { $0 * 10 + Int($1 &- "0") }
    fields = []
    fields.reserveCapacity(16)
    expected = .fields
  }

  private mutating func endHead() {
    recordTransferCodings()
    // 101 was never requested, so a body follows it.
    let isInterim = (100..<200).contains(status) && status != 101
    expected = isInterim ? .statusLine : .body
  }

  /// Notes all transfer codings unless they are at most one `chunked`.
  ///
  /// libcurl would undo any number of others inside one call, without a limit. They are not requested, so that no server may
  /// use them (RFC 9112 section 7.4).
  private mutating func recordTransferCodings() {
    let values = fields.filter { $0.isNamed("Transfer-Encoding") }.map(\.value)
    guard !values.isEmpty else { return }
    let text = values.joined(separator: ", ")
    let codings = text.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.filter { $0 != "identity" }
    if codings != [], codings != ["chunked"] { foreignTransferCodings = text }
  }

  private mutating func parseField(_ text: Slice<UnsafeRawBufferPointer>) {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    func trimmed(_ part: Slice<UnsafeRawBufferPointer>) -> String {
      let rest = part.drop(while: isBlank)
      let end = rest.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? rest.startIndex
      return OctetText.text(rest[rest.startIndex..<end])
    }
    if let first = text.first, isBlank(first) {
      // A folded line continues the value before it (RFC 9112 section 5.2).
      guard let last = fields.indices.last else { return }
      let more = trimmed(text)
      fields[last].value += fields[last].value.isEmpty || more.isEmpty ? more : " " + more
      return
    }
    guard let colon = text.firstIndex(of: ":") else { return }
    fields.append(HeaderField(trimmed(text[..<colon]), trimmed(text[(colon + 1)...])))
  }
}

/// Text for bytes that are mostly UTF-8, and the same bytes back.
///
/// Field values are octets (RFC 9110 section 5.5), and a validator must be returned byte for byte. A byte that is not
/// UTF-8 becomes a private-use character, U+EF80 to U+EFFF. If a server really sends such a character, each of its three
/// bytes is mapped in this way, so that the mapping is reversible.
enum OctetText {
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

  /// Passes the bytes of a text, with a NUL byte after them.
  static func withCText<Value>(_ text: String, _ body: (UnsafePointer<CChar>?) -> Value) -> Value {
    if isASCII(text) { return text.withCString(body) }
    return (bytes(text) + [0]).withUnsafeBytes { body($0.assumingMemoryBound(to: CChar.self).baseAddress) }
  }

  /// An address with all bytes beyond ASCII percent-encoded (RFC 3987 section 3.1), except in the host, which libcurl
  /// encodes by IDNA.
  static func encodedAddress(_ address: String) -> String {
    if isASCII(address) { return address }
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    var slashes = 0
    var isInHost = false
    for byte in bytes(address) {
      switch byte {
      case "/":
        slashes += 1
        isInHost = slashes == 2
      case "?":
        isInHost = false
      default:
        break
      }
      if byte < 0x80 || isInHost {
        encoded.append(byte)
      } else {
        encoded += ["%", digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return text(encoded)
  }

  private static func isASCII(_ text: String) -> Bool {
    var text = text
    // All bytes, because the compiler makes no vector code of a loop that may end early.
    return text.withUTF8 { bytes in bytes.reduce(0, |) < 0x80 }
  }

  private static func isStandIn(_ scalar: Unicode.Scalar) -> Bool {
    (0xEF80...0xEFFF).contains(scalar.value)
  }
}

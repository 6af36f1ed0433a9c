// The status line and fields of an answer, from the lines that libcurl passes on one by one.

import Core

/// The head of the final answer.
///
/// Interim answers (RFC 9110 section 15.2) before it and trailer fields (section 6.5) after its body only count
/// against the limits: neither may pass for a field of the answer.
struct AnswerHead {
  /// The most bytes of all heads and trailers of one answer.
  static let limit = ByteCount(256 << 10)
  /// The most fields in them.
  static let fieldLimit = 1000

  private enum Expected {
    case statusLine, fields, body
  }

  /// The status code; 0 before there is one.
  private(set) var status = 0
  /// The fields in order, blanks around values removed.
  private(set) var fields: [HeaderField] = []
  private var expected = Expected.statusLine
  private var byteCount = 0
  private var lineCount = 0

  /// Whether all of the final answer's head was read.
  var isComplete: Bool { expected == .body }

  /// Whether the body, not only the head, is what was asked for.
  var hasWantedBody: Bool { (200..<300).contains(status) }

  /// The value of the first field of a name; nil if there is none.
  subscript(name: String) -> String? {
    fields.first { $0.name.utf8.elementsEqual(name.utf8, by: { $0 | 0x20 == $1 | 0x20 }) }?.value
  }

  /// Takes one line with its end; false if that is more than is allowed.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
    byteCount += line.count
    lineCount += 1
    // Each head has a status line and an empty line beside its fields.
    guard byteCount <= Self.limit.bytes, lineCount <= Self.fieldLimit + 2 else { return false }
    let text = line[..<(line.lastIndex { $0 != 13 && $0 != 10 }.map { $0 + 1 } ?? 0)]
    switch expected {
    case .statusLine: takeStatus(text)
    case .fields where text.isEmpty: endHead()
    case .fields: takeField(text)
    case .body: break
    }
    return true
  }

  private mutating func takeStatus(_ text: Slice<UnsafeRawBufferPointer>) {
    // HTTP/1.1 200 OK; libcurl has checked it, and writes HTTP/2's alike.
    guard let space = text.firstIndex(of: UInt8(ascii: " ")) else { return }
    status = text[(space + 1)...].prefix(3).reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
    fields = []
    expected = .fields
  }

  private mutating func endHead() {
    // After 101 there is another protocol, or, as it was never asked for, a body.
    let isInterim = (100..<200).contains(status) && status != 101
    expected = isInterim ? .statusLine : .body
  }

  private mutating func takeField(_ text: Slice<UnsafeRawBufferPointer>) {
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
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return }
    fields.append(HeaderField(trimmed(text[..<colon]), trimmed(text[(colon + 1)...])))
  }
}

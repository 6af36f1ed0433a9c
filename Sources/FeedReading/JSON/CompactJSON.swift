// JSON by the letter, for what is sent to this machine alone. Feeds are read more kindly, by JSONScanner.

import Core

/// A document as JSON on one line, without white space between its tokens; nil if it is no JSON by RFC 8259.
///
/// Numbers, strings and their escapes stay as they are written, so that it is never longer than the document. However deep
/// the nesting is, the stack is not.
func compactJSON(_ text: String) -> String? {
  var writing = CompactJSON(text)
  return writing.isDocument() ? writing.output : nil
}

/// One walk over a document.
private struct CompactJSON {
  private let source: [Unicode.Scalar]
  private var position = 0
  private(set) var output = ""

  init(_ text: String) {
    source = Array(text.unicodeScalars)
  }

  /// Whether one value and nothing else is there.
  mutating func isDocument() -> Bool {
    /// What ends the objects and arrays that are open.
    var closers: [Unicode.Scalar] = []
    while true {
      if takeToken("{") {
        if !takeToken("}") {
          closers.append("}")
          guard takeName() else { return false }
          continue
        }
      } else if takeToken("[") {
        if !takeToken("]") {
          closers.append("]")
          continue
        }
      } else {
        guard takeString() || takeWord() || takeNumber() else { return false }
      }
      while let closer = closers.last, takeToken(closer) { closers.removeLast() }
      guard let closer = closers.last else { return next() == nil }
      guard takeToken(","), closer == "]" || takeName() else { return false }
    }
  }

  /// What comes after white space; nil at the end.
  private mutating func next() -> Unicode.Scalar? {
    while let scalar = here, scalar == " " || scalar == "\n" || scalar == "\t" || scalar == "\r" {
      position += 1
    }
    return here
  }

  private var here: Unicode.Scalar? { position < source.count ? source[position] : nil }

  private mutating func takeToken(_ token: Unicode.Scalar) -> Bool {
    next() == token && take { $0 == token }
  }

  /// Takes the character here if it is a wanted one.
  private mutating func take(_ isWanted: (Unicode.Scalar) -> Bool) -> Bool {
    guard let scalar = here, isWanted(scalar) else { return false }
    output.unicodeScalars.append(scalar)
    position += 1
    return true
  }

  private mutating func takeName() -> Bool { takeString() && takeToken(":") }

  private mutating func takeString() -> Bool {
    guard takeToken("\"") else { return false }
    while let scalar = here {
      if take({ $0 == "\"" }) { return true }
      if take({ $0 == "\\" }) {
        guard takeEscaped() else { return false }
      } else if scalar.value < 0x20 {
        return false
      } else {
        _ = take { _ in true }
      }
    }
    return false
  }

  private mutating func takeEscaped() -> Bool {
    guard take({ $0 == "u" }) else { return take { "\"\\/bfnrt".unicodeScalars.contains($0) } }
    return (0..<4).allSatisfy { _ in take { $0.isASCII && $0.properties.isHexDigit } }
  }

  private mutating func takeWord() -> Bool {
    ["true", "false", "null"].contains { word in
      guard source[position...].starts(with: word.unicodeScalars) else { return false }
      output += word
      position += word.unicodeScalars.count
      return true
    }
  }

  private mutating func takeNumber() -> Bool {
    _ = take { $0 == "-" }
    guard take({ $0 == "0" }) || takeDigits() else { return false }
    if take({ $0 == "." }), !takeDigits() { return false }
    guard take({ $0 == "e" || $0 == "E" }) else { return true }
    _ = take { $0 == "+" || $0 == "-" }
    return takeDigits()
  }

  private mutating func takeDigits() -> Bool {
    var isAny = false
    while take({ ("0"..."9").contains($0) }) { isAny = true }
    return isAny
  }
}

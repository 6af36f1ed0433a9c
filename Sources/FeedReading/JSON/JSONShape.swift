// What a JSON value is, in a few words, for people who look for why a pointer finds nothing.

import Core

extension JSONScanner {
  /// What the value that comes next is, for example `an object with message, status`; the value is passed over.
  mutating func shape() -> String {
    switch peek() {
    case UInt8(ascii: "{"): objectShape()
    case UInt8(ascii: "["): arrayShape()
    case UInt8(ascii: "\""): skipping("a string")
    case UInt8(ascii: "n"): skipping("null")
    case UInt8(ascii: "t"), UInt8(ascii: "f"): skipping("a truth value")
    default: skipping("a number")
    }
  }

  private mutating func skipping(_ words: String) -> String {
    skip()
    return words
  }

  private mutating func arrayShape() -> String {
    guard enter("[") else { return "an array" }
    var count = 0
    while nextValue() {
      skip()
      count += 1
    }
    return count == 0 ? "an empty array" : "an array of \(count)"
  }

  private mutating func objectShape() -> String {
    guard enter("{") else { return "an object" }
    var names: [String] = []
    var others = 0
    while let name = nextMember() {
      if names.count < 8 {
        let start = UnsafeBufferPointer(rebasing: name.prefix(100))
        names.append(cleanText(String(decoding: start, as: UTF8.self), limit: 40))
      } else {
        others += 1
      }
      skip()
    }
    guard !names.isEmpty else { return "an empty object" }
    return "an object with " + names.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
  }
}

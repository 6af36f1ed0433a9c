// The values in a payload, as far as they matter to a push.

import Core

/// A value in a payload.
enum PushJSON: Equatable {
  /// A string.
  case text(String)
  /// A number without fraction and exponent, as it is written.
  case wholeNumber(String)
  case flag(Bool)
  case null
  /// An object, which is still to be entered or skipped.
  case object
  /// An array, which is still to be skipped.
  case array
  /// Any other number.
  case other
}

extension JSONScanner {
  /// The key of the object's next member; nil at its end.
  ///
  /// - Parameters:
  ///   - path: where the object is, for messages.
  ///   - names: the keys so far.
  /// - Returns: the key.
  /// - Throws: `repeated` where a key stands a second time, since nobody can tell which one counts.
  mutating func nextKey(of path: String, _ names: inout Set<String>) throws(PushProblem) -> String? {
    guard let name = nextMember().map({ String(decoding: $0, as: UTF8.self) }) else { return nil }
    guard names.insert(name).inserted else {
      throw .repeated(key: cleanText(path + name, limit: 100))
    }
    return name
  }

  /// The value that comes next; an object or array is not passed over.
  mutating func pushValue() -> PushJSON {
    let first = peek()
    switch first {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .text(word())
    case UInt8(ascii: "n"), UInt8(ascii: "t"), UInt8(ascii: "f"):
      skip()
      return first == UInt8(ascii: "n") ? .null : .flag(first == UInt8(ascii: "t"))
    default:
      let number = word()
      let isWhole = number.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
      return isWhole ? .wholeNumber(number) : .other
    }
  }

  /// The texts that an object has under some keys; what else it has is passed over.
  mutating func texts(of keys: Set<String>, below path: String) throws(PushProblem) -> [String: String] {
    var texts: [String: String] = [:]
    var names: Set<String> = []
    guard enter("{") else { return [:] }
    while let name = try nextKey(of: path, &names) {
      guard keys.contains(name) else {
        skip()
        continue
      }
      switch pushValue() {
      case .text(let text): texts[name] = text
      case .null: break
      default: throw .wrongValue(key: path + name, expected: "text")
      }
    }
    return texts
  }

  private mutating func word() -> String {
    text().map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

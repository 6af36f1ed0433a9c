// The values of JSON documents as parts of items, and short descriptions of values.

import Core

extension JSONValue {
  /// The trimmed text of a string or number, without control characters; nil for another value and for an empty text.
  var trimmedText: String? {
    switch self {
    case .string(let text):
      // Escapes may have made control characters.
      text.withBytes { withoutControls(Array($0)).withUnsafeBufferPointer { nonEmpty(trimmed($0)) } }
    case .number, .literal: text
    default: nil
    }
  }

  /// A title, name or category.
  func title(_ kind: ReducedMarkup = .text) -> String? {
    trimmedText.flatMap { text in text.withBytes { plainTitle($0, kind) } }
  }

  /// A date as in feeds, or a number of seconds or finer units since 1970.
  var date: Instant? {
    trimmedText.flatMap { $0.withBytes(string == nil ? unixTime : feedDate) }
  }

  /// A description of the value, for example `an object with message, status`.
  var shape: String {
    switch self {
    case .object(let members):
      let names = members.prefix(8).map { cleanText(String($0.name.prefix(100)), limit: 40) }
      let more = members.count > 8 ? " and \(members.count - 8) more" : ""
      return members.isEmpty ? "an empty object" : "an object with " + names.joined(separator: ", ") + more
    case .array(let elements): return elements.isEmpty ? "an empty array" : "an array of \(elements.count)"
    case .string: return "a string"
    case .null: return "null"
    case .bool: return "a boolean"
    case .number, .literal: return "a number"
    }
  }
}

extension LinkResolver {
  /// The link in a string or number.
  mutating func link(_ json: JSONValue?) -> String? { json?.trimmedText?.withBytes { link($0) } }
}

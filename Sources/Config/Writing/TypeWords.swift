// The type column of the key table, parsed, and its phrases as JSON Schema. A new kind of value is one case of
// `ValuePhrase` and one line in `schema`.

import Core

/// The allowed values of a key.
///
/// The words are a small language: alternatives with `,` and `or` between them. Each is
/// - a phrase of `ValuePhrase`, such as `duration`;
/// - `1 to 1000`, a number within bounds;
/// - `mapping`, whose keys have rows of their own (`mapping of …` is for names that the user chooses);
/// - `list of …`, where the rest of the text describes the entries; `list` alone, a list of what comes before it;
/// - any other single word, which is written literally: `none`, `same-as-feed`.
struct TypeWords: Hashable {
  indirect enum Alternative: Hashable {
    case phrase(ValuePhrase)
    case word(String)
    case number(ClosedRange<Int>)
    case list([Alternative])
    case mapping
  }

  /// The allowed values, in the order of the words.
  private(set) var alternatives: [Alternative] = []

  /// The literal words.
  var words: [String] {
    alternatives.compactMap { if case .word(let word) = $0 { word } else { nil } }
  }

  init?(_ text: String) {
    var rest = text[...]
    while !rest.isEmpty {
      if rest.hasPrefix("mapping of ") {
        alternatives.append(.mapping)
        return
      }
      if let entries = rest.after("list of ") ?? rest.after("lists of ") {
        guard let types = TypeWords(String(entries)) else { return nil }
        alternatives.append(.list(types.alternatives))
        return
      }
      let (piece, others) = rest.splitAtAlternative()
      guard let alternative = Alternative(piece, after: alternatives) else { return nil }
      alternatives.append(alternative)
      rest = others
    }
  }
}

extension TypeWords.Alternative {
  fileprivate init?(_ text: Substring, after earlier: [Self]) {
    if let phrase = ValuePhrase(words: String(text.after("a ") ?? text)) {
      self = .phrase(phrase)
      return
    }
    switch text {
    case "mapping": self = .mapping
    case "list":
      guard !earlier.isEmpty else { return nil }
      self = .list(earlier)
    default:
      let bounds = text.split(separator: " ")
      if bounds.count == 3, bounds[1] == "to", let least = Int(bounds[0]), let most = Int(bounds[2]),
        least <= most
      {
        self = .number(least...most)
      } else if text.allSatisfy({ $0.isASCII && $0.isLowercase || $0 == "-" }) {
        self = .word(String(text))
      } else {
        return nil
      }
    }
  }
}

extension Substring {
  /// The text after a prefix; nil without it.
  fileprivate func after(_ beginning: String) -> Substring? {
    hasPrefix(beginning) ? dropFirst(beginning.count) : nil
  }

  /// The text before and after the first `, ` or ` or `.
  fileprivate func splitAtAlternative() -> (piece: Substring, rest: Substring) {
    var end = startIndex
    while end != endIndex {
      for separator in [", ", " or "] {
        if let rest = self[end...].after(separator) { return (self[..<end], rest) }
      }
      end = index(after: end)
    }
    return (self, "")
  }
}

/// A kind of value that several keys have.
enum ValuePhrase: String, CaseIterable {
  case text, path, template, size, tag, hook, event, network, secret, number, glob, duration
  case url = "URL"
  case urlTemplate = "URL template"
  case proxy = "proxy URL"
  case rate = "size per second"
  case numberInTime = "number in a duration"
  case cronExpression = "cron expression"
  case regularExpression = "regular expression"
  case timeZone = "time zone"
  case hoursOfTheWeek = "hours of the week"
  case mediaType = "media type"
  case name, pointer, selector
  /// Any YAML, which becomes JSON.
  case json = "JSON"

  /// The phrase, in the singular or in the plural.
  init?(words: String) {
    guard
      let phrase = Self(rawValue: words)
        ?? (words.hasSuffix("s") ? Self(rawValue: String(words.dropLast())) : nil)
    else { return nil }
    self = phrase
  }

  /// The schema of such a value; it accepts what only the program can check.
  var schema: JSONValue {
    switch self {
    // YAML reads words such as 2024 and true as numbers and booleans; bgfetch uses them as text.
    case .text, .template: .object([("type", .array(["string", "number", "boolean"].map(JSONValue.string)))])
    case .path, .regularExpression, .timeZone, .hoursOfTheWeek, .glob, .hook, .name, .selector:
      .text(matching: nil)
    case .json: .object([])
    case .pointer: .text(matching: "^(/.*)?$")
    case .mediaType: .text(matching: "^[^/\\s]+/[^/\\s]+$")
    case .tag: .object([("type", .textOrNumber), ("pattern", .string("^[^\\s@,]+$"))])
    case .network: .text(matching: "^[0-9A-Fa-f:.]+(/[0-9]+)?$")
    case .url: .text(matching: "^([Hh][Tt][Tt][Pp][Ss]?://|file:)\\S+$")
    case .urlTemplate: .text(matching: "^[Hh][Tt][Tt][Pp][Ss]?://\\S+$")
    case .proxy: .text(matching: "^([Hh][Tt][Tt][Pp][Ss]?|[Ss][Oo][Cc][Kk][Ss](4a?|5h?))://.")
    case .duration: .text(matching: "^(?=[0-9])([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$")
    case .numberInTime: .text(matching: "^[0-9]+/(?=[0-9])([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$")
    case .size: .text(matching: "^[0-9]+([KMGT]i?)?B$")
    case .rate: .text(matching: "^[0-9]+([KMGT]i?)?B/s$")
    case .cronExpression: .text(matching: "^\\s*(@[A-Za-z]+|\\S+(\\s+\\S+){4})\\s*$")
    case .number: .object([("type", .string("integer")), ("minimum", .number(0))])
    case .event: .object([("enum", .array(EventKind.subscribable.map { .string($0.rawValue) }))])
    case .secret: .object([("$ref", .string("#/$defs/secret"))])
    }
  }
}

extension JSONValue {
  /// The types of text that may look like a number.
  fileprivate static let textOrNumber: JSONValue = .array([.string("string"), .string("number")])

  /// Non-empty text that matches a pattern if there is one (the common part of ECMA-262).
  fileprivate static func text(matching pattern: String?) -> JSONValue {
    guard let pattern else { return .object([("type", textOrNumber), ("minLength", .number(1))]) }
    return .object([("type", .string("string")), ("pattern", .string(pattern))])
  }
}

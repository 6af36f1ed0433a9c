// The phrases of the key table's type column as JSON Schema. A new kind of value is one case here and one line in
// `schema`.

import Core

/// A kind of value that several keys have.
enum ValuePhrase: String, CaseIterable {
  case text, path, template, size, tag, hook, event, network, secret, number, glob
  case url = "URL"
  case urlTemplate = "URL template"
  case proxy = "proxy URL"
  case lengthOfTime = "length of time"
  case rate = "size per second"
  case numberInTime = "number in a length of time"
  case cronExpression = "cron expression"
  case regularExpression = "regular expression"
  case timeZone = "time zone"
  case hoursOfTheWeek = "hours of the week"
  case mediaType = "media type"
  case name, pointer

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
    case .path, .regularExpression, .timeZone, .hoursOfTheWeek, .glob, .hook, .name: .text(matching: nil)
    case .pointer: .text(matching: "^(/.*)?$")
    case .mediaType: .text(matching: "^[^/\\s]+/[^/\\s]+$")
    case .tag: .object([("type", .textOrNumber), ("pattern", .string("^[^\\s@,]+$"))])
    case .network: .text(matching: "^[0-9A-Fa-f:.]+(/[0-9]+)?$")
    case .url: .text(matching: "^([Hh][Tt][Tt][Pp][Ss]?://|file:)\\S+$")
    case .urlTemplate: .text(matching: "^[Hh][Tt][Tt][Pp][Ss]?://\\S+$")
    case .proxy: .text(matching: "^([Hh][Tt][Tt][Pp][Ss]?|[Ss][Oo][Cc][Kk][Ss](4a?|5h?))://.")
    case .lengthOfTime: .text(matching: "^(?=[0-9])([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$")
    case .numberInTime: .text(matching: "^[0-9]+/(?=[0-9])([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$")
    case .size: .text(matching: "^[0-9]+([KMGT]i?)?B$")
    case .rate: .text(matching: "^[0-9]+([KMGT]i?)?B/s$")
    case .cronExpression: .text(matching: "^\\s*(@[A-Za-z]+|\\S+(\\s+\\S+){4})\\s*$")
    case .number: .object([("type", .string("integer")), ("minimum", .number(0))])
    case .event: .object([("enum", .array(EventKind.allCases.map { .string($0.rawValue) }))])
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

// Push payloads: from JSON bytes to a PushPayload.

/// Reads the payload of a push.
///
/// Reading is strict, unlike the reading of feeds, so that senders learn of mistakes. Keys of the payload, of `aps` and of
/// `alert` may not be repeated. `null` is the same as a missing key, except for `content-available`. Unknown keys of `aps`
/// are ignored. Keys beside `aps` become values if they are strings or whole numbers of at most 256 bytes.
///
/// - Parameter bytes: the payload as it was sent.
/// - Returns: the payload, with texts for people cleaned of control characters.
/// - Throws: the reason why it is refused.
public func readPush(_ bytes: [UInt8]) throws(PushProblem) -> PushPayload {
  guard bytes.count <= PushProblem.largest else { throw .tooLarge }
  guard let text = String(validating: bytes, as: UTF8.self) else { throw .notJSON }
  guard let json = JSONValue(parsing: text), case .object(let members) = json else { throw .notJSON }
  var payload = PushPayload(text: json.text)
  try payload.parse(members)
  return payload
}

private typealias Members = [(name: String, value: JSONValue)]

extension JSONValue {
  /// A number without fraction and exponent, as it is written, whatever its size; nil for another value.
  fileprivate var wholeNumber: String? {
    switch self {
    case .number(let number): String(number)
    case .literal(let text) where text.utf8.dropFirst().allSatisfy(\.isASCIIDigit): text
    default: nil
    }
  }
}

extension PushPayload {
  fileprivate mutating func parse(_ members: Members) throws(PushProblem) {
    try requireDistinct(members, below: "")
    for (name, value) in members {
      switch (name, value) {
      case ("aps", .object(let notification)): try parseNotification(notification)
      case ("aps", .null), ("feed", .null), ("content-id", .null): break
      case ("aps", _): throw .wrongValue(key: "aps", expected: "an object")
      case ("feed", .string(let feed)) where isName(feed): self.feed = feed
      case ("feed", _): throw .wrongValue(key: "feed", expected: "the name of a feed")
      default:
        let text = value.string ?? value.wholeNumber
        let isShort = text.map { $0.utf8.count <= PushValue.longest } ?? false
        if name == "content-id", !isShort || !isName(text ?? "") {
          throw .wrongValue(
            key: "content-id", expected: "text or a whole number of at most \(PushValue.longest) bytes")
        }
        if let text, isShort { values.append(PushValue(name: name, text: text)) }
      }
    }
  }

  /// Reads the members of `aps` (Apple, "Generating a remote notification").
  ///
  /// `badge` has no meaning here: the badge is the number of unseen items.
  private mutating func parseNotification(_ members: Members) throws(PushProblem) {
    try requireDistinct(members, below: "aps.")
    for (name, value) in members {
      switch (name, value) {
      case ("content-available", .bool(let flag)): isContentAvailable = flag
      case ("content-available", .number(0)): isContentAvailable = false
      case ("content-available", .number(1)): isContentAvailable = true
      case ("content-available", _): throw .wrongValue(key: "aps.content-available", expected: "0 or 1")
      case (_, .null): break
      case ("alert", .string(let text)): parseAlert(title: "", body: text)
      case ("alert", .object(let alert)):
        let texts = try strings(["title", "subtitle", "body"], of: alert, below: "aps.alert.")
        let lines = [texts["subtitle"], texts["body"]].compactMap { $0 }.filter { !$0.isEmpty }
        parseAlert(title: texts["title"] ?? "", body: lines.joined(separator: "\n"))
      case ("alert", _):
        throw .wrongValue(key: "aps.alert", expected: "text, or an object with title and body")
      case ("sound", .string(let name)): parseSound(name)
      case ("sound", .object(let sound)):
        parseSound(try strings(["name"], of: sound, below: "aps.sound.")["name"] ?? "")
      case ("sound", _): throw .wrongValue(key: "aps.sound", expected: "the name of a sound")
      case ("interruption-level", .string(let level)): urgency = try urgencyLevel(level)
      case ("interruption-level", _): urgency = try urgencyLevel("")
      default: break
      }
    }
  }

  private mutating func parseAlert(title: String, body: String) {
    let title = cleanText(title, limit: 256)
    let alert = PushAlert(title: title.isEmpty ? nil : title, body: cleanLines(body, limit: 4096))
    if alert.title != nil || !alert.body.isEmpty { self.alert = alert }
  }

  private mutating func parseSound(_ name: String) {
    let name = cleanText(name, limit: 256)
    if !name.isEmpty { sound = name }
  }
}

/// Refuses repeated keys, because it is unclear which value counts.
private func requireDistinct(_ members: Members, below path: String) throws(PushProblem) {
  var names: Set<String> = []
  for member in members where !names.insert(member.name).inserted {
    throw .repeated(key: cleanText(path + member.name, limit: 100))
  }
}

/// The texts of an object under the given keys; `null` counts as missing.
private func strings(
  _ keys: Set<String>, of members: Members, below path: String
) throws(PushProblem) -> [String: String] {
  try requireDistinct(members, below: path)
  var texts: [String: String] = [:]
  for (name, value) in members where keys.contains(name) {
    switch value {
    case .string(let text): texts[name] = text
    case .null: break
    default: throw .wrongValue(key: path + name, expected: "text")
    }
  }
  return texts
}

/// Whether a text can identify a feed or a push: control characters are invisible, and U+FFFD may have been any character.
private func isName(_ text: String) -> Bool {
  text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{FFFD}" }
}

private func urgencyLevel(_ level: String) throws(PushProblem) -> Urgency {
  switch level {
  case "passive": return .low
  case "active", "time-sensitive": return .normal
  case "critical": return .critical
  default:
    throw .wrongValue(
      key: "aps.interruption-level", expected: "passive, active, time-sensitive or critical")
  }
}

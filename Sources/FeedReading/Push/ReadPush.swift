// Payloads of pushes: bytes to what they say. What follows from that is Planning's business.

public import Core

/// Reads the payload of a push.
///
/// It is read by the letter, unlike feeds: whoever sends it is to hear of a mistake. A key of the payload, of `aps` and of
/// `alert` stands once. `null` is as good as nothing, but for `content-available`. What other keys of `aps` say is not looked
/// at; of those beside it strings and whole numbers of at most 256 bytes become values. Where half of a surrogate pair is
/// escaped, U+FFFD stands in its place.
///
/// - Parameter bytes: the payload as it came.
/// - Returns: what it says, texts for people cleaned.
/// - Throws: what is wrong with it.
public func readPush(_ bytes: [UInt8]) throws(PushProblem) -> PushPayload {
  guard bytes.count <= PushProblem.largest else { throw .tooLarge(bytes: bytes.count) }
  guard isValidUTF8(bytes), let text = compactJSON(String(decoding: bytes, as: UTF8.self)) else {
    throw .notJSON
  }
  guard text.utf8.first == UInt8(ascii: "{") else { throw .notAnObject }
  return try Array(text.utf8).withUnsafeBufferPointer { source throws(PushProblem) -> PushPayload in
    var json = JSONScanner(source, isExact: true)
    var reader = PushReader(payload: PushPayload(text: text))
    try reader.read(&json)
    return reader.payload
  }
}

/// A payload on its way.
private struct PushReader {
  var payload: PushPayload

  mutating func read(_ json: inout JSONScanner) throws(PushProblem) {
    var names: Set<String> = []
    guard json.enter("{") else { return }
    while let name = try json.nextKey(of: "", &names) {
      switch (name, json.pushValue()) {
      case ("aps", .object): try readNotification(&json)
      case ("aps", .null), ("feed", .null): break
      case ("aps", _): throw .wrongValue(key: "aps", expected: "an object")
      case ("feed", .text(let feed)) where isName(feed): payload.feed = feed
      case ("feed", _): throw .wrongValue(key: "feed", expected: "the name of a feed")
      case ("content-id", .text(let id)) where isName(id) && id.utf8.count <= PushValue.longest,
        ("content-id", .wholeNumber(let id)) where id.utf8.count <= PushValue.longest:
        payload.values.append(PushValue(name: name, text: id))
      case ("content-id", .null): break
      case ("content-id", _):
        throw .wrongValue(
          key: "content-id", expected: "text or a whole number of at most \(PushValue.longest) bytes")
      case (_, .text(let text)), (_, .wholeNumber(let text)):
        if text.utf8.count <= PushValue.longest { payload.values.append(PushValue(name: name, text: text)) }
      case (_, .object), (_, .array): json.skip()
      case (_, .other), (_, .null), (_, .flag): break
      }
    }
  }

  /// Reads what `aps` holds ("Generating a remote notification").
  private mutating func readNotification(_ json: inout JSONScanner) throws(PushProblem) {
    var names: Set<String> = []
    guard json.enter("{") else { return }
    while let name = try json.nextKey(of: "aps.", &names) {
      let value = json.pushValue()
      switch (name, value) {
      case ("content-available", .flag(let flag)): payload.isContentAvailable = flag
      case ("content-available", .wholeNumber("0")): payload.isContentAvailable = false
      case ("content-available", .wholeNumber("1")): payload.isContentAvailable = true
      case ("content-available", _): throw .wrongValue(key: "aps.content-available", expected: "0 or 1")
      case (_, .null): break
      case ("alert", .text(let text)): takeAlert(title: "", body: text)
      case ("alert", .object): try readAlert(&json)
      case ("alert", _):
        throw .wrongValue(key: "aps.alert", expected: "text, or an object with title and body")
      case ("badge", .wholeNumber(let text)): payload.badge = try badge(text)
      case ("badge", _): payload.badge = try badge("")
      case ("sound", .text(let text)): takeSound(text)
      case ("sound", .object): try readSound(&json)
      case ("sound", _): throw .wrongValue(key: "aps.sound", expected: "the name of a sound")
      case ("interruption-level", .text(let word)): payload.urgency = try urgency(word)
      case ("interruption-level", _): payload.urgency = try urgency("")
      case (_, .object), (_, .array): json.skip()
      case (_, .text), (_, .wholeNumber), (_, .flag), (_, .other): break
      }
    }
  }

  private mutating func readAlert(_ json: inout JSONScanner) throws(PushProblem) {
    let keys: Set = ["title", "subtitle", "body"]
    let texts = try json.texts(of: keys, below: "aps.alert.")
    let lines = [texts["subtitle"], texts["body"]].compactMap { $0 }.filter { !$0.isEmpty }
    takeAlert(title: texts["title"] ?? "", body: lines.joined(separator: "\n"))
    payload.isAlertTextless = payload.alert == nil
  }

  private mutating func takeAlert(title: String, body: String) {
    let title = cleanText(title, limit: 256)
    let alert = PushAlert(title: title.isEmpty ? nil : title, body: cleanLines(body, limit: 4096))
    if alert.title != nil || !alert.body.isEmpty { payload.alert = alert }
  }

  private mutating func readSound(_ json: inout JSONScanner) throws(PushProblem) {
    takeSound(try json.texts(of: ["name"], below: "aps.sound.")["name"] ?? "")
  }

  private mutating func takeSound(_ name: String) {
    let name = cleanText(name, limit: 256)
    if !name.isEmpty { payload.sound = name }
  }

  /// Whether a text can tell feeds or pushes apart: it has no control characters, which are not seen, and nothing that
  /// stands for half a character, since that may have been any.
  private func isName(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{FFFD}" }
  }

  private func badge(_ text: String) throws(PushProblem) -> Int {
    guard let badge = Int(text), (0...Int(Int32.max)).contains(badge) else {
      throw .wrongValue(key: "aps.badge", expected: "a whole number from 0 to \(Int32.max)")
    }
    return badge
  }

  private func urgency(_ level: String) throws(PushProblem) -> Urgency {
    switch level {
    case "passive": return .low
    case "active", "time-sensitive": return .normal
    case "critical": return .critical
    default:
      throw .wrongValue(
        key: "aps.interruption-level", expected: "passive, active, time-sensitive or critical")
    }
  }
}

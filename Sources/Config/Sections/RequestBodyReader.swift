// `body`: text, or YAML that is sent as JSON; secrets may be anywhere in it.

import Core

extension Field {
  /// The body of a request.
  func requestBody() -> RequestBody? {
    switch node.content {
    case .mapping, .sequence:
      if let source = node.secretSource(self) {
        return source.secret().map { RequestBody([.secret($0)], mediaType: RequestBody.form) }
      }
      var json = JSONPieces()
      json.add(self, node)
      return json.isBroken ? nil : RequestBody(json.pieces, mediaType: RequestBody.json)
    case .scalar, .unusable:
      return someText(expecting: "text, or a mapping to send as JSON").map { RequestBody(text: $0) }
    }
  }
}

extension Node {
  /// The value as a secret, if it is a mapping with one key of a secret.
  fileprivate func secretSource(_ field: Field) -> Field? {
    guard case .mapping(let entries) = content, entries.count == 1,
      secretKeys.contains(where: { $0.path == entries[0].key })
    else { return nil }
    return field.entry(self).named("body")
  }

  /// A scalar as JSON; an unquoted number stays a number.
  fileprivate func json(_ scalar: Scalar) -> String {
    if isNull { return "null" }
    if isBoolean { return scalar.text.lowercased() }
    return scalar.isPlain && isNumber(scalar.text) ? scalar.text : JSONValue.string(scalar.text).text
  }
}

/// JSON under construction, in pieces between secrets.
private struct JSONPieces {
  private(set) var pieces: [RequestBody.Piece] = []
  private(set) var isBroken = false

  mutating func add(_ field: Field, _ node: Node) {
    if let source = node.secretSource(field) {
      guard let secret = source.secret() else {
        isBroken = true
        return
      }
      pieces.append(.quotedSecret(secret))
      return
    }
    switch node.content {
    case .scalar(let scalar): add(node.json(scalar))
    case .sequence(let nodes):
      add("[")
      for (index, node) in nodes.enumerated() {
        if index > 0 { add(",") }
        add(field, node)
      }
      add("]")
    case .mapping(let entries):
      add("{")
      for (index, entry) in entries.enumerated() {
        add((index > 0 ? "," : "") + JSONValue.string(entry.key).text + ":")
        add(field, entry.value)
      }
      add("}")
    case .unusable: isBroken = true
    }
  }

  private mutating func add(_ text: String) {
    if case .text(let before)? = pieces.last {
      pieces[pieces.count - 1] = .text(before + text)
    } else {
      pieces.append(.text(text))
    }
  }
}

/// Whether a text is a number of JSON (RFC 8259 section 6).
private func isNumber(_ text: String) -> Bool {
  var rest = text.utf8[...]
  func takeDigits() -> Int {
    let count = rest.prefix(while: \.isASCIIDigit).count
    rest = rest.dropFirst(count)
    return count
  }
  if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
  let startsWithZero = rest.first == UInt8(ascii: "0")
  let count = takeDigits()
  guard count > 0, !startsWithZero || count == 1 else { return false }
  if rest.first == UInt8(ascii: ".") {
    rest = rest.dropFirst()
    guard takeDigits() > 0 else { return false }
  }
  if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
    rest = rest.dropFirst()
    if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
      rest = rest.dropFirst()
    }
    guard takeDigits() > 0 else { return false }
  }
  return rest.isEmpty
}

// Secrets, texts that may be secrets, and request headers. No message repeats a value.

import Core

extension Field {
  /// The source of a secret, or else the plain text.
  func secretText(or text: @autoclosure () throws(Mistake) -> String) throws(Mistake) -> SecretText {
    try isMapping ? .secret(secret()) : .plain(text())
  }

  /// The source of a secret.
  func secret() throws(Mistake) -> Secret {
    if case .mapping(let entries) = node.content { return try secret(of: entries) }
    try require(
      !isText, "\(name) must not be plain text in this file",
      cure: "store it elsewhere and write \(secretForms)")
    throw wrongForm(expecting: secretForms)
  }

  private func secret(of entries: [Node.Entry]) throws(Mistake) -> Secret {
    let written = entries.filter { !$0.key.hasPrefix("x-") }
    guard let only = written.first, written.count == 1 else {
      throw mistake(
        written.isEmpty ? "\(name) is empty" : "\(name) has more than one source",
        cure: "write one of \(secretForms)")
    }
    let source = Field(only, pass)
    switch only.key {
    case "env": return .environment(try source.variableName())
    case "file": return .file(try source.path())
    case "credential":
      let credential = try source.someText(expecting: "the name of a credential")
      if credential.utf8.contains("/") || credential.utf8.first == "." {
        throw source.mistake(
          "credential is a name, not a path",
          cure: "write the name given to LoadCredential=, or use file for a path")
      }
      return .credential(credential)
    case "command":
      return .command(try source.command(expecting: "[pass, show, NAME], the program and its arguments"))
    default:
      // The key is not repeated either: {hunter2} is a mapping with that key.
      throw Mistake(
        at: only.location, "\(name) is not a known kind of secret", cure: "write one of \(secretForms)")
    }
  }

  /// A program and its arguments, without placeholders.
  func command(expecting expected: String) throws(Mistake) -> [String] {
    let elements = try elements(expecting: expected)
    let first = try require(elements.first, "command is empty", cure: "write \(expected)")
    var words = elements.compactMap { element in
      element.reported { entry throws(Mistake) in
        try entry.text(expecting: "the program and its arguments, one by one")
      }
    }
    if let program = words.first { words[0] = try first.programPath(program) }
    return words
  }

  private func variableName() throws(Mistake) -> String {
    let text = try someText(expecting: "the name of an environment variable")
    try require(
      !text.hasPrefix("$"), "the name of a variable is written without \"$\" here",
      cure: "write NAME instead of $NAME")
    try require(
      isVariableName(text), "\(name) is not a valid name of an environment variable",
      cure: "use letters, digits and _, not beginning with a digit")
    return text
  }
}

/// Whether a text is a name of an environment variable (POSIX XBD 8.1, which allows lower case).
func isVariableName(_ text: String) -> Bool {
  guard let first = text.utf8.first, !first.isASCIIDigit else { return false }
  return text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == "_" }
}

private let secretForms = "{env: NAME}, {file: PATH}, {credential: NAME} or {command: [pass, show, NAME]}"

extension Field {
  /// The headers of a feed over those of `defaults`; `none` removes one.
  func headers(over inherited: [HeaderSpec]) throws(Mistake) -> [HeaderSpec] {
    var headers: [HeaderSpec] = []
    var written: Set<String> = []
    for entry in try entries(expecting: "a mapping such as {Accept-Language: de}") {
      let field = Field(entry, pass)
      let name = entry.key.lowercased()
      guard !entry.key.isEmpty, entry.key.utf8.allSatisfy(\.isTokenByte) else {
        pass.report(
          "\"\(field.name)\" is not the name of a header", at: entry.location,
          cure: "write letters, digits and -")
        continue
      }
      if !written.insert(name).inserted {
        pass.report(
          "duplicate header \"\(field.name)\" (header names ignore case)", at: entry.location,
          cure: "keep one of them")
      }
      if ownHeaders.contains(name) {
        pass.report(
          "header \"\(field.name)\" is set by bgfetch itself", at: entry.location, cure: "remove it")
        continue
      }
      guard !entry.value.isNone, let value = pass.reported(try field.headerText()) else { continue }
      if case .plain = value, name == "authorization" || name == "cookie" {
        field.warn(
          "header \"\(field.name)\" is in the file as plain text",
          cure: name == "cookie"
            ? "if it is secret, write {command: [pass, show, NAME]} or {file: PATH}"
            : "write auth: {bearer: {file: PATH}}, or use a secret here")
      }
      headers.append(HeaderSpec(name: entry.key, value: value))
    }
    return inherited.filter { !written.contains($0.name.lowercased()) } + headers
  }

  /// The value of a header, plain or secret.
  func headerText() throws(Mistake) -> SecretText {
    try secretText(or: headerValue())
  }

  /// A valid header value (RFC 9110 section 5.5).
  func headerValue() throws(Mistake) -> String {
    let text = try someText()
    if text.unicodeScalars.contains(where: { ($0.value < 0x20 && $0 != "\t") || $0.value == 0x7F }) {
      throw mistake("\(name) contains a line end or a control character", cure: "write it on one line")
    }
    return text
  }
}

/// The headers that belong to the connection, the address, the last response or an event.
private let ownHeaders: Set = [
  "host", "accept-encoding", "te", "connection", "content-length", "transfer-encoding", "upgrade", "expect",
  "trailer", "keep-alive", "range", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since",
  "if-range", "idempotency-key", "x-hub-signature-256",
]

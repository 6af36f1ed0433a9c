// Secrets, texts that may be secrets, and request headers. No message repeats a value.

import Core

extension Field {
  /// Text or the source of a secret; `read` checks plain text.
  func secretText(expecting expected: String, _ read: (Field) -> String?) -> SecretText? {
    if case .mapping = node.content { return secret().map(SecretText.secret) }
    if !isText, case .sequence = node.content {
      report("\(name) must not be a list", cure: "write \(expected), or a secret: \(secretForms)")
      return nil
    }
    return read(self).map(SecretText.plain)
  }

  /// The source of a secret.
  func secret() -> Secret? {
    switch node.content {
    case .mapping(let entries): return secret(of: entries)
    case .scalar where node.isNull: reportMissing(expecting: secretForms)
    case .scalar:
      report(
        "\(name) must not be plain text in this file", cure: "store it elsewhere and write \(secretForms)")
    case .sequence: report("\(name) must not be a list", cure: "write \(secretForms)")
    case .unusable: break
    }
    return nil
  }

  private func secret(of entries: [Node.Entry]) -> Secret? {
    let written = entries.filter { !$0.key.hasPrefix("x-") }
    guard let only = written.first, written.count == 1 else {
      report(
        written.isEmpty ? "\(name) is empty" : "\(name) has more than one source",
        cure: "write one of \(secretForms)")
      return nil
    }
    let source = Field(only, pass)
    switch only.key {
    case "env":
      return source.variableName().map(Secret.environment)
    case "file":
      return source.path().map(Secret.file)
    case "credential":
      guard let credential = source.someText(expecting: "the name of a credential") else { return nil }
      if credential.utf8.contains(UInt8(ascii: "/")) || credential.utf8.first == UInt8(ascii: ".") {
        source.report(
          "credential is a name, not a path",
          cure: "write the name given to LoadCredential=, or use file for a path")
      }
      return .credential(credential)
    case "command":
      return source.command().map(Secret.command)
    default:
      // The key is not repeated either: {hunter2} is a mapping with that key.
      pass.report(
        "\(name) is not a known kind of secret", at: only.place, cure: "write one of \(secretForms)")
      return nil
    }
  }

  /// A program and its arguments, without placeholders.
  func command(
    expecting expected: String = "[pass, show, NAME], the program and its arguments"
  ) -> [String]? {
    guard let elements = elements(expecting: expected) else { return nil }
    guard let first = elements.first else {
      report("command is empty", cure: "write \(expected)")
      return nil
    }
    var words = elements.compactMap { $0.text(expecting: "the program and its arguments, one by one") }
    if let program = words.first { words[0] = programPath(program, first) ?? program }
    return words
  }

  func variableName() -> String? {
    guard let text = someText(expecting: "the name of an environment variable") else {
      return nil
    }
    if text.hasPrefix("$") {
      report("the name of a variable is written without \"$\" here", cure: "write NAME instead of $NAME")
    } else if !isVariableName(text) {
      report(
        "\(name) is not a valid name of an environment variable",
        cure: "use letters, digits and _, not beginning with a digit")
    }
    return text
  }
}

/// Whether a text is a name of an environment variable (POSIX XBD 8.1, which allows lower case).
func isVariableName(_ text: String) -> Bool {
  guard let first = text.utf8.first, !first.isASCIIDigit else { return false }
  return text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
}

private let secretForms = "{env: NAME}, {file: PATH}, {credential: NAME} or {command: [pass, show, NAME]}"

extension Field {
  /// The headers of a feed over those of `defaults`; `none` removes one.
  func headers(over inherited: [HeaderSpec]) -> [HeaderSpec]? {
    guard let entries = entries(expecting: "a mapping such as {Accept-Language: de}") else { return nil }
    var headers: [HeaderSpec] = []
    var written: Set<String> = []
    for entry in entries {
      let field = Field(entry, pass)
      let name = entry.key.lowercased()
      guard isHeaderName(entry.key) else {
        pass.report(
          "\"\(field.name)\" is not the name of a header", at: entry.place,
          cure: "write letters, digits and -")
        continue
      }
      if !written.insert(name).inserted {
        pass.report(
          "duplicate header \"\(field.name)\" (header names ignore case)", at: entry.place,
          cure: "keep one of them")
      }
      if let cure = cureForOwnHeader(name) {
        pass.report("header \"\(field.name)\" is set by bgfetch itself", at: entry.place, cure: cure)
        continue
      }
      guard !entry.value.isNone else { continue }
      guard let value = field.secretText(expecting: "text", { $0.headerValue() }) else { continue }
      if case .plain = value, name == "authorization" || name == "cookie" {
        pass.warn(
          "header \"\(field.name)\" is in the file as plain text", at: entry.value.place,
          cure: name == "cookie"
            ? "if it is secret, write {command: [pass, show, NAME]} or {file: PATH}"
            : "write auth: {bearer: {file: PATH}}, or use a secret here")
      }
      headers.append(HeaderSpec(name: entry.key, value: value))
    }
    return inherited.filter { !written.contains($0.name.lowercased()) } + headers
  }

  /// A valid header value (RFC 9110 section 5.5).
  func headerValue() -> String? {
    guard let text = someText() else { return nil }
    if text.unicodeScalars.contains(where: { ($0.value < 0x20 && $0 != "\t") || $0.value == 0x7F }) {
      report("\(name) contains a line end or a control character", cure: "write it on one line")
    }
    return text
  }
}

/// The cure for a header that cannot be configured; nil if it can.
private func cureForOwnHeader(_ name: String) -> String? {
  switch name {
  case "host": "write the host in url"
  case "accept-encoding", "te": "remove it; bgfetch already asks for every encoding it supports"
  case "connection", "content-length", "transfer-encoding", "upgrade", "expect", "trailer", "keep-alive":
    "remove it; it belongs to the connection"
  case "range": "remove it; a feed is always fetched whole"
  case "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range":
    "remove it; bgfetch sets it from the last response"
  case "idempotency-key", "x-hub-signature-256": "remove it; bgfetch sets it for each event"
  default: nil
  }
}

/// Whether a text is a token (RFC 9110 section 5.6.2).
private func isHeaderName(_ text: String) -> Bool {
  !text.isEmpty
    && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
}

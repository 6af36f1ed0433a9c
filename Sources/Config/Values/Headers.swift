// Request headers: names are tokens, values have one line, and the headers that bgfetch sets are refused.

import Core

extension Field {
  /// The headers of a feed over those of `defaults`; `none` removes one.
  func headers(over inherited: [HeaderSpec]) -> [HeaderSpec]? {
    guard let entries = entries(expecting: "a mapping such as {Accept-Language: de}") else { return nil }
    var headers = inherited
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
          "header \"\(field.name)\" stands here a second time in other letters", at: entry.place,
          cure: "keep one of them")
      }
      if let cure = cureForOwnHeader(name) {
        pass.report("header \"\(field.name)\" is set by bgfetch itself", at: entry.place, cure: cure)
        continue
      }
      headers.removeAll { $0.name.lowercased() == name }
      guard !entry.value.isNone else { continue }
      guard let value = field.secretText(expecting: "text", { $0.headerValue() }) else { continue }
      if case .plain = value, name == "authorization" || name == "cookie" {
        pass.warn(
          "header \"\(field.name)\" stands in the file in plain text", at: entry.value.place,
          cure: name == "cookie"
            ? "if it is secret, write {command: [pass, show, NAME]} or {file: PATH}"
            : "write auth: {bearer: {file: PATH}}, or a secret here")
      }
      headers.append(HeaderSpec(name: entry.key, value: value))
    }
    return headers
  }

  /// A valid header value (RFC 9110 section 5.5).
  func headerValue() -> String? {
    guard let text = someText() else { return nil }
    if text.unicodeScalars.contains(where: { ($0.value < 0x20 && $0 != "\t") || $0.value == 0x7F }) {
      report("\(name) holds a line end or a control character", cure: "write it in one line")
    }
    return text
  }
}

/// The cure for a header that cannot be configured; nil if it can.
private func cureForOwnHeader(_ name: String) -> String? {
  switch name {
  case "host": "write the host in url"
  case "accept-encoding", "te": "remove it, every encoding that can be read is asked for"
  case "connection", "content-length", "transfer-encoding", "upgrade", "expect", "trailer", "keep-alive":
    "remove it, it belongs to the connection"
  case "range": "remove it, a feed is fetched whole"
  case "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range":
    "remove it, bgfetch remembers what the server sent"
  default: nil
  }
}

/// Whether a text is a token (RFC 9110 section 5.6.2).
private func isHeaderName(_ text: String) -> Bool {
  !text.isEmpty
    && text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default:
        "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
    }
}

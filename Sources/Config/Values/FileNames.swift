// Names of downloaded files, which are templates that never leave the documents directory, and globs of media types.

import Core

extension ValueType<Template?> {
  /// A template of file names.
  static let fileName = Self("template or none", write: { _ in "none" }) { field throws(Mistake) in
    let example = "a name such as \"{feed}/{title}{ext}\""
    let text = try field.someText(expecting: example)
    let written = try field.template(expecting: example)
    guard written.check(.fileName) else { throw .reported }
    try field.checkName(text)
    try written.checkFormats()
    return written.template
  }
}

extension Field {
  /// Throws if a name leaves its directory or does not name a file.
  fileprivate func checkName(_ text: String) throws(Mistake) {
    let isVariable = text.hasPrefix("$") && (text.dropFirst().first?.isLetter ?? false)
    try require(
      !text.hasPrefix("/") && text != "~" && !text.hasPrefix("~/") && !isVariable,
      "name \"\(shown(text))\" looks like an absolute path",
      cure: "write it relative to the documents directory, or set documents")
    var index = 0
    let parts = text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
    for part in parts {
      if String(part) == ".." {
        throw mistake(
          "name must not contain \"..\"", atCharacter: index,
          cure: "write a path below the documents directory")
      }
      index += part.count + 1
    }
    try require(
      parts.last?.isEmpty == false, "name \"\(shown(text))\" ends with a slash",
      cure: "add a file name such as {title}{ext}")
  }
}

extension WrittenTemplate {
  /// Throws if a format has a slash; values of placeholders never create directories.
  fileprivate func checkFormats() throws(Mistake) {
    for (index, part) in placeholders.enumerated() {
      guard let format = part.format, format.contains("/") else { continue }
      let pieces = format.split(separator: "/").map { "{\(part.name):\($0)}" }
      throw Mistake(
        at: location(ofPlaceholder: index), "the format of {\(part.name)} contains a slash",
        cure: "write \(shown(pieces.joined(separator: "/")))")
    }
  }
}

extension ValueType<[String]> {
  /// Globs of media types in lower case, since types are compared without case (RFC 9110 section 8.3.1).
  static let mediaTypes = listOf("media types") { field throws(Mistake) in
    try field.values(
      expecting: "a list such as [\"audio/*\"]",
      insteadOf: { "\"\(isMediaType($0.lowercased()) ? $0.lowercased() : "audio/*")\"" }
    ) { entry throws(Mistake) in
      let text = try entry.someText(expecting: "a media type such as audio/mpeg or \"audio/*\"")
      let type = text.lowercased()
      try entry.require(
        isMediaType(type), "\"\(shown(text))\" is not a media type",
        cure: "write a type such as audio/mpeg, or a glob such as \"audio/*\"")
      return type
    }
  }
}

/// Whether a text in lower case is a type and subtype (RFC 6838 section 4.2), which may contain `*` and `?`.
private func isMediaType(_ text: String) -> Bool {
  let parts = text.split(separator: "/", omittingEmptySubsequences: false)
  return parts.count == 2
    && parts.allSatisfy { part in
      (1...127).contains(part.utf8.count)
        && part.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "!#$&-^_.+*?".utf8.contains($0) }
    }
}

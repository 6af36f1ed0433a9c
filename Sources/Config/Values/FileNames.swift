// Names of downloaded files, which are templates that never leave the documents directory, and globs of media types.

import Core

extension Field {
  /// A template of file names; for a single file, which a newer one replaces, it may be constant.
  func fileName(isOneFile: Bool) -> Template? {
    let example = "a name such as \"{feed}/{title}{ext}\""
    guard let text = someText(expecting: example), let written = template(expecting: example),
      written.check(.fileName), isInside(text), hasNoSlashInFormats(written)
    else { return nil }
    if !isOneFile { warnOfEqualNames(written.template) }
    warnOfMissingExtension(written.template)
    return written.template
  }

  /// Whether a name stays in its directory and names a file.
  private func isInside(_ text: String) -> Bool {
    let isVariable = text.hasPrefix("$") && (text.dropFirst().first?.isLetter ?? false)
    guard !text.hasPrefix("/"), text != "~", !text.hasPrefix("~/"), !isVariable else {
      report(
        "name \"\(shown(text))\" looks like an absolute path",
        cure:
          "write it relative to the documents directory, or add directory: \(pathExample(text))")
      return false
    }
    var index = 0
    let parts = text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
    for part in parts {
      if String(part) == ".." {
        pass.report(
          "name must not contain \"..\"", at: place(ofCharacter: index),
          cure: "use directory: for another directory")
        return false
      }
      index += part.count + 1
    }
    guard parts.last?.isEmpty == false else {
      report(
        "name \"\(shown(text))\" ends with a slash", cure: "add a file name such as {title}{ext}")
      return false
    }
    return true
  }

  /// The directories before the first placeholder, for the cure.
  private func pathExample(_ text: String) -> String {
    let fixed = text.prefix { $0 != "{" }
    guard let slash = fixed.lastIndex(of: "/"), slash != fixed.startIndex else { return "PATH" }
    return shown(String(fixed[..<slash]))
  }

  /// Whether no format has a slash; values of placeholders never create directories.
  private func hasNoSlashInFormats(_ written: WrittenTemplate) -> Bool {
    for (index, part) in written.placeholders.enumerated() {
      guard let format = part.format, format.contains("/") else { continue }
      let pieces = format.split(separator: "/").map { "{\(part.name):\($0)}" }
      pass.report(
        "the format of {\(part.name)} contains a slash",
        at: written.place(ofPlaceholder: index), cure: "write \(shown(pieces.joined(separator: "/")))")
      return false
    }
    return true
  }

  /// Warns of a name that all files of a feed would share.
  private func warnOfEqualNames(_ template: Template) {
    let distinguishing: Set = ["title", "id", "name", "published"]
    guard !template.placeholders.contains(where: distinguishing.contains) else { return }
    pass.warn(
      "name is the same for all files, so they are numbered", at: node.place,
      cure: "add {title} or {name}, for example")
  }

  /// Warns of a name without an extension, by which players and desktops recognise files.
  private func warnOfMissingExtension(_ template: Template) {
    var last: [Template.Part] = []
    for part in template.parts {
      guard case .literal(let text) = part, let slash = text.lastIndex(of: "/") else {
        last.append(part)
        continue
      }
      last = [.literal(String(text[text.index(after: slash)...]))]
    }
    var isFilledIn = false
    for part in last {
      switch part {
      case .literal(let text): if text.contains(".") { return }
      case .placeholder("ext", _): return
      case .placeholder: isFilledIn = true
      }
    }
    if isFilledIn {
      pass.warn("name has no extension", at: node.place, cure: "add {ext} at its end")
    }
  }
}

extension Field {
  /// Globs of media types in lower case, since types are compared without case (RFC 9110 section 8.3.1).
  func mediaTypes() -> [String]? {
    if isText, let word = text() {
      let type = isMediaType(word.lowercased()) ? word : likelyMediaType(of: word.lowercased()) ?? "audio/*"
      report("types must be a list", cure: "write [\"\(shown(type))\"]")
      return nil
    }
    return elements(expecting: "a list such as [\"audio/*\"]")?.compactMap { $0.typeGlob() }
  }

  private func typeGlob() -> String? {
    guard let text = someText(expecting: "a media type such as audio/mpeg or \"audio/*\"") else { return nil }
    let type = text.lowercased()
    guard isMediaType(type) else {
      report("\"\(shown(text))\" is not a media type", cure: cure(forType: type))
      return nil
    }
    return type
  }

  private func cure(forType type: String) -> String {
    if let meant = likelyMediaType(of: type) { return "write \"\(meant)\"" }
    if let semicolon = type.firstIndex(of: ";"), case let bare = String(type[..<semicolon]),
      isMediaType(bare)
    {
      return "write \"\(bare)\", without parameters"
    }
    if type == "*" || type == "all" { return "write types: [] for any type" }
    return "write a type such as audio/mpeg, or a glob such as \"audio/*\""
  }
}

/// The media type that a single word probably means: a kind of media, or a file extension.
func likelyMediaType(of word: String) -> String? {
  let word =
    word.hasPrefix(".") ? String(word.dropFirst()) : word.hasPrefix("*.") ? String(word.dropFirst(2)) : word
  let plural = ["images": "image", "videos": "video", "texts": "text"][word] ?? word
  if ["audio", "video", "image", "text", "font", "model"].contains(plural) { return plural + "/*" }
  return typesOfExtensions[word]
}

private let typesOfExtensions = [
  "mp3": "audio/mpeg", "m4a": "audio/*", "aac": "audio/*", "ogg": "audio/*", "opus": "audio/*",
  "flac": "audio/*",
  "wav": "audio/*", "mp4": "video/mp4", "m4v": "video/*", "webm": "video/webm", "mkv": "video/*",
  "mov": "video/*",
  "pdf": "application/pdf", "epub": "application/epub+zip", "zip": "application/zip", "jpg": "image/jpeg",
  "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp", "svg": "image/svg+xml",
  "torrent": "application/x-bittorrent",
]

/// Whether a text in lower case is a type and subtype (RFC 6838 section 4.2), which may contain `*` and `?`.
private func isMediaType(_ text: String) -> Bool {
  let parts = text.split(separator: "/", omittingEmptySubsequences: false)
  return parts.count == 2
    && parts.allSatisfy { part in
      (1...127).contains(part.utf8.count)
        && part.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "!#$&-^_.+*?".utf8.contains($0) }
    }
}

// Globs of media types, such as audio/*.

extension Field {
  /// Globs of media types in lower case, since types are compared without case (RFC 9110 section 8.3.1).
  func mediaTypes() -> [String]? {
    if isText, let word = text() {
      let type = isMediaType(word.lowercased()) ? word : likelyMediaType(of: word.lowercased()) ?? "audio/*"
      report("types is a list", cure: "write [\"\(shown(type))\"]")
      return nil
    }
    return elements(expecting: "a list such as [\"audio/*\"]")?.compactMap { $0.typeGlob() }
  }

  private func typeGlob() -> String? {
    guard let text = someText(expecting: "a media type such as audio/mpeg or \"audio/*\""), !text.isEmpty
    else { return nil }
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
        && part.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
          default: "!#$&-^_.+*?".utf8.contains(byte)
          }
        }
    }
}

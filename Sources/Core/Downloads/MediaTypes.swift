// Media types, file extensions, and which belong together.

/// A media type in lower case, without parameters; nil for none, and for `application/octet-stream` and the like, which
/// servers send for unknown types.
func mediaType(_ text: String?) -> String? {
  guard let text else { return nil }
  // By bytes: a semicolon with a combining mark after it is one character.
  let end = text.utf8.prefix { $0 != ";" && $0 != "," }
  let type = trimmedOfBlanks(Substring(end)).lowercased()
  guard type.utf8.contains("/"), !genericTypes.contains(type) else { return nil }
  return type
}

private let genericTypes: Set = [
  "application/octet-stream", "binary/octet-stream", "application/download", "application/force-download",
  "application/x-download", "*/*",
]

/// A name divided into stem and extension, with the dot; the extension may be empty.
///
/// An extension has at most ten letters and digits, at least one letter; `.tar.gz` and the like are one extension.
func divided(_ name: String) -> (stem: String, suffix: String) {
  guard let dot = name.utf8.lastIndex(of: ".") else { return (name, "") }
  let end = name[name.utf8.index(after: dot)...]
  guard isExtension(end) else { return (name, "") }
  var stem = name[..<dot]
  var suffix = String(name[dot...])
  if compressions.contains(end.lowercased()), let inner = stem.utf8.lastIndex(of: "."),
    stem[inner...].lowercased() == ".tar"
  {
    suffix = String(stem[inner...]) + suffix
    stem = stem[..<inner]
  }
  return (String(stem), suffix)
}

private func isExtension(_ text: Substring) -> Bool {
  (1...10).contains(text.utf8.count)
    && text.utf8.allSatisfy(\.isASCIILetterOrDigit)
    && text.utf8.contains(where: \.isASCIILetter)
}

/// Extensions of compressed tar(1) files.
private let compressions: Set = ["gz", "bz2", "xz", "zst", "lz", "lzma", "z", "br"]

/// The last segment of an address's path, percent-decoded; empty if the path ends with a slash.
func lastSegment(ofAddress text: String) -> String {
  let path = URIReference(text).path
  let start = path.utf8.lastIndex(of: "/").map { path.utf8.index(after: $0) }
  return percentDecoded(path[(start ?? path.startIndex)...])
}

/// The name of a file without a title: that in its address, else the address.
func fileName(inAddress text: String) -> String {
  let name = cleanText(lastSegment(ofAddress: text), limit: 256)
  return name.isEmpty ? cleanText(URIReference(text).masked.text, limit: 256) : name
}

/// The extension of an address's path in lower case, without the dot; nil for none, and for a program's.
public func fileExtension(ofAddress text: String) -> String? {
  let suffix = divided(lastSegment(ofAddress: text)).suffix.lowercased()
  guard let dot = suffix.utf8.lastIndex(of: ".") else { return nil }
  let end = String(suffix[suffix.utf8.index(after: dot)...])
  return scriptExtensions.contains(end) ? nil : end
}

/// Extensions of programs on servers, which say nothing about the file that the program sends.
let scriptExtensions: Set = [
  "php", "php5", "asp", "aspx", "ashx", "jsp", "cgi", "pl", "py", "do", "cfm", "action",
]

/// The media type of an extension in lower case; nil if unknown.
public func mediaType(ofExtension text: String) -> String? { typesByExtension[text] }

/// Whether a name's extension is of a media type that matches one of the globs; without globs every name is.
///
/// An unknown extension counts as `application/octet-stream`, and `.bin` matches everything. A name without an extension
/// matches too. Digits, and text with a blank, are not an extension: `v1.2`, `Dr. Who`.
func endsAsType(_ name: String, in globs: [String]) -> Bool {
  guard !globs.isEmpty, let dot = name.utf8.lastIndex(of: ".") else { return true }
  let end = name[name.utf8.index(after: dot)...].lowercased()
  guard end != "bin", !end.utf8.contains(" "), end.utf8.contains(where: { !$0.isASCIIDigit })
  else { return true }
  let types = kinds.filter { $0.fileExtension == end }.flatMap(\.types)
  return (types.isEmpty ? ["application/octet-stream"] : types).contains { type in
    globs.contains { glob(matches: type, pattern: $0) }
  }
}

/// The extension of a media type, without the dot; nil if unknown.
func fileExtension(ofType type: String) -> String? { extensionsByType[type] }

/// Extensions and their media types; if several extensions have one type, the first names files.
private let kinds: [(fileExtension: String, types: [String])] = [
  ("mp3", ["audio/mpeg", "audio/mp3", "audio/x-mp3", "audio/x-mpeg"]),
  ("m4a", ["audio/mp4", "audio/x-m4a", "audio/m4a", "audio/aacp"]), ("m4b", ["audio/x-m4b"]),
  ("aac", ["audio/aac", "audio/x-aac"]),
  ("ogg", ["audio/ogg", "application/ogg", "audio/x-ogg", "audio/vorbis"]),
  ("wma", ["audio/x-ms-wma"]),
  ("aiff", ["audio/aiff"]),
  ("oga", ["audio/ogg"]), ("opus", ["audio/opus", "audio/ogg"]), ("flac", ["audio/flac", "audio/x-flac"]),
  ("wav", ["audio/wav", "audio/x-wav", "audio/vnd.wave"]),
  ("mp4", ["video/mp4", "application/mp4", "audio/mp4"]), ("m4v", ["video/x-m4v", "video/m4v"]),
  ("mov", ["video/quicktime"]), ("webm", ["video/webm", "audio/webm"]), ("mkv", ["video/x-matroska"]),
  ("ogv", ["video/ogg"]), ("avi", ["video/x-msvideo", "video/avi"]), ("mpg", ["video/mpeg"]),
  ("mpeg", ["video/mpeg"]), ("wmv", ["video/x-ms-wmv"]),
  ("jpg", ["image/jpeg", "image/jpg", "image/pjpeg"]), ("jpeg", ["image/jpeg"]), ("png", ["image/png"]),
  ("gif", ["image/gif"]), ("webp", ["image/webp"]), ("avif", ["image/avif"]), ("heic", ["image/heic"]),
  ("tiff", ["image/tiff"]), ("svg", ["image/svg+xml"]),
  ("pdf", ["application/pdf"]), ("epub", ["application/epub+zip"]),
  ("zip", ["application/zip", "application/x-zip-compressed"]),
  ("gz", ["application/gzip", "application/x-gzip"]),
  ("tgz", ["application/x-tgz"]), ("bz2", ["application/x-bzip2"]), ("xz", ["application/x-xz"]),
  ("zst", ["application/zstd"]), ("7z", ["application/x-7z-compressed"]),
  ("rar", ["application/vnd.rar", "application/x-rar-compressed"]),
  ("tar", ["application/x-tar"]), ("iso", ["application/x-iso9660-image", "application/x-cd-image"]),
  ("torrent", ["application/x-bittorrent"]),
  ("deb", ["application/vnd.debian.binary-package", "application/x-debian-package"]),
  ("rpm", ["application/x-rpm"]), ("apk", ["application/vnd.android.package-archive"]),
  ("html", ["text/html", "application/xhtml+xml"]), ("htm", ["text/html"]),
  ("xhtml", ["application/xhtml+xml"]),
  ("txt", ["text/plain"]), ("md", ["text/markdown"]), ("csv", ["text/csv"]), ("vtt", ["text/vtt"]),
  ("srt", ["application/x-subrip", "application/srt"]), ("ics", ["text/calendar"]),
  ("yaml", ["application/yaml", "text/yaml", "application/x-yaml"]), ("yml", ["application/yaml"]),
  ("toml", ["application/toml"]), ("json", ["application/json", "text/json"]),
  ("geojson", ["application/geo+json"]),
  ("xml", ["application/xml", "text/xml"]), ("rss", ["application/rss+xml"]),
  ("atom", ["application/atom+xml"]),
  ("gpx", ["application/gpx+xml"]),
  ("m3u8", ["application/vnd.apple.mpegurl", "application/x-mpegurl"]),
  ("m3u", ["audio/x-mpegurl", "audio/mpegurl"]),
  ("bin", ["application/x-binary"]),
  ("exe", ["application/vnd.microsoft.portable-executable"]),
  ("doc", ["application/msword"]), ("odt", ["application/vnd.oasis.opendocument.text"]),
  ("docx", ["application/vnd.openxmlformats-officedocument.wordprocessingml.document"]),
  ("xlsx", ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"]),
  ("pptx", ["application/vnd.openxmlformats-officedocument.presentationml.presentation"]),
]

private let typesByExtension = Dictionary(
  kinds.compactMap { kind in kind.types.first.map { (kind.fileExtension, $0) } }
) { first, _ in first }

private let extensionsByType = Dictionary(
  kinds.flatMap { kind in kind.types.map { ($0, kind.fileExtension) } }
) { first, _ in first }

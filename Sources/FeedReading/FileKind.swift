// Files that are recognisably no text, by their first bytes (file(1) knows more).

/// What kind of file bytes are that cannot be a feed, for example `a PNG image`; nil if they may be one.
func fileKind(_ bytes: [UInt8]) -> String? {
  for (start, kind) in signatures where bytes.starts(with: start) { return kind }
  if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
    return "a WebP image"
  }
  if bytes.dropFirst(4).starts(with: Array("ftyp".utf8)) { return "an MP4 file" }
  return nil
}

private let signatures: [([UInt8], String)] = [
  ([0x89] + Array("PNG".utf8), "a PNG image"), ([0xFF, 0xD8, 0xFF], "a JPEG image"),
  (Array("GIF8".utf8), "a GIF image"), ([0, 0, 1, 0], "an icon"), (Array("%PDF-".utf8), "a PDF document"),
  (Array("PK\u{3}\u{4}".utf8), "a zip archive"), ([0x1F, 0x8B], "gzip data"),
  ([0x28, 0xB5, 0x2F, 0xFD], "Zstandard data"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz data"),
  (Array("BZh".utf8), "bzip2 data"), (Array("ID3".utf8), "an MP3 file"), (Array("OggS".utf8), "an Ogg file"),
  ([0x7F, 0x45, 0x4C, 0x46], "a program"),
]

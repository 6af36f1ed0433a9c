// Pages and error messages that come with status 200 where a file was expected, and files that are not whole.

/// What an answer is in truth, if it is a page or an error message where another kind of file was expected.
///
/// What is expected says the type that the document declares, else the extension of the asset's address, else that of the
/// address that answered; where nothing says it, anything is let through. To be asked only of bodies that are taken from
/// their beginning.
///
/// - Parameters:
///   - firstBytes: the beginning of the body, of which 1 KiB is looked at; an empty one says nothing.
///   - head: the answer.
///   - asset: what was asked for.
///   - address: the address that answered.
/// - Returns: the failure; nil if the body may be what was asked for.
public func pageProblem(
  _ firstBytes: [UInt8], head: Response, asset: Asset, address: WebAddress
) -> TransferFailure? {
  let bytes = firstBytes.prefix(1024)
  guard !bytes.isEmpty, let expected = expectedType(of: asset, address: address) else { return nil }
  // Programs that send audio and forget to say so declare their servers' default, which is HTML.
  guard !isBinary(bytes) else { return nil }
  let declared = mediaType(head["Content-Type"])
  if !isHTML(expected), declared.map(isHTML) ?? false || beginsAsHTML(bytes) {
    return .page("an HTML page")
  }
  guard isNeverText(expected) else { return nil }
  let start = beginning(of: bytes)
  if start.first == UInt8(ascii: "<") { return .page("an XML document") }
  if start.first == UInt8(ascii: "{") || declared.map(isJSON) ?? false { return .page("JSON") }
  return nil
}

/// The type that an asset should be of; nil where nothing says it.
private func expectedType(of asset: Asset, address: WebAddress) -> String? {
  if let type = mediaType(asset.type) { return type }
  return [asset.url, address.text].lazy.compactMap { fileExtension(ofAddress: $0) }
    .compactMap { mediaType(ofExtension: $0) }.first
}

private func isHTML(_ type: String) -> Bool { type == "text/html" || type == "application/xhtml+xml" }

private func isJSON(_ type: String) -> Bool { type.hasSuffix("/json") || type.hasSuffix("+json") }

/// Whether files of a type never are text: sound, pictures, films, archives, books.
private func isNeverText(_ type: String) -> Bool {
  if type.hasSuffix("+xml") || type.hasSuffix("mpegurl") || type.hasSuffix("scpls") { return false }
  if ["audio/", "video/", "image/", "font/"].contains(where: type.hasPrefix) { return true }
  return [
    "application/pdf", "application/zip", "application/epub+zip", "application/gzip", "application/x-gzip",
    "application/x-tar", "application/x-xz", "application/x-bzip2", "application/zstd", "application/x-tgz",
    "application/x-7z-compressed", "application/vnd.rar", "application/x-iso9660-image", "application/ogg",
    "application/mp4", "application/vnd.debian.binary-package", "application/x-rpm",
    "application/vnd.android.package-archive", "application/java-archive", "application/x-bittorrent",
  ].contains(type)
}

/// Whether bytes hold control characters that no text has.
private func isBinary(_ bytes: ArraySlice<UInt8>) -> Bool {
  // In UTF-16 every other byte of a page may be zero.
  if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE, 0x3C, 0x00]) { return false }
  return bytes.contains { $0 < 0x09 || (0x0E...0x1A).contains($0) }
}

private func beginsAsHTML(_ bytes: ArraySlice<UInt8>) -> Bool {
  // Letter by letter, so that one in UTF-16 is found too.
  let text = beginning(of: bytes.filter { $0 != 0 }[...]).prefix(256).map(asciiLowercased)
  return ["<!doctype html", "<html", "<head", "<body", "<script", "<meta http"].contains {
    text.starts(with: $0.utf8)
  }
}

/// What is left after a byte order mark, white space and comments.
private func beginning(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  var rest = bytes
  for mark in [[0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE]] as [[UInt8]] where rest.starts(with: mark) {
    rest = rest.dropFirst(mark.count)
  }
  while true {
    rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    guard rest.starts(with: "<!--".utf8) else { return rest }
    var index = rest.startIndex + 4
    while index + 2 < rest.endIndex, !rest[index...].starts(with: "-->".utf8) { index += 1 }
    guard index + 2 < rest.endIndex else { return rest[rest.endIndex...] }
    rest = rest[(index + 3)...]
  }
}

/// What is wrong with the length of a file whose last byte has come, if anything.
///
/// What the server said counts; a part that does not end where it said is none. What the document says is no promise: it
/// is held against a file only where nothing else tells its end from a connection that was cut (RFC 9112 section 6.3).
///
/// - Parameters:
///   - received: the bytes of the whole file, those of earlier attempts included.
///   - partial: what is known of it.
///   - asset: what the document says of it.
///   - head: the last answer.
/// - Returns: the failure; nil if the file is whole.
public func lengthProblem(
  received: Int64, partial: PartialDownload, asset: Asset, head: Response
) -> TransferFailure? {
  // A part that came to its end and is not as long as it says was not the part that it says: nothing of it can be trusted.
  if head.status == 206, head["Transfer-Encoding"] != nil,
    let range = head["Content-Range"].flatMap({ ContentRange($0) }), received != range.last + 1
  {
    return .wrongRange("a part that ends at \(received) instead of \(range.last + 1)")
  }
  if let total = partial.total {
    if received < total { return .short(received: received, total: total) }
    if received > total { return .overlong(total: total) }
  }
  if received <= 0 { return .empty }
  let endsWithConnection =
    partial.total == nil && head["Transfer-Encoding"] == nil && head["Content-Length"] == nil
    && head.joined("Connection")?.lowercased().contains("close") ?? false
  if endsWithConnection, let length = asset.length, received < length {
    return .short(received: received, total: length)
  }
  return nil
}

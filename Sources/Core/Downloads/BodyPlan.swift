// The meaning of a response to a download: its bytes continue the file, replace it, or are refused.

/// The use of a response's body.
public enum BodyPlan: Equatable, Sendable {
  /// The body is the file from this byte on; bytes that are already there are skipped.
  case append(from: Int64)
  /// The body is the whole file, with the reason if it replaces existing bytes.
  case fromStart(String?)
  /// The same after its content coding is undone.
  case decoded(String?)
  /// The body is not used.
  case refused(TransferFailure)
}

/// Decides the use of the body of a response to a download.
///
/// A 206 is the rest only if it begins at the requested byte, the file's size is the known one, and no validator differs
/// from the known ones; nor is a page that does not repeat the validator. A 200 to a range request is the whole file only if its length or a new validator proves it: some
/// servers send the rest with this status. Without a range, a length that contradicts the same strong validator is
/// refused. The length of a body in a content coding is not the length of the file, and a part of it is useless.
///
/// A whole file of the version that is there in part is skipped up to its new bytes. Any other one replaces bytes that can be
/// resumed only if the server gives a reason: another strong validator of the same address, or the known length. A captive
/// portal, an error page with status 200 and the like give none. `pageProblem` then judges the first bytes.
///
/// - Parameters:
///   - head: the response, 200 or another 2xx; its body is ignored.
///   - resume: the request.
///   - partial: the known facts about the file.
///   - asset: the asset; its URL is empty for a feed's body.
///   - download: has `max-size`.
///   - address: the address that sent the response.
/// - Returns: the plan, and the facts about the file from now on, with the `bytes` that are kept.
public func bodyPlan(
  for head: Response, _ resume: ResumePlan, partial: PartialDownload, asset: Asset, download: DownloadSpec,
  address: WebAddress
) -> (plan: BodyPlan, partial: PartialDownload) {
  let codings = foreignCodings(of: head, asset: asset, address: address)
  if codings.count > 1 || codings.contains("zstd") {
    return (.refused(.encoded(codings.joined(separator: ", "))), partial)
  }
  var plan: BodyPlan
  var known: PartialDownload
  switch (head.status, resume) {
  case (206, _) where !codings.isEmpty, (200, .resume) where !codings.isEmpty:
    return (.refused(.wrongRange("compressed bytes (\(codings[0]))")), partial)
  case (206, .resume(let offset, _)):
    guard let part = part(head), part.range.first == offset else {
      return (.refused(wrongPart(head)), partial)
    }
    if let failure = reasonNotToAppend(head, total: part.total, partial, asset, address) {
      return (.refused(failure), partial)
    }
    plan = .append(from: offset)
    known = partial
    known.total = part.total
    known.acceptsRanges = true
  case (200, _), (203, _), (206, .fresh):
    if codings.isEmpty, let failure = reasonNotWhole(head, resume, partial) {
      return (.refused(failure), partial)
    }
    let isSame = isSameVersion(head, partial)
    if codings.isEmpty, isSame, partial.hasUsableBytes, partial.isFrom(address) {
      plan = .append(from: 0)
      known = partial
      known.total = partial.total ?? contentLength(of: head)
      break
    }
    if let reason = reasonToKeepBytes(head, codings, partial, asset: asset, address: address) {
      return (.refused(.changed(reason)), partial)
    }
    let reason = partial.bytes > 0 ? reasonToStartOver(head, resume, partial) : nil
    plan = codings.isEmpty ? .fromStart(reason) : .decoded(reason)
    known = PartialDownload()
    known.entityTag = usable(head["ETag"])
    known.lastModified = usable(head["Last-Modified"])
    known.date = usable(head["Date"])
    if codings.isEmpty {
      known.total = contentLength(of: head) ?? (isSame ? partial.total : nil)
      known.acceptsRanges = head.status == 206 ? true : acceptsRanges(head)
    } else {
      known.acceptsRanges = false
    }
  default:
    return (.refused(.fetch(.status(head.status))), partial)
  }
  if let limit = download.maxSize, let total = known.total, total > limit.bytes {
    return (.refused(.tooLarge(limit: limit, size: ByteCount(total))), partial)
  }
  known.record(address, isFeedBody: asset.isFeedBody)
  return (plan, known)
}

/// Why a part does not belong to the bytes that are there; nil if it continues them.
private func reasonNotToAppend(
  _ head: Response, total: Int64, _ partial: PartialDownload, _ asset: Asset, _ address: WebAddress
) -> TransferFailure? {
  if let known = partial.total, total != known {
    return .changed("its size is \(total) instead of \(known) bytes")
  }
  if let change = changedValidator(head, partial) { return .changed(change) }
  guard !isSameVersion(head, partial) else { return nil }
  return otherType(of: head, asset, address).map { .page($0) }
}

/// How a whole file differs from the bytes that are there, which can be resumed and therefore stay; nil if it may replace
/// them.
private func reasonToKeepBytes(
  _ head: Response, _ codings: [String], _ partial: PartialDownload, asset: Asset, address: WebAddress
) -> String? {
  guard partial.hasUsableBytes, canResume(partial) else { return nil }
  if let coding = codings.first { return "it is compressed (\(coding))" }
  if let type = otherType(of: head, asset, address), !isHTML(type) { return "its type is \(type)" }
  // A weak validator may change although the bytes do not.
  let isStrong = usable(head["ETag"]).map(isStrongEntityTag) ?? true
  if partial.isFrom(address), isStrong, changedValidator(head, partial) != nil { return nil }
  let length = contentLength(of: head) ?? part(head)?.total
  if let length, length == partial.total { return nil }
  return "its size is \(length.map(String.init) ?? "unknown"), and no validator confirms that"
}

/// Why a response is not, or may not be, the whole file; nil if it is.
private func reasonNotWhole(
  _ head: Response, _ resume: ResumePlan, _ partial: PartialDownload
) -> TransferFailure? {
  let length = contentLength(of: head)
  // The field has no meaning in a 200 (RFC 9110 section 14.4), but servers that send it mean it.
  if head.status == 206 || head["Content-Range"] != nil {
    guard let part = part(head), part.range.first == 0, part.total == part.range.last + 1 else {
      return wrongPart(head)
    }
  }
  if let total = partial.total, isSameVersion(head, partial), let length, length != total {
    return .changed("its size is \(length) instead of \(total) bytes, although its version is the same")
  }
  guard case .resume(let offset, _) = resume else { return nil }
  let rest = partial.total.map { $0 - offset }
  let isWhole =
    length != nil
    && (length == partial.total || changedValidator(head, partial) != nil && length != rest)
  return isWhole ? nil : .wrongRange("bytes with status \(head.status) that may be only the rest")
}

/// Whether a response has the validator that the known bytes could be resumed by.
private func isSameVersion(_ head: Response, _ partial: PartialDownload) -> Bool {
  guard let validator = strongValidator(of: partial).validator else { return false }
  return validator == usable(head["ETag"]) ?? usable(head["Last-Modified"])
}

/// The part of a file that a response says it is, and the size of the whole file; nil if the response contradicts itself,
/// or does not say the size: then the part may be any.
private func part(_ head: Response) -> (range: ContentRange, total: Int64)? {
  let isMultipart = mediaType(head["Content-Type"])?.hasPrefix("multipart/") ?? false
  guard !isMultipart, let range = head["Content-Range"].flatMap({ ContentRange($0) }),
    let total = range.total
  else { return nil }
  let length = range.last - range.first + 1
  return contentLength(of: head) ?? length == length ? (range, total) : nil
}

private func wrongPart(_ head: Response) -> TransferFailure {
  let range = head["Content-Range"].map { " \"\(cleanText($0, limit: 100))\"" } ?? ""
  return .wrongRange("a part\(range) with status \(head.status), which was not requested")
}

/// The validator of a response that differs from the partial file's, in words; nil if none does.
private func changedValidator(_ head: Response, _ partial: PartialDownload) -> String? {
  if let tag = usable(head["ETag"]), let known = partial.entityTag, tag != known {
    return "its ETag differs"
  }
  if let date = usable(head["Last-Modified"]), let known = partial.lastModified, date != known {
    return "its Last-Modified differs"
  }
  return nil
}

private func reasonToStartOver(_ head: Response, _ resume: ResumePlan, _ partial: PartialDownload) -> String {
  if case .fresh(let reason?) = resume { return reason }
  return changedValidator(head, partial).map { text(of: .changed($0)) }
    ?? "the server sent the whole file instead of the rest"
}

/// Whether a server accepts ranges (RFC 9110 section 14.3); nil if it does not say.
private func acceptsRanges(_ head: Response) -> Bool? {
  guard let value = head.joined("Accept-Ranges")?.lowercased() else { return nil }
  return value.contains("bytes") ? true : value.contains("none") ? false : nil
}

/// The declared length of a response's body, unless its end is found in another way.
///
/// A number beyond `Int64` becomes the largest one, which is too large for any file.
func contentLength(of head: Response) -> Int64? {
  head["Transfer-Encoding"] == nil ? head["Content-Length"].flatMap { wholeNumber($0) } : nil
}

/// The codings of a response that was requested without one; none if the file itself has that form.
///
/// Many servers declare the form of a compressed file as its coding: a `.tar.gz` with `Content-Encoding: gzip` is stored as
/// received.
private func foreignCodings(of head: Response, asset: Asset, address: WebAddress) -> [String] {
  let codings = head.contentCodings
  guard codings.count == 1, let forms = formsOfCodings[codings[0]] else { return codings }
  let types = [asset.type, head["Content-Type"]].compactMap(mediaType)
  let names = [asset.url, address.text, suggestedName(head["Content-Disposition"])].compactMap(\.self)
  return forms.isDisjoint(with: types + names.compactMap(fileExtension(ofAddress:))) ? codings : []
}

/// The media types and extensions of files that have the form of a coding themselves.
private let formsOfCodings: [String: Set<String>] = [
  "gzip": [
    "application/gzip", "application/x-gzip", "application/x-tgz", "application/x-compressed-tar", "gz",
    "tgz",
    "svgz",
  ], "br": ["br"], "zstd": ["application/zstd", "zst"],
]

/// The failure if a page or an error message was sent with status 200 instead of the file.
///
/// The expected type is the one that the document declares, else the type for the extension of the asset's address, else of the
/// address that sent the response. Without an expected type anything is accepted, but no page in place of another file. Only
/// for bodies from the first byte.
///
/// - Parameters:
///   - firstBytes: the beginning of the body; 1 KiB of it is examined.
///   - head: the response.
///   - asset: the requested asset.
///   - address: the address that sent the response.
///   - isReplacement: whether the body replaces bytes that are there, or a file that was placed before.
/// - Returns: the failure, or nil if the body may be the file.
public func pageProblem(
  _ firstBytes: [UInt8], head: Response, asset: Asset, address: WebAddress, isReplacement: Bool = false
) -> TransferFailure? {
  let bytes = firstBytes.prefix(1024)
  guard !bytes.isEmpty,
    let expected = expectedType(of: asset, address: address)
      ?? (isReplacement ? "application/octet-stream" : nil)
  else { return nil }
  // A program that sends audio without a type gets its server's default type, HTML.
  guard !isBinary(bytes) else { return nil }
  let declared = mediaType(head["Content-Type"])
  if !isHTML(expected), declared.map(isHTML) ?? false || beginsAsHTML(bytes) {
    return .page("an HTML page")
  }
  guard isNeverText(expected) else { return nil }
  let start = beginning(of: bytes)
  let isText = declared.map { $0.hasPrefix("text/") || $0.hasSuffix("json") } ?? false
  // The beginning of a PDF document may be text alone.
  let isMessage = start.first == "<" || start.first == "{" || isText && !start.starts(with: "%PDF".utf8)
  return isMessage ? .page("an error message") : nil
}

/// The type of a response that says it is a page or a picture although the asset is none; nil for any other.
private func otherType(of head: Response, _ asset: Asset, _ address: WebAddress) -> String? {
  guard let type = mediaType(head["Content-Type"]), let expected = expectedType(of: asset, address: address)
  else { return nil }
  let isOther =
    isHTML(type) && !isHTML(expected) || type.hasPrefix("image/") && !expected.hasPrefix("image/")
  return isOther ? type : nil
}

/// The expected type of an asset.
private func expectedType(of asset: Asset, address: WebAddress) -> String? {
  if let type = mediaType(asset.type) { return type }
  return [asset.url, address.text].lazy.compactMap { fileExtension(ofAddress: $0) }
    .compactMap { mediaType(ofExtension: $0) }.first
}

private func isHTML(_ type: String) -> Bool { type == "text/html" || type == "application/xhtml+xml" }

/// Whether files of a type are never text: sound, pictures, films, archives, books.
private func isNeverText(_ type: String) -> Bool {
  if type.hasSuffix("+xml") || type.hasSuffix("mpegurl") || type.hasSuffix("scpls") { return false }
  return ["audio/", "video/", "image/", "font/"].contains(where: type.hasPrefix)
    || fileExtension(ofType: type).map(extensionsOfBinaries.contains) ?? false
}

private let extensionsOfBinaries: Set = [
  "pdf", "zip", "epub", "gz", "tar", "xz", "bz2", "zst", "tgz", "7z", "rar", "iso", "ogg", "mp4", "deb",
  "rpm",
  "apk", "torrent",
]

/// Whether bytes contain control characters that no text has.
private func isBinary(_ bytes: ArraySlice<UInt8>) -> Bool {
  // In UTF-16 every other byte of a page may be zero.
  if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE, 0x3C, 0x00]) { return false }
  return bytes.contains { $0 < 0x09 || (0x0E...0x1A).contains($0) }
}

private func beginsAsHTML(_ bytes: ArraySlice<UInt8>) -> Bool {
  // Without zero bytes, so that a page in UTF-16 is found too.
  let text = beginning(of: bytes.filter { $0 != 0 }[...]).prefix(256).map(asciiLowercased)
  return ["<!doctype html", "<html", "<head", "<body", "<script", "<meta http"].contains {
    text.starts(with: $0.utf8)
  }
}

/// The bytes after a byte order mark, white space and comments.
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

/// The failure if a file has the wrong length after its last byte was received.
///
/// The server's length counts; a part that does not end where it should is refused. The document's length counts only if
/// nothing else tells the end of the file from a cut connection (RFC 9112 section 6.3).
///
/// - Parameters:
///   - received: the bytes of the whole file, with those of earlier attempts.
///   - partial: the known facts about the file.
///   - asset: the asset in the document.
///   - head: the last response.
/// - Returns: the failure, or nil if the file is complete.
public func lengthProblem(
  received: Int64, partial: PartialDownload, asset: Asset, head: Response
) -> TransferFailure? {
  // A part of another length than declared is not the declared part, and none of its bytes can be trusted.
  if head.status == 206, contentLength(of: head) == nil,
    let range = head["Content-Range"].flatMap({ ContentRange($0) }),
    head["Transfer-Encoding"] == nil ? received > range.last + 1 : received != range.last + 1
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

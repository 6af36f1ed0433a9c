// What the head of an answer means for the bytes that follow: they go on, they begin anew, or they are no use.

/// What is done with the body of an answer.
public enum BodyPlan: Hashable, Sendable {
  /// It is the rest of what is there.
  case append
  /// It is the whole file, and what is there goes; why, where something was there.
  case fromStart(String?)
  /// It is not taken.
  case refused(TransferFailure)
}

/// Says what is done with the body of an answer to a download.
///
/// A 206 is the rest only if it begins where asked, is of a file of the known size, and carries no other validator than
/// the known ones (PEERS check 48). A 200 is the whole file, in any case.
///
/// - Parameters:
///   - head: the answer, its body not looked at; 200 or another 2xx.
///   - resume: how it was asked for.
///   - partial: what was known of the file until now.
///   - asset: the asset; its URL is empty for a feed's body.
///   - download: `max-size` counts here.
///   - address: the address that answered.
///   - now: what dates of two digits of a year are held against.
/// - Returns: the plan, and what is known of the file from now on: its `bytes` are those that stay.
public func bodyPlan(
  for head: Response, _ resume: ResumePlan, partial: PartialDownload, asset: Asset, download: DownloadSpec,
  address: WebAddress, now: Instant
) -> (plan: BodyPlan, partial: PartialDownload) {
  if let coding = foreignCoding(of: head, asset: asset, address: address) {
    return (.refused(.encoded(coding)), partial)
  }
  let plan: BodyPlan
  var known: PartialDownload
  switch (head.status, resume) {
  case (200, _), (203, _):
    plan = .fromStart(partial.bytes > 0 ? reasonToStartOver(head, resume, partial) : nil)
    known = PartialDownload()
    known.total = contentLength(of: head)
    known.entityTag = usable(head["ETag"])
    known.lastModified = usable(head["Last-Modified"])
    known.date = usable(head["Date"])
    known.acceptsRanges = acceptsRanges(head)
  case (206, .resume(let offset, _)):
    switch rest(head, from: offset, of: partial) {
    case .failure(let failure): return (.refused(failure), partial)
    case .success(let total):
      plan = .append
      known = partial
      known.bytes = offset
      known.total = total
      known.acceptsRanges = true
    }
  case (206, .fresh):
    return (.refused(.wrongRange("a part, though the whole file was asked for")), partial)
  default:
    return (.refused(.fetch(.status(head.status))), partial)
  }
  if let limit = download.maxSize, let total = known.total, total > limit.bytes {
    return (.refused(.tooLarge(limit: limit, size: ByteCount(total))), partial)
  }
  known.note(address, isFeedBody: asset.url.isEmpty)
  return (plan, known)
}

/// The size of the whole file as far as it is known, if a 206 is its rest.
private func rest(
  _ head: Response, from offset: Int64, of partial: PartialDownload
) -> Result<Int64?, TransferFailure> {
  if mediaType(head["Content-Type"])?.hasPrefix("multipart/") ?? false {
    return .failure(.wrongRange("several parts, though one was asked for"))
  }
  guard let text = head["Content-Range"] else {
    return .failure(.wrongRange("a part that does not say which"))
  }
  guard let range = ContentRange(text) else {
    return .failure(.wrongRange("the part \"\(cleanText(text, limit: 100))\""))
  }
  guard range.first == offset else {
    return .failure(.wrongRange("a part that begins at \(range.first) instead of \(offset)"))
  }
  let length = range.last - range.first + 1
  if let sent = contentLength(of: head), sent != length {
    return .failure(.wrongRange("\(sent) bytes and called them a part of \(length)"))
  }
  if let known = partial.total {
    guard let total = range.total else { return .failure(.wrongRange("a part of a file of unknown size")) }
    guard total == known else { return .failure(.changed("its size is \(total) instead of \(known) bytes")) }
  }
  if let change = changedValidator(head, partial) { return .failure(.changed(change)) }
  return .success(range.total ?? partial.total)
}

/// Which validator of an answer is another one than that of what is there, in words; nil if none is.
private func changedValidator(_ head: Response, _ partial: PartialDownload) -> String? {
  if let tag = usable(head["ETag"]), let known = partial.entityTag, tag != known {
    return "its ETag is another one"
  }
  if let date = usable(head["Last-Modified"]), let known = partial.lastModified, date != known {
    return "its Last-Modified is another one"
  }
  return nil
}

private func reasonToStartOver(_ head: Response, _ resume: ResumePlan, _ partial: PartialDownload) -> String {
  if case .fresh(let reason) = resume, let reason { return reason }
  if let change = changedValidator(head, partial) {
    return text(of: .changed(change))
  }
  if acceptsRanges(head) == false { return "the server gives no parts of files" }
  return "the server sent the whole file instead of the rest"
}

/// What an answer says of ranges (RFC 9110 section 14.3); nil if nothing.
private func acceptsRanges(_ head: Response) -> Bool? {
  guard let value = head.joined("Accept-Ranges")?.lowercased() else { return nil }
  let units = value.split(whereSeparator: { $0 == "," || $0 == " " })
  return units.contains("bytes") ? true : units.contains("none") ? false : nil
}

/// The length of an answer's body as it says it; nil where it does not, or its end is found in another way.
///
/// More than any file can have is said as it is meant: too much.
func contentLength(of head: Response) -> Int64? {
  guard head["Transfer-Encoding"] == nil, let text = head["Content-Length"], isDigits(text) else {
    return nil
  }
  return Int64(text) ?? .max
}

/// The coding of an answer that was asked for plain; nil where it has none, or is to be kept as it is.
///
/// Servers that declare the form of a compressed file as its coding are common: `.tar.gz` with `Content-Encoding: gzip` is
/// stored as it comes. Some values that are no codings are common too.
private func foreignCoding(of head: Response, asset: Asset, address: WebAddress) -> String? {
  // Not undone where nobody said that it could be (RFC 9112 section 7.4).
  if let value = head.joined("Transfer-Encoding") {
    let codings = value.lowercased().split(whereSeparator: { $0 == "," || $0 == " " })
    if !codings.allSatisfy({ $0 == "chunked" || $0 == "identity" }) { return cleanText(value, limit: 100) }
  }
  guard let value = head.joined("Content-Encoding") else { return nil }
  let codings = value.lowercased().split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
    .filter { !noCodings.contains($0) }
  guard let coding = codings.first else { return nil }
  let isItsForm = (formsOfCodings[coding] ?? []).contains { form in
    form == mediaType(asset.type) || form == mediaType(head["Content-Type"])
      || form == fileExtension(ofAddress: asset.url) || form == fileExtension(ofAddress: address.text)
  }
  return codings.count == 1 && isItsForm ? nil : cleanText(value, limit: 100)
}

/// Values of `Content-Encoding` that say nothing, as object stores keep them of what was uploaded.
private let noCodings: Set = [
  "identity", "none", "binary", "7bit", "8bit", "utf-8", "utf8", "aws-chunked",
]

/// By coding, the media types and extensions of files that are in that form themselves.
private let formsOfCodings: [String: Set<String>] = {
  let gzip: Set = [
    "application/gzip", "application/x-gzip", "application/x-tgz", "application/x-gtar",
    "application/x-compressed-tar", "gz", "tgz", "svgz", "taz",
  ]
  let zstd: Set = ["application/zstd", "application/x-zstd", "zst", "tzst"]
  return [
    "gzip": gzip, "x-gzip": gzip, "br": ["application/x-brotli", "br"], "zstd": zstd,
    "compress": ["application/x-compress", "z"], "x-compress": ["application/x-compress", "z"],
    "bzip2": ["application/x-bzip2", "bz2"], "x-bzip2": ["application/x-bzip2", "bz2"],
    "xz": ["application/x-xz", "xz"],
  ]
}()

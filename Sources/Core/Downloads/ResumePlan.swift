// Whether a download resumes, and from which byte. `RequestChain` makes its requests.

/// The first byte that an attempt requests.
public enum ResumePlan: Equatable, Sendable {
  /// The first byte of the file, with the reason if existing bytes cannot be used.
  case fresh(String?)
  /// The byte at an offset, the first that is missing, if `ifRange`, a strong validator, still matches the file.
  case resume(offset: Int64, ifRange: String)

  /// Whether the existing bytes are kept.
  var isResume: Bool {
    if case .resume = self { true } else { false }
  }
}

/// Decides whether a download resumes.
///
/// It resumes if the partial file has bytes, the server has not refused ranges, the bytes came from the same origin and
/// path (the queries of signed addresses differ), and a strong validator is known (RFC 9110 section 13.1.5).
///
/// - Parameters:
///   - partial: the bytes that are there.
///   - address: the address to request; nil if it is the same as before.
/// - Returns: the byte to begin with.
public func resumePlan(_ partial: PartialDownload, asking address: WebAddress?) -> ResumePlan {
  guard partial.bytes > 0 else { return .fresh(nil) }
  guard partial.hasUsableBytes else { return .fresh("the partial file was longer than the file") }
  guard partial.acceptsRanges != false else { return .fresh("the server does not support ranges") }
  guard address.map(partial.isFrom) ?? true else { return .fresh("the file now comes from another address") }
  let (validator, weakness) = strongValidator(of: partial)
  return validator.map { .resume(offset: partial.bytes, ifRange: $0) } ?? .fresh(weakness)
}

/// The validator that proves that two parts belong to the same bytes: a strong `ETag`, else a strong `Last-Modified`.
///
/// `Last-Modified` must not replace a weak `ETag` (RFC 9110 section 13.1.5); it may replace a malformed one. Without a
/// validator `weakness` says why.
func strongValidator(of partial: PartialDownload) -> (validator: String?, weakness: String?) {
  if let tag = partial.entityTag {
    if isStrongEntityTag(tag) { return (tag, nil) }
    if tag.hasPrefix("W/") || tag.hasPrefix("w/") {
      return (nil, "the server's ETag is weak, so it does not identify the exact bytes")
    }
  }
  guard let modified = partial.lastModified else {
    return (nil, "the server sends no validator, so a change would go unnoticed")
  }
  // A file may change twice within the second of its date. RFC 9110 section 8.8.2.2 demands a distance, which RFC 7232
  // section 2.2.2 set to 60 s. Such dates have no years of two digits.
  guard let sent = partial.date, let date = Instant(httpDate: sent),
    let changed = Instant(httpDate: modified), changed <= date, date.since(changed) >= .seconds(60)
  else { return (nil, "the file's date is too recent to identify the exact bytes") }
  return (modified, nil)
}

/// Whether an `ETag` is strong and of the form of RFC 9110 section 8.8.3.
func isStrongEntityTag(_ tag: String) -> Bool {
  let bytes = tag.utf8
  guard bytes.count >= 2, bytes.count <= 4096, bytes.first == "\"",
    bytes.last == "\""
  else { return false }
  return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || $0 >= 0x23 && $0 != 0x7F }
}

extension PartialDownload {
  /// Whether there are bytes, and no more than the file has.
  var hasUsableBytes: Bool { bytes > 0 && bytes <= total ?? bytes }

  /// Stores the address of the bytes; for a feed's body only a fingerprint, because the address may be secret.
  mutating func record(_ address: WebAddress, isFeedBody: Bool) {
    self.address = isFeedBody ? Self.fingerprint(of: address) : address.text
  }

  /// Whether the bytes came from an address, its query aside.
  func isFrom(_ address: WebAddress) -> Bool {
    guard let own = self.address else { return false }
    if own.hasPrefix("#") { return own == Self.fingerprint(of: address) }
    return WebAddress(own).map { Self.place(of: $0) == Self.place(of: address) } ?? false
  }

  private static func place(of address: WebAddress) -> String {
    address.origin + URIReference(address.text).path
  }

  private static func fingerprint(of address: WebAddress) -> String {
    "#" + String(Fingerprint(of: place(of: address)).value, radix: 16)
  }
}

/// Why the whole file should be requested at once after a failed range; nil if that would not help.
///
/// A 416 proves nothing about the bytes, even if it names their number. Some servers answer 403 to any range. A server that
/// sends too many bytes after a range does not understand ranges.
func reasonToAskWhole(_ failure: TransferFailure) -> String? {
  switch failure {
  case .fetch(.status(let status)) where status == 403 || status == 412 || status == 416:
    "the server answered \(status) to the range request"
  case .wrongRange, .changed, .overlong: text(of: failure)
  default: nil
  }
}

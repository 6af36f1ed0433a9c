// Whether a download can go on where it stopped: the five conditions of PEERS 7 as far as they are known before asking.

/// How an attempt at a download begins.
public enum ResumePlan: Hashable, Sendable {
  /// With the first byte; why what was there is of no use, nil where nothing was there.
  case fresh(String?)
  /// With the byte at an offset, if the file is still the one of which `ifRange` is a strong validator.
  ///
  /// The partial file is cut back to the offset.
  case resume(offset: Int64, ifRange: String)

  /// Whether bytes that are there are kept.
  public var isResume: Bool {
    if case .resume = self { true } else { false }
  }
}

/// Says whether a download can go on where it stopped.
///
/// It can if bytes are there, the server has not refused ranges, the address is the one that they came from (same origin
/// and path: the queries of signed addresses differ), and a strong validator is known (RFC 9110 section 13.1.5). Of a
/// file that is whole the last byte is asked for once more: that proves that it is still the server's.
///
/// - Parameters:
///   - partial: what is there.
///   - address: the address to be asked.
/// - Returns: from where, or why from the beginning.
public func resumePlan(_ partial: PartialDownload, asking address: WebAddress) -> ResumePlan {
  guard partial.bytes > 0 else { return .fresh(nil) }
  if let total = partial.total, partial.bytes > total {
    return .fresh("more was there than the file is long")
  }
  guard partial.acceptsRanges != false else { return .fresh("the server gives no parts of files") }
  guard partial.isFrom(address) else { return .fresh("it comes from another address now") }
  switch strongValidator(of: partial) {
  case .success(let validator):
    let isWhole = partial.total == partial.bytes
    return .resume(offset: isWhole ? partial.bytes - 1 : partial.bytes, ifRange: validator)
  case .failure(let weakness): return .fresh(weakness.text)
  }
}

/// Why there is no strong validator.
struct Weakness: Error, Hashable {
  let text: String
}

/// The validator that proves that two parts are of the same bytes: a strong `ETag`, else a `Last-Modified` that is strong.
///
/// A date is no substitute for a weak `ETag` (RFC 9110 section 13.1.5), but for one that is none by its form it is.
func strongValidator(of partial: PartialDownload) -> Result<String, Weakness> {
  if let tag = partial.entityTag {
    if isStrongEntityTag(tag) { return .success(tag) }
    if tag.hasPrefix("W/") || tag.hasPrefix("w/") {
      return .failure(Weakness(text: "the server's ETag is weak and does not stand for the very bytes"))
    }
  }
  guard let modified = partial.lastModified else {
    return .failure(Weakness(text: "the server gives nothing by which a change could be noticed"))
  }
  // A file may change twice in the second of its date; RFC 9110 section 8.8.2.2 asks for a distance that its
  // forerunner, RFC 7232 section 2.2.2, put at 60 s. Years of two digits are not used for such dates.
  guard let sent = partial.date, let date = Instant(httpDate: sent, now: Instant(secondsSince1970: 0)),
    let changed = Instant(httpDate: modified, now: date), changed <= date, date.since(changed) >= .seconds(60)
  else {
    return .failure(Weakness(text: "the file's date is too new to stand for the very bytes"))
  }
  return .success(modified)
}

/// Whether an `ETag` is strong and of the form of RFC 9110 section 8.8.3.
func isStrongEntityTag(_ tag: String) -> Bool {
  let bytes = tag.utf8
  guard bytes.count >= 2, bytes.count <= 4096, bytes.first == UInt8(ascii: "\""),
    bytes.last == UInt8(ascii: "\"")
  else { return false }
  return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || $0 >= 0x23 && $0 != 0x7F }
}

extension PartialDownload {
  /// Notes the address that its bytes come from; of a feed's body only a fingerprint, as the address may be a secret.
  mutating func note(_ address: WebAddress, isFeedBody: Bool) {
    self.address = isFeedBody ? Self.fingerprint(of: address) : address.text
  }

  /// Whether its bytes come from an address, whatever its query is.
  func isFrom(_ address: WebAddress) -> Bool {
    guard let own = self.address else { return false }
    if own.hasPrefix("#") { return own == Self.fingerprint(of: address) }
    return WebAddress(own).map { Self.place(of: $0) == Self.place(of: address) } ?? false
  }

  private static func place(of address: WebAddress) -> String {
    address.origin + URIReference(address.text).path
  }

  private static func fingerprint(of address: WebAddress) -> String {
    var print = Fingerprint()
    print.add(place(of: address))
    return "#" + String(print.value, radix: 16)
  }
}

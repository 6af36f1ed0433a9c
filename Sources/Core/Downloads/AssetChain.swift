// The requests of one download: whether it resumes, and one request for each redirect. Sending them is Machine's
// business.

/// The first byte that an attempt requests.
public enum ResumePlan: Hashable, Sendable {
  /// The first byte of the file, with the reason if existing bytes cannot be used.
  case fresh(String?)
  /// The byte at an offset, if `ifRange`, a strong validator, still matches the file.
  ///
  /// The partial file is cut back to the offset.
  case resume(offset: Int64, ifRange: String)

  /// Whether the existing bytes are kept.
  public var isResume: Bool {
    if case .resume = self { true } else { false }
  }
}

/// Decides whether a download resumes.
///
/// It resumes if the partial file has bytes, the server has not refused ranges, the bytes came from the same origin and
/// path (the queries of signed addresses differ), and a strong validator is known (RFC 9110 section 13.1.5). For a
/// complete file the last byte is requested again, which proves that the file has not changed on the server.
///
/// - Parameters:
///   - partial: the bytes that are there.
///   - address: the address to request.
/// - Returns: the byte to begin with.
public func resumePlan(_ partial: PartialDownload, asking address: WebAddress) -> ResumePlan {
  guard partial.bytes > 0 else { return .fresh(nil) }
  if let total = partial.total, partial.bytes > total {
    return .fresh("the partial file was longer than the file")
  }
  guard partial.acceptsRanges != false else { return .fresh("the server does not support ranges") }
  guard partial.isFrom(address) else { return .fresh("the file now comes from another address") }
  switch strongValidator(of: partial) {
  case .success(let validator):
    let isWhole = partial.total == partial.bytes
    return .resume(offset: isWhole ? partial.bytes - 1 : partial.bytes, ifRange: validator)
  case .failure(let weakness): return .fresh(weakness.text)
  }
}

/// Why there is no strong validator, in words.
struct Weakness: Error, Hashable {
  let text: String
}

/// The validator that proves that two parts belong to the same bytes: a strong `ETag`, else a strong `Last-Modified`.
///
/// `Last-Modified` must not replace a weak `ETag` (RFC 9110 section 13.1.5); it may replace a malformed one.
func strongValidator(of partial: PartialDownload) -> Result<String, Weakness> {
  if let tag = partial.entityTag {
    if isStrongEntityTag(tag) { return .success(tag) }
    if tag.hasPrefix("W/") || tag.hasPrefix("w/") {
      return .failure(Weakness(text: "the server's ETag is weak, so it does not identify the exact bytes"))
    }
  }
  guard let modified = partial.lastModified else {
    return .failure(Weakness(text: "the server sends no validator, so a change would go unnoticed"))
  }
  // A file may change twice within the second of its date. RFC 9110 section 8.8.2.2 demands a distance, which RFC 7232
  // section 2.2.2 set to 60 s. Such dates have no years of two digits.
  guard let sent = partial.date, let date = Instant(httpDate: sent),
    let changed = Instant(httpDate: modified), changed <= date, date.since(changed) >= .seconds(60)
  else {
    return .failure(Weakness(text: "the file's date is too recent to identify the exact bytes"))
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

/// The requests of one attempt at a download, one hop after the other.
///
/// The feed's headers and credentials go only to its own origin. A range is requested only at the address that the bytes
/// came from, and validators go only to exactly that address.
public struct AssetChain: Sendable {
  /// The request to send next.
  public private(set) var request: Request
  /// Whether the request asks for the rest of the file.
  public private(set) var resume: ResumePlan
  /// Whether the request has validators, so that a 304 means that the existing file is current.
  public private(set) var isConditional = false
  /// The redirects so far.
  public private(set) var route: RequestRoute

  private var access: FeedAccess
  private let partial: PartialDownload
  private let validators: Validators
  private let network: NetworkSettings
  private let userAgent: String
  /// Whether the user wrote the first address; only a setting allows any other address to be private.
  private let isWritten: Bool
  private let allowsInsecureRedirects: Bool
  /// The private addresses that a redirect or a document may use.
  private var connected: [NetworkAddress]
  /// Why no further range is requested from any address.
  private var wholeReason: String?

  /// A chain that begins at an asset's address.
  ///
  /// - Parameters:
  ///   - access: the feed's address, headers and credentials; only the address for a feed that is a file.
  ///   - asset: the first address; for a feed's body its own address, or the one it has moved to.
  ///   - partial: the bytes that are there.
  ///   - validators: those of the file placed before, or none for an unconditional request. A resume is never conditional.
  ///   - network: `max-redirects`, `private-addresses` and other limits.
  ///   - userAgent: the program's own `User-Agent`, unless the configuration has one.
  ///   - isWritten: whether the user wrote the address, as for a feed's body and for pushes, so that it may be private.
  ///   - connected: the private addresses that the feed was connected to when its document named the asset, and since.
  ///   - allowsInsecureRedirects: whether a redirect may lead from https to http.
  public init(
    _ access: FeedAccess, asset: WebAddress, partial: PartialDownload, validators: Validators,
    network: NetworkSettings, userAgent: String, isWritten: Bool, connected: [NetworkAddress],
    allowsInsecureRedirects: Bool = false
  ) {
    (self.access, self.allowsInsecureRedirects, self.isWritten) = (access, allowsInsecureRedirects, isWritten)
    (self.connected, self.partial, self.validators, self.network) = (connected, partial, validators, network)
    self.userAgent = network.userAgent ?? userAgent
    route = RequestRoute(configured: asset, start: asset)
    request = Request(address: asset, fields: [], network: network)
    resume = .fresh(nil)
    ask()
  }

  /// Follows a redirect; returns whether to send another request, or how the chain ended.
  public mutating func handle(_ response: Response) -> RequestChain.Step {
    if route.hops == 0, isWritten { connected = [response.innerAddress].compactMap(\.self) }
    switch route.redirect(
      of: response, limit: network.maxRedirects, allowingInsecure: allowsInsecureRedirects)
    {
    case .none: return .answered
    case .refused(let failure): return .failed(failure)
    case .to(let target):
      // Who answers for an http address may lead back to the feed's own origin.
      if route.end.scheme == "https", target.scheme == "http" { access = access.withoutSecrets }
      route.follow(to: target, status: response.status, canLearn: false)
      ask()
      return .again
    }
  }

  /// Requests the whole file from the same address, after a range did not work.
  public mutating func requestWhole(because reason: String) {
    wholeReason = reason
    ask()
  }

  /// Requests the whole file if a range failed and the whole file may work; returns false otherwise.
  public mutating func requestWhole(after failure: TransferFailure) -> Bool {
    guard resume.isResume, let reason = reasonToAskWhole(failure) else { return false }
    requestWhole(because: reason)
    return true
  }

  /// Makes the request for the last address of the route.
  private mutating func ask() {
    let address = route.end
    request = access.request(
      to: address, accept: "*/*", userAgent: userAgent, network: network, cookies: route.cookies,
      omitting: Self.ownFields)
    request.isDownload = true
    request.reach = route.hops == 0 && isWritten ? .anywhere : reach(to: address)
    resume = wholeReason.map { .fresh($0) } ?? resumePlan(partial, asking: address)
    isConditional = false
    if case .resume(let offset, let validator) = resume {
      request.fields.append(HeaderField("Range", "bytes=\(offset)-"))
      request.fields.append(HeaderField("If-Range", validator))
    } else if wholeReason == nil, validators.address == access.validatorKey(of: address) {
      isConditional = request.addConditions(validators)
    }
  }

  /// The networks that an address from a document or a redirect may be in.
  private func reach(to address: WebAddress) -> AddressReach {
    let isOwn = !access.isOfLocalFeed && access.isOwnOrigin(address)
    return access.reach(
      isOwnOrigin: isOwn || isWritten && address.hasOrigin(of: route.start), connected: connected, network)
  }

  /// Headers that only the chain may set, because a wrong value changes the bytes of the response.
  private static let ownFields: Set = [
    "range", "if-range", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since",
    "accept-encoding",
  ]
}

/// Why the whole file should be requested at once after a failed range; nil if that would not help.
///
/// A 416 proves nothing about the bytes, even if it names their number. Some servers answer 403 to any range.
public func reasonToAskWhole(_ failure: TransferFailure) -> String? {
  switch failure {
  case .fetch(.status(let status)) where status == 403 || status == 412 || status == 416:
    "the server answered \(status) to the range request"
  case .wrongRange, .changed: text(of: failure)
  default: nil
  }
}

// The requests of one download: the first one, and one more for each redirect. Sending them is Transfer's business.

/// The requests of one attempt at a download, one hop after the other; a value that says what to do next.
///
/// Headers and credentials of the feed go only to the feed's own origin. A range is asked for only at the address that the
/// bytes came from, and validators go only to the very address that they came from.
public struct AssetChain: Sendable {
  /// The request to send now.
  public private(set) var request: Request
  /// Whether it asks for the rest of what is there.
  public private(set) var resume: ResumePlan
  /// Whether it carries validators, so that a 304 is an answer: the file that is there has not changed.
  public private(set) var isConditional = false
  /// The way so far.
  public private(set) var route: RequestRoute

  private let access: FeedAccess
  private let partial: PartialDownload
  private let validators: Validators
  private let network: NetworkSettings
  private let userAgent: String
  /// Whether the user wrote the first address: only that one may be private wherever it leads.
  private let isWritten: Bool
  private var hops = 0
  /// The private addresses that a redirect or a document may lead to.
  private var connected: [NetworkAddress]
  /// Why no range is asked for any more, whatever the address is.
  private var wholeReason: String?

  /// The chain that begins at an asset's address.
  ///
  /// - Parameters:
  ///   - access: the feed's address, and who asks; of a feed that is a file one without headers and credentials.
  ///   - asset: where to begin; of the body of a feed its own address, or the one that it has moved to.
  ///   - partial: what is there already.
  ///   - validators: those of the file that was placed before; empty asks unconditionally. A resume is never conditional.
  ///   - network: limits; `max-redirects` and `private-addresses` count here.
  ///   - userAgent: the program's own `User-Agent`, unless the configuration names one.
  ///   - isWritten: whether the user wrote the address, as that of a feed's body or of pushes, so that it may be private.
  ///   - connected: the private addresses that the feed was connected to when its document named the asset, and since.
  public init(
    _ access: FeedAccess, asset: WebAddress, partial: PartialDownload, validators: Validators,
    network: NetworkSettings, userAgent: String, isWritten: Bool, connected: [NetworkAddress]
  ) {
    self.access = access
    self.isWritten = isWritten
    self.connected = connected
    self.partial = partial
    self.validators = validators
    self.network = network
    self.userAgent = network.userAgent ?? userAgent
    route = RequestRoute(configured: asset, start: asset)
    request = Request(address: asset, fields: [], network: network)
    resume = .fresh(nil)
    ask()
  }

  /// What validators of an answer to `request` are stored with.
  public var validatorKey: String { access.validatorKey(of: request.address) }

  /// Takes an answer to `request`, and says whether the attempt has its answer.
  public mutating func take(_ response: Response) -> RequestChain.Step {
    if hops == 0, isWritten { connected = [response.innerAddress].compactMap(\.self) }
    switch route.turn(of: response, hops: hops, limit: network.maxRedirects) {
    case .none: return .answered
    case .refused(let failure): return .failed(failure)
    case .to(let target):
      hops += 1
      route.follow(to: target, status: response.status, mayLearn: false)
      ask()
      return .again
    }
  }

  /// Asks the same address again for the whole file, once, after an answer to a range that was of no use.
  public mutating func withoutRange(_ reason: String) {
    wholeReason = reason
    ask()
  }

  /// Asks for the whole file after an answer to a range that was of no use; false where that would not help, or where no
  /// range was asked for.
  public mutating func asksForWhole(after failure: TransferFailure) -> Bool {
    guard resume.isResume, let reason = reasonToAskWhole(failure) else { return false }
    withoutRange(reason)
    return true
  }

  /// Makes the request to the last address of the route.
  private mutating func ask() {
    let address = route.end
    request = access.request(
      to: address, accept: "*/*", userAgent: userAgent, network: network, omitting: Self.ownFields)
    request.isDownload = true
    request.reach = hops == 0 && isWritten ? .anywhere : reach(to: address)
    resume = wholeReason.map { .fresh($0) } ?? resumePlan(partial, asking: address)
    isConditional = false
    if case .resume(let offset, let validator) = resume {
      request.fields.append(HeaderField("Range", "bytes=\(offset)-"))
      request.fields.append(HeaderField("If-Range", validator))
    } else if wholeReason == nil, validators.address == access.validatorKey(of: address) {
      isConditional = request.addConditions(validators)
    }
  }

  /// Where an address may lead that a document or a redirect gave.
  private func reach(to address: WebAddress) -> AddressReach {
    let isOwn = !access.isOfFile && access.isOwnOrigin(address)
    return access.reach(
      isOwnOrigin: isOwn || isWritten && address.origin == route.start.origin, connected: connected, network)
  }

  /// What only the chain may set: a wrong one would bring other bytes than those of the file.
  private static let ownFields: Set = [
    "range", "if-range", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since",
    "accept-encoding",
  ]
}

/// Why an answer to a range is worth asking for the whole file at once; nil if it would not help.
///
/// A 416, also one whose size is that of what is there, proves nothing of its bytes; some servers answer 403 to any range.
public func reasonToAskWhole(_ failure: TransferFailure) -> String? {
  switch failure {
  case .fetch(.status(let status)) where status == 403 || status == 412 || status == 416:
    "the server answered \(status) to a part of the file"
  case .wrongRange, .changed: text(of: failure)
  default: nil
  }
}

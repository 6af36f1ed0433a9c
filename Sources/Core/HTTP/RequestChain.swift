// The requests of one fetch: the first one, and one more for each redirect. Sending them is Transfer's business.

/// The requests of one fetch, one hop after the other; a value that says what to do next.
///
/// Headers, credentials, cookies and validators of the configuration go only to the feed's own origin, validators only
/// to the very address they came from (RFC 9110 section 13.1; fetch's rule for redirects across origins).
public struct RequestChain: Sendable {
  /// The request to send now.
  public private(set) var request: Request
  /// Whether it carries validators.
  public private(set) var isConditional: Bool

  private let access: FeedAccess
  private let validators: Validators
  private let network: NetworkSettings
  private let userAgent: String
  /// The way so far.
  public private(set) var route: RequestRoute
  private var hops = 0
  /// The private address that the feed was connected to; nil where that was a public one, or is not known.
  private var connected: NetworkAddress?

  /// What an answer means for the chain.
  public enum Step: Sendable {
    /// It is the answer.
    case answered
    /// `request` is the next one.
    case again
    /// The redirect is not followed.
    case failed(FetchFailure)
  }

  /// The chain that begins at a feed's own address, or at the one it has moved to.
  ///
  /// - Parameters:
  ///   - access: where the feed is and who asks.
  ///   - validators: those of the last answer; empty asks unconditionally.
  ///   - network: limits; `max-redirects` and `private-addresses` count here.
  ///   - userAgent: the program's own `User-Agent`, unless the configuration names one.
  ///   - learned: a learned address to begin at; what holds of redirects holds of it.
  ///   - connected: the private address that the last fetch was connected to.
  public init(
    _ access: FeedAccess, validators: Validators, network: NetworkSettings, userAgent: String,
    startingAt learned: WebAddress? = nil, connected: NetworkAddress? = nil
  ) {
    self.access = access
    self.validators = validators
    self.network = network
    self.userAgent = network.userAgent ?? userAgent
    self.connected = connected
    let start = learned ?? access.address
    route = RequestRoute(configured: access.address, start: start)
    request = Request(address: start, fields: [], network: network)
    isConditional = false
    (request, isConditional) = makeRequest(
      to: start, reach: start == access.address ? .anywhere : reach(to: start))
  }

  /// What validators of an answer to `request` are stored with.
  public var validatorKey: String { access.validatorKey(of: request.address) }

  /// Takes an answer to `request`, and says whether the fetch is at its end.
  public mutating func take(_ response: Response) -> Step {
    if hops == 0, request.address == access.address { connected = response.innerAddress }
    if leansOnOwnAddress(response) { route.permanentTarget = nil }
    let target: WebAddress
    switch route.turn(of: response, hops: hops, limit: network.maxRedirects) {
    case .none: return .answered
    case .refused(let failure): return .failed(failure)
    case .to(let address): target = address
    }
    hops += 1
    route.follow(to: target, status: response.status, mayLearn: access.mayLearn(target))
    (request, isConditional) = makeRequest(to: target, reach: reach(to: target))
    return .again
  }

  private func makeRequest(to address: WebAddress, reach: AddressReach) -> (Request, isConditional: Bool) {
    var request = access.request(
      to: address, accept: access.kind.accept, userAgent: userAgent, network: network)
    request.reach = reach
    let isConditional =
      validators.address == access.validatorKey(of: address) && request.addConditions(validators)
    return (request, isConditional)
  }

  /// Whether a redirect was followed only because the feed itself is at the same private address.
  ///
  /// It is not learned: the address of a machine in the home network changes, and then only what the user wrote may
  /// lead to the new one.
  private func leansOnOwnAddress(_ response: Response) -> Bool {
    guard hops > 0, let inner = response.innerAddress else { return false }
    return !access.reach(isOwnOrigin: access.isOwnOrigin(request.address), connected: [], network)
      .allows(inner, isInner: true)
  }

  /// Where a redirect may lead.
  private func reach(to target: WebAddress) -> AddressReach {
    access.reach(
      isOwnOrigin: access.isOwnOrigin(target), connected: [connected].compactMap(\.self), network)
  }
}

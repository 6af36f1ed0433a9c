// The requests of one fetch or download: the first one and one for each redirect. These rules decide which origins get
// secrets, and which redirects are allowed.

/// The requests of one fetch, or of one attempt at a download, hop by hop.
///
/// Configured headers and credentials go only to the feed's own origin, validators only to the exact address that they
/// came from (RFC 9110 section 13.1, and the Fetch standard's rule for redirects across origins). The body of a POST stays
/// with 307 and 308 and only at the feed's own origin; 301, 302 and 303 lead to a GET (RFC 9110 section 15.4). A range of a
/// file is requested only at the address that the bytes came from.
public struct RequestChain: Sendable {
  /// The request to send next.
  public private(set) var request: Request
  /// Whether `request` has validators, so that a 304 means that the document or file is current.
  public private(set) var isConditional = false
  /// Whether `request` asks for the rest of a file.
  public private(set) var resume = ResumePlan.fresh(nil)
  /// The redirects so far.
  public private(set) var route: RequestRoute

  private var access: FeedAccess
  private let validators: Validators
  private let network: NetworkSettings
  private let userAgent: String
  /// The bytes that are there of a file; nil for a document.
  private let partial: PartialDownload?
  /// Whether the requests are still POSTs: a redirect other than 307 and 308 changes them to GET.
  private var isPost: Bool
  /// Whether the user wrote the first address; only a setting allows any other address to be private.
  private let isWritten: Bool
  /// The private addresses that a redirect or a document may use.
  private var connected: [NetworkAddress]
  /// Whether a challenge has changed the scheme of the credentials.
  private var hasTakenOtherScheme = false
  /// Why no further range is requested from any address.
  private var wholeReason: String?

  public enum Step: Sendable {
    /// The response is final.
    case answered
    /// `request` is the next request, after a redirect or a challenge.
    case again
    /// The redirect is not allowed.
    case failed(FetchFailure)
  }

  /// A chain that begins at the feed's address or at a learned one.
  ///
  /// - Parameters:
  ///   - access: the feed's address with its secrets.
  ///   - validators: those of the last response; empty for an unconditional request.
  ///   - network: limits; `private-addresses` is used here.
  ///   - userAgent: the program's own `User-Agent`, if none is configured.
  ///   - learned: a learned address to begin at, with the same rules as for redirects.
  ///   - connected: the private address at the last fetch.
  public init(
    _ access: FeedAccess, validators: Validators, network: NetworkSettings, userAgent: String,
    startingAt learned: WebAddress? = nil, connected: NetworkAddress? = nil
  ) {
    let start = learned ?? access.address
    self.init(
      access, at: start, partial: nil, validators: validators, network: network, userAgent: userAgent,
      isWritten: start == access.address && !access.isOfLocalFeed, connected: [connected].compactMap(\.self))
  }

  /// A chain that begins at an asset's address, or at a feed's.
  ///
  /// - Parameters:
  ///   - access: the feed's address, headers and credentials; only the address for a feed that is a file.
  ///   - start: the first address; for a feed's body its own address, or the one it has moved to.
  ///   - partial: the bytes that are there; nil for a document.
  ///   - validators: those of the file placed before, or none for an unconditional request. A resume is never conditional.
  ///   - network: `private-addresses` and other limits.
  ///   - userAgent: the program's own `User-Agent`, unless the configuration has one.
  ///   - isWritten: whether the user wrote the address, as for a feed's body and for pushes, so that it may be private.
  ///   - connected: the private addresses that the feed was connected to when its document named the asset, and since.
  public init(
    _ access: FeedAccess, at start: WebAddress, partial: PartialDownload?, validators: Validators,
    network: NetworkSettings, userAgent: String, isWritten: Bool, connected: [NetworkAddress]
  ) {
    (self.access, self.partial, self.validators, self.network) = (access, partial, validators, network)
    (self.isWritten, self.connected) = (isWritten, connected)
    self.userAgent = network.userAgent ?? userAgent
    isPost = access.body != nil && partial == nil
    let configured = partial == nil ? access.address : start
    route = RequestRoute(configured: configured, start: start, access.cookies ?? CookieJar())
    request = Request(address: start, fields: [], network: network)
    ask()
  }

  /// The key to store with the validators of a response to `request`; nil for a POST, as only a GET is conditional.
  public var validatorKey: String? { isPost ? nil : access.validatorKey(of: request.address) }

  /// Takes a response to `request` and decides whether to send another one.
  public mutating func handle(_ response: Response) -> Step {
    if route.hops == 0, isWritten { connected = [response.innerAddress].compactMap(\.self) }
    if dependsOnOwnAddress(response) { route.permanentTarget = nil }
    let redirect: WebAddress?
    do throws(FetchFailure) {
      redirect = try route.target(of: response)
    } catch {
      return .failed(error)
    }
    guard let target = redirect else {
      guard !hasTakenOtherScheme, request.credentials != nil, access.takeOtherScheme(after: response) else {
        return .answered
      }
      hasTakenOtherScheme = true
      ask()
      return .again
    }
    let keepsMethod = response.status == 307 || response.status == 308
    if isPost, keepsMethod, !access.isOwnOrigin(target) { return .failed(.bodyRedirect(target.host)) }
    // The next fetch is a POST again, and only a 308 says where to send it.
    let canLearn = partial == nil && access.canLearn(target) && (!isPost || keepsMethod)
    route.follow(to: target, status: response.status, canLearn: canLearn)
    isPost = isPost && keepsMethod
    ask()
    return .again
  }

  /// Requests the whole file from the same address if a range failed and the whole file may work; returns false otherwise.
  public mutating func requestWhole(after failure: TransferFailure) -> Bool {
    guard resume.isResume, let reason = reasonToAskWhole(failure) else { return false }
    wholeReason = reason
    ask()
    return true
  }

  /// Makes the request for the last address of the route.
  private mutating func ask() {
    let address = route.end
    // A request without content has no type of it (RFC 9110 section 15.4).
    let omitted = partial != nil ? Self.ownFields : access.body != nil && !isPost ? ["content-type"] : []
    request = access.request(
      to: address, accept: partial == nil ? access.kind.accept : "*/*", userAgent: userAgent,
      network: network, omitting: omitted)
    request.cookies = route.cookies
    request.isDownload = partial != nil
    request.reach = route.hops == 0 && isWritten ? .anywhere : reach(to: address)
    isConditional = false
    if isPost, let body = access.body { return request.add(body) }
    if let partial { resume = wholeReason.map { .fresh($0) } ?? resumePlan(partial, asking: address) }
    if case .resume(let offset, let validator) = resume {
      request.fields.append(HeaderField("Range", "bytes=\(offset)-"))
      request.fields.append(HeaderField("If-Range", validator))
    } else if wholeReason == nil, validators.address == access.validatorKey(of: address) {
      isConditional = request.addConditions(validators)
    }
  }

  /// Headers of a download that only the chain may set, because a wrong value changes the bytes of the response.
  private static let ownFields: Set = [
    "range", "if-range", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since",
    "accept-encoding",
  ]

  /// Whether a redirect was allowed only because the feed itself has the same private address.
  ///
  /// Such a redirect is not learned. The address of a machine at home changes, and then only the configured address leads
  /// to the new one.
  private func dependsOnOwnAddress(_ response: Response) -> Bool {
    guard route.hops > 0, let inner = response.innerAddress else { return false }
    return !access.reach(isOwnOrigin: access.isOwnOrigin(request.address), connected: [], network)
      .allows(inner, isInner: true)
  }

  /// The networks that an address from a document or a redirect may be in.
  private func reach(to address: WebAddress) -> AddressReach {
    let isOwn = !access.isOfLocalFeed && access.isOwnOrigin(address)
    return access.reach(
      isOwnOrigin: isOwn || isWritten && address.hasOrigin(of: route.start), connected: connected, network)
  }
}

/// The addresses that one fetch requested.
public struct RequestRoute: Sendable {
  var configured: WebAddress
  /// The first address: the configured one or a learned one.
  public var start: WebAddress
  /// The last address.
  public var end: WebAddress
  /// The target to learn of the permanent redirects (301, 308) before the first temporary one (302, 303, 307).
  public var permanentTarget: WebAddress?
  /// Whether all redirects were permanent; true without redirects.
  var isPermanent = true
  /// The number of redirects that were followed.
  private(set) var hops = 0
  /// The cookies for the next request, with the ones that the servers on the route have set.
  private(set) var cookies: CookieJar
  /// The cookies with which each address was last requested.
  private var sentCookies: [WebAddress: CookieJar]

  /// The requested addresses.
  public var addresses: some Collection<WebAddress> { sentCookies.keys }

  init(configured: WebAddress, start: WebAddress, _ cookies: CookieJar = CookieJar()) {
    (self.configured, self.start, self.cookies) = (configured, start, cookies)
    end = start
    sentCookies = [start: cookies]
  }

  /// The host that answered in place of the feed's, as a captive portal does.
  ///
  /// A portal can redirect only http, and does so temporarily.
  var answeringHost: String? {
    start.scheme == "http" && end.host != start.host && !isPermanent ? end.host : nil
  }

  mutating func follow(to target: WebAddress, status: Int, canLearn: Bool) {
    hops += 1
    end = target
    sentCookies[target] = cookies
    guard isPermanent, status == 301 || status == 308 else {
      isPermanent = false
      return
    }
    permanentTarget = canLearn ? target : nil
  }
}

extension FeedAccess {
  /// A request without validators; configured headers and credentials go only to the feed's own origin.
  ///
  /// - Parameters:
  ///   - address: the address to request.
  ///   - accept: the `Accept` field.
  ///   - userAgent: the `User-Agent` field, if no configured header sets it.
  ///   - network: the limits.
  ///   - omitted: lower-case names of fields that configured headers may not set.
  /// - Returns: the request.
  func request(
    to address: WebAddress, accept: String, userAgent: String, network: NetworkSettings,
    omitting omitted: Set<String> = []
  ) -> Request {
    let isOwn = isOwnOrigin(address)
    var fields = [HeaderField("User-Agent", userAgent), HeaderField("Accept", accept)]
    if isOwn {
      for header in headers where !omitted.contains(header.name.lowercased()) {
        fields.removeAll { $0.isNamed(header.name) }
        fields.append(header)
      }
      if case .bearer(let token) = credentials {
        fields.append(HeaderField("Authorization", "Bearer " + token))
      }
    }
    var request = Request(address: address, fields: fields, network: network)
    if isOwn { request.credentials = credentials }
    return request
  }

  func isOwnOrigin(_ other: WebAddress) -> Bool { other.hasOrigin(of: address) }
}

extension Request {
  /// Makes it a POST; a configured `Content-Type` replaces the body's own.
  fileprivate mutating func add(_ body: SentBody) {
    self.body = Array(body.text.utf8)
    if !fields.contains(where: { $0.isNamed("content-type") }) {
      fields.append(HeaderField("Content-Type", body.mediaType))
    }
  }

  /// Adds validators from the same address; returns whether there were any.
  mutating func addConditions(_ validators: Validators) -> Bool {
    if let tag = validators.entityTag { fields.append(HeaderField("If-None-Match", tag)) }
    if let date = validators.lastModified { fields.append(HeaderField("If-Modified-Since", date)) }
    return !validators.isEmpty
  }
}

extension FeedAccess {
  /// The addresses that a request may connect to if a server or a document chose its target: public ones, and private ones
  /// by `private-addresses`.
  ///
  /// Host names do not matter, because the owner of a name can point it to a private address at any time.
  ///
  /// - Parameters:
  ///   - isOwnOrigin: whether the user wrote the origin; even `refuse` and a list then allow the feed's own addresses.
  ///   - connected: the private addresses that the feed was connected to.
  ///   - network: the feed's settings.
  /// - Returns: the allowed addresses.
  func reach(
    isOwnOrigin: Bool, connected: [NetworkAddress], _ network: NetworkSettings
  ) -> AddressReach {
    let written = isOfLocalFeed ? nil : address.literalAddress
    var own = connected + [written].compactMap(\.self)
    // A server may listen on only one of them, and both are this machine.
    if own.contains(where: NetworkAddress.localhost.contains) { own += NetworkAddress.localhost }
    var seen: Set<NetworkAddress> = []
    let blocks = own.filter { seen.insert($0).inserted }.map { AddressBlock($0) }
    switch network.privateAddresses {
    case .allow: return .anywhere
    case .refuse: return .publicOr(isOwnOrigin ? blocks : [])
    case .networks(let listed): return .publicOr(listed + (isOwnOrigin ? blocks : []))
    case .sameAsFeed: return .publicOr(blocks)
    }
  }
}

extension RequestRoute {
  /// The most redirects of one fetch: half of what the Fetch standard allows.
  static let most = 10

  /// Takes the cookies of a response from the last address, and returns the target of its redirect, if it is one.
  ///
  /// Never allowed are circles, more hops than `most`, and https to http, where anybody on the way can read
  /// and replace the document. An address is asked again only with other cookies than before, as publishers' sites demand.
  mutating func target(of response: Response) throws(FetchFailure) -> WebAddress? {
    cookies = response.cookies
    guard [301, 302, 303, 307, 308].contains(response.status) else { return nil }
    let answer = "the server answered \(response.status), a redirect, "
    guard let location = response["Location"] else {
      throw .badRedirect(answer + "without an address (no Location)")
    }
    guard location.utf8.contains(where: { $0 > 0x20 }) else {
      throw .badRedirect(answer + "with an empty address (Location)")
    }
    let reference = URIReference(ofLocation: location)
    guard let target = WebAddress(reference.resolved(against: URIReference(end.text)).text) else {
      // Only the scheme is shown, because the server may have put a secret of the feed's address into the rest.
      let scheme = reference.scheme.map { cleanText($0.lowercased(), limit: 20) } ?? "http"
      throw .badRedirect(
        ["http", "https"].contains(scheme)
          ? "redirected to something that is not an address"
          : "redirected to an address that begins with \(scheme):, not with http: or https:")
    }
    if end.scheme == "https", target.scheme == "http" {
      throw .insecureRedirect(target.host)
    }
    if sentCookies[target]?.isSent(like: cookies) ?? false {
      let demand =
        response["Set-Cookie"] == nil
        ? "" : ": the server wants a cookie, and the ones that it set do not satisfy it; see cookies"
      throw .badRedirect("redirected in a circle" + demand)
    }
    guard hops < Self.most else { throw .tooManyRedirects(Self.most) }
    return target
  }
}

extension URIReference {
  /// The reference in a `Location` field, with the characters that an address must not have percent-encoded.
  ///
  /// Browsers and curl do the same. Bytes beyond ASCII are encoded where the request is sent.
  fileprivate init(ofLocation value: String) {
    let bytes = value.utf8.drop { $0 <= 0x20 }
    let end = bytes.lastIndex { $0 > 0x20 }.map { bytes.index(after: $0) } ?? bytes.startIndex
    self.init(String(bytes[..<end]) ?? value)
    func encoded(_ text: String) -> String {
      percentEncoded(text) { $0.value > 0x20 && $0.value != 0x7F }
    }
    path = encoded(path)
    query = query.map(encoded)
    // Servers get no fragments.
    fragment = nil
  }
}

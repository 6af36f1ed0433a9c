// What every chain of requests has in common: who is told the secrets, where a redirect leads, and how far it may lead.

extension FeedAccess {
  /// A request to an address of a chain; headers and credentials of the configuration go to the feed's own origin only
  /// (RFC 9110 section 13.1; fetch's rule for redirects across origins).
  ///
  /// - Parameters:
  ///   - address: where to.
  ///   - accept: the `Accept` field.
  ///   - userAgent: the `User-Agent` field, unless the configured headers hold one.
  ///   - network: the limits.
  ///   - omitted: names of fields in lower case that the configured headers may not set.
  /// - Returns: the request, without validators.
  func request(
    to address: WebAddress, accept: String, userAgent: String, network: NetworkSettings,
    omitting omitted: Set<String> = []
  ) -> Request {
    let isOwn = isOwnOrigin(address)
    var fields = [HeaderField("User-Agent", userAgent), HeaderField("Accept", accept)]
    if isOwn {
      for header in headers where !omitted.contains(header.name.lowercased()) {
        fields.removeAll { $0.name.lowercased() == header.name.lowercased() }
        fields.append(header)
      }
      if case .bearer(let token) = credentials {
        fields.append(HeaderField("Authorization", "Bearer " + token))
      }
    }
    var request = Request(address: address, fields: fields, network: network)
    if isOwn {
      if case .basic(let username, let password) = credentials { request.basic = (username, password) }
      if case .netrc = credentials { request.usesNetrc = true }
    }
    return request
  }

  /// Whether an address is of the feed's own origin.
  func isOwnOrigin(_ other: WebAddress) -> Bool { other.origin == address.origin }
}

extension Request {
  /// Makes the request conditional by validators that came from its very address; says whether there were any.
  mutating func addConditions(_ validators: Validators) -> Bool {
    if let tag = validators.entityTag { fields.append(HeaderField("If-None-Match", tag)) }
    if let date = validators.lastModified { fields.append(HeaderField("If-Modified-Since", date)) }
    return !validators.isEmpty
  }
}

extension FeedAccess {
  /// The addresses that a request may connect to where a server or a document leads it: the public ones, and those of
  /// the private network as `private-addresses` says.
  ///
  /// Host names do not count: the owner of a name can point it into the private network at any time.
  ///
  /// - Parameters:
  ///   - isOwnOrigin: whether the request goes to an origin that the user wrote, which `refuse` and a list leave to it.
  ///   - connected: the private addresses that the feed was connected to.
  ///   - network: the feed's settings.
  /// - Returns: the addresses.
  func reach(
    isOwnOrigin: Bool, connected: [NetworkAddress], _ network: NetworkSettings
  ) -> AddressReach {
    // A file has no address of its own.
    let written = isOfFile ? nil : address.literalAddress
    var own = connected + [written].compactMap(\.self)
    // A server may listen at one of them only, and each is this machine.
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
  /// Where an answer leads.
  enum Turn {
    /// Nowhere: it is the answer.
    case none
    /// To another address.
    case to(WebAddress)
    /// Where it is not followed.
    case refused(FetchFailure)
  }

  /// Where an answer of the last address asked leads, if that is allowed: never from https to http, never in a circle,
  /// and not further than so many hops.
  func turn(of response: Response, hops: Int, limit: Int) -> Turn {
    guard [301, 302, 303, 307, 308].contains(response.status) else { return .none }
    guard hops < limit else { return .refused(.tooManyRedirects(limit)) }
    guard let location = response["Location"], !location.isEmpty, let target = end.resolving(location) else {
      // Only its scheme is told: a server may have put what is secret in the address into it.
      let scheme = URIReference(response["Location"] ?? "").scheme ?? ""
      return .refused(.badRedirect(cleanText(scheme, limit: 20)))
    }
    if end.scheme == "https", target.scheme == "http" { return .refused(.insecureRedirect(target.host)) }
    guard !addresses.contains(target) else { return .refused(.tooManyRedirects(limit)) }
    return .to(target)
  }
}

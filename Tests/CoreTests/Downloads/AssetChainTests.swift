// The requests of a download: which headers go where, and when a range is requested.

import Testing

@testable import Core

@Suite struct AssetChainTests {
  private func access(_ change: (inout FeedAccess) -> Void = { _ in }) throws -> FeedAccess {
    var access = FeedAccess(
      address: try web("https://planet.example/atom.xml"), headers: [HeaderField("Cookie", "a=b")],
      credentials: .basic(username: "me", password: "pw"))
    change(&access)
    return access
  }

  private func chain(
    _ asset: String = "https://cdn.example/1.mp3", access: FeedAccess? = nil,
    there: PartialDownload = PartialDownload(), placed: Validators = Validators(),
    network: NetworkSettings = NetworkSettings(), isWritten: Bool = false, connected: [String] = []
  ) throws -> RequestChain {
    RequestChain(
      try access ?? self.access(), at: try web(asset), partial: there, validators: placed,
      network: network, userAgent: "bgfetch/test", isWritten: isWritten,
      connected: connected.compactMap(NetworkAddress.init))
  }

  /// The validators of a placed file from `https://cdn.example/1.mp3`.
  private func placed(_ tag: String = "\"placed\"", _ modified: String? = nil) -> Validators {
    with(Validators()) {
      ($0.address, $0.entityTag, $0.lastModified) = ("https://cdn.example/1.mp3", tag, modified)
    }
  }

  private func value(_ name: String, _ chain: RequestChain) -> String? {
    chain.request.fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// Follows a redirect.
  private func follow(_ chain: inout RequestChain, _ location: String, from connected: String? = nil) {
    guard case .again = chain.handle(redirect(location, from: connected)) else {
      return #expect(Bool(false), "\(location) is not followed")
    }
  }

  private func redirect(_ location: String, from connected: String? = nil) -> Response {
    var response = Response(status: 302, fields: [HeaderField("Location", location)], body: [])
    response.innerAddress = connected.flatMap(NetworkAddress.init)
    return response
  }

  private func only(_ addresses: String...) -> AddressReach {
    .publicOr(addresses.compactMap(AddressBlock.init))
  }

  @Test func `a first request asks for the whole file, of any type, without coding`() throws {
    let chain = try chain()

    #expect(chain.request.fields.map(\.name) == ["User-Agent", "Accept"])
    #expect(value("Accept", chain) == "*/*")
    #expect(chain.request.isDownload)
    #expect(chain.resume == .fresh(nil))
  }

  @Test(arguments: [
    ("https://planet.example/1.mp3", true), ("https://PLANET.example:443/1.mp3", true),
    ("https://planet.example:8443/1.mp3", false), ("http://planet.example/1.mp3", false),
    ("https://cdn.planet.example/1.mp3", false),
  ])
  func `headers and credentials go only to the feed's own origin, also after redirects`(
    asset: String, isOwn: Bool
  ) throws {
    var chain = try chain(asset)

    #expect((value("Cookie", chain) != nil) == isOwn)
    #expect((chain.request.credentials != nil) == isOwn)
    guard asset.hasPrefix("https") else { return }
    follow(&chain, "https://cdn.example/1.mp3")
    #expect(chain.request.credentials == nil)
    follow(&chain, "https://planet.example/2.mp3")
    #expect(chain.request.credentials == .basic(username: "me", password: "pw"))
  }

  @Test(arguments: ["Range", "if-range", "Accept-Encoding", "If-None-Match", "IF-MODIFIED-SINCE"])
  func `configured headers cannot change the bytes of the response`(name: String) throws {
    let access = try access { $0.headers = [HeaderField(name, "x"), HeaderField("X-Key", "1")] }

    let chain = try chain("https://planet.example/1.mp3", access: access)

    #expect(value(name, chain) == nil)
    #expect(value("X-Key", chain) == "1")
  }

  @Test func `the rest is requested with If-Range, and unconditionally, else the request is conditional`()
    throws
  {
    let chain = try chain(there: partial(), placed: placed())
    let whole = try self.chain(there: partial { $0.entityTag = nil }, placed: placed())

    #expect(value("Range", chain) == "bytes=1000-")
    #expect(value("If-Range", chain) == "\"v1\"")
    #expect(value("If-None-Match", chain) == nil)
    #expect(!chain.isConditional)
    #expect(whole.isConditional)
    #expect(!whole.resume.isResume)
  }

  @Test func `a range is requested only where the bytes came from`() throws {
    var chain = try chain("https://track.example/1.mp3", there: partial())
    #expect(value("Range", chain) == nil)

    follow(&chain, "https://cdn.example/1.mp3?sig=2")
    #expect(value("Range", chain) == "bytes=1000-")
    #expect(chain.resume == .resume(offset: 1000, ifRange: "\"v1\""))
    follow(&chain, "https://other.example/1.mp3")
    #expect(value("Range", chain) == nil)
    #expect(chain.resume == .fresh("the file now comes from another address"))
  }

  @Test func `after a useless range the whole file is requested once, from the same address`() throws {
    var chain = try chain("https://track.example/1.mp3", there: partial())
    follow(&chain, "https://cdn.example/1.mp3")
    let size = TransferFailure.fetch(.status(416))

    #expect(
      [.fetch(.status(500)), size, size].map { chain.requestWhole(after: $0) } == [false, true, false])
    #expect(chain.request.address.text == "https://cdn.example/1.mp3")
    #expect(value("Range", chain) == nil)
    #expect(value("If-Range", chain) == nil)
    #expect(chain.resume == .fresh("the server answered 416 to the range request"))
    follow(&chain, "https://cdn.example/1.mp3?again")
    #expect(value("Range", chain) == nil)
  }

  @Test(
    arguments: [
      (.fetch(.status(416)), true), (.fetch(.status(403)), true), (.wrongRange("x"), true),
      (.changed("x"), true), (.fetch(.status(404)), false), (.fetch(.status(500)), false),
      (.page("x"), false), (.fetch(.cut("x")), false),
    ] as [(TransferFailure, Bool)])
  func `only failures that a range may cause are retried without one`(
    failure: TransferFailure, isWorthIt: Bool
  ) {
    #expect((reasonToAskWhole(failure) != nil) == isWorthIt)
  }

  @Test func `validators of the placed file make a request to their own address conditional`() throws {
    var chain = try chain("https://planet.example/latest", placed: placed("W/\"1\"", "yesterday"))
    #expect(!chain.isConditional)

    follow(&chain, "https://cdn.example/1.mp3")

    #expect(chain.isConditional)
    #expect(value("If-None-Match", chain) == "W/\"1\"")
    #expect(value("If-Modified-Since", chain) == "yesterday")
    #expect(value("Range", chain) == nil)
  }

  @Test func `redirects are followed like those of feeds`() throws {
    var chain = try chain()
    func failure(_ location: String) -> FetchFailure? {
      guard case .failed(let failure) = chain.handle(redirect(location)) else { return nil }
      return failure
    }

    #expect(failure("http://cdn.example/1.mp3") == .insecureRedirect("cdn.example"))
    #expect(failure("https://cdn.example/1.mp3") == .badRedirect("redirected in a circle"))
    #expect(
      failure("ftp://cdn.example/1.mp3")
        == .badRedirect("redirected to an address that begins with ftp:, not with http: or https:"))
    for number in 2..<2 + RequestRoute.most { #expect(failure("/\(number).mp3") == nil) }
    #expect(failure("/99.mp3") == .tooManyRedirects(RequestRoute.most))
    guard case .answered = chain.handle(reply(200)) else { return #expect(Bool(false), "no answer") }
    #expect(chain.route.end.text == "https://cdn.example/\(RequestRoute.most + 1).mp3")
  }

  @Test func `a file is requested with the cookies that were set on the way`() throws {
    var chain = try chain()
    let jar = CookieJar(lines: ["cdn.example\tFALSE\t/\tFALSE\t0\tseen\t1"])

    guard case .again = chain.handle(with(redirect("/1.mp3")) { $0.cookies = jar }) else {
      return #expect(Bool(false), "not followed")
    }

    #expect(chain.request.cookies == jar)
  }

  @Test(arguments: [
    "https://planet.example/1.mp3", "https://planet.example/atom.xml", "http://planet.example:8080/1.mp3",
    "https://192.168.1.1/admin", "https://cdn.example/1.mp3",
  ])
  func `an asset may use only the private address that the feed was connected to`(asset: String) throws {
    #expect(try chain(asset).request.reach == only())
    #expect(
      try chain(asset, connected: ["10.0.0.5", "10.0.0.9"]).request.reach == only("10.0.0.5", "10.0.0.9"))
  }

  @Test(arguments: [
    ("http://192.168.1.5:8080/feed", ["192.168.1.5"]), ("http://[fd00::5]/feed", ["fd00::5"]),
    ("http://nas.lan/feed", []), ("http://93.184.216.34/feed", ["93.184.216.34"]),
    // The two addresses of this machine count as one.
    ("http://localhost:8080/feed", ["127.0.0.1", "::1"]), ("http://127.0.0.1/feed", ["127.0.0.1", "::1"]),
    ("http://[::1]/feed", ["127.0.0.1", "::1"]),
  ])
  func `an address written in the configuration is the feed's own, also behind a proxy`(
    feed: String, own: [String]
  ) throws {
    let address = try web(feed)
    let chain = try chain("http://192.168.1.5/1.mp3", access: access { $0.address = address })

    guard case .publicOr(let blocks) = chain.request.reach else { return #expect(Bool(false), "anywhere") }
    #expect(Set(blocks) == Set(own.compactMap(AddressBlock.init)))
  }

  @Test func `the rule for private addresses applies to assets`() throws {
    let block = try #require(AddressBlock("10.0.0.0/8"))

    for (rule, reach) in [
      (.allow, .anywhere), (.refuse, .publicOr([])), (.networks([block]), .publicOr([block])),
    ] as [(PrivateAddressRule, AddressReach)] {
      #expect(
        try chain(network: with(NetworkSettings()) { $0.privateAddresses = rule }).request.reach == reach)
    }
  }

  @Test func `a host that the user wrote for pushes may be a private one, and redirect within it`() throws {
    let address = "http://192.168.1.1/42.mp3"
    let network = with(NetworkSettings()) { $0.privateAddresses = .refuse }
    var other = try chain("https://cdn.example/42.mp3", isWritten: true)
    var own = try chain("https://nas.example/1.mp3", isWritten: true, connected: ["10.0.0.1"])
    var listed = try chain("https://planet.example/1.mp3")

    #expect(try chain(address, isWritten: true).request.reach == .anywhere)
    #expect(try chain(address, network: network, isWritten: true).request.reach == .anywhere)
    // Only the feed itself gets credentials.
    #expect(try value("Cookie", chain(address, isWritten: true)) == nil)
    follow(&other, "https://192.168.1.1/42.mp3")
    #expect(other.request.reach == .publicOr([]))
    // Only the first request's address counts: redirect targets allow nothing more.
    for (target, connected) in [("2", "192.168.1.2"), ("3", "192.168.1.3")] {
      follow(&own, "https://nas.example/\(target).mp3", from: connected)
      #expect(own.request.reach == only("192.168.1.2"), "\(target)")
    }
    // A document's asset has no address of its own.
    follow(&listed, "https://planet.example/2.mp3", from: "192.168.1.2")
    #expect(listed.request.reach == only())
  }

  @Test(arguments: [PrivateAddressRule.refuse, .networks([])])
  func `a stricter rule allows only the feed's own address for its origin`(rule: PrivateAddressRule) throws {
    let network = with(NetworkSettings()) { $0.privateAddresses = rule }
    func reach(_ origin: String) throws -> AddressReach {
      try chain(origin + "/1.mp3", network: network, connected: ["10.0.0.5"]).request.reach
    }

    #expect(try reach("https://planet.example") == only("10.0.0.5"))
    #expect(try reach("https://planet.example:8443") == only())
  }
}

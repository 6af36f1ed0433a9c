// The requests of a download: which headers go where, and when a range is requested.

import Core
import Testing

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
    there: PartialDownload = PartialDownload(), validators: Validators = Validators(),
    network: NetworkSettings = NetworkSettings(), isWritten: Bool = false, connected: [String] = [],
    allowsInsecureRedirects: Bool = false
  ) throws -> AssetChain {
    AssetChain(
      try access ?? self.access(), asset: try web(asset), partial: there, validators: validators,
      network: network, userAgent: "bgfetch/test", isWritten: isWritten,
      connected: connected.compactMap(NetworkAddress.init), allowsInsecureRedirects: allowsInsecureRedirects)
  }

  private func value(_ name: String, _ chain: AssetChain) -> String? {
    chain.request.fields.first { $0.name.lowercased() == name.lowercased() }?.value
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

  @Test(
    arguments: [
      ("https://planet.example/1.mp3", true), ("https://PLANET.example:443/1.mp3", true),
      ("https://planet.example:8443/1.mp3", false), ("http://planet.example/1.mp3", false),
      ("https://cdn.planet.example/1.mp3", false),
    ])
  func `headers and credentials go only to the feed's own origin`(asset: String, isOwn: Bool) throws {
    let chain = try chain(asset)

    #expect((value("Cookie", chain) != nil) == isOwn)
    #expect((chain.request.basic != nil) == isOwn)
  }

  @Test func `a redirect to another origin gets no credentials, and one back gets them again`() throws {
    var chain = try chain("https://planet.example/1.mp3")

    _ = chain.take(redirect("https://cdn.example/1.mp3"))
    #expect(chain.request.basic == nil)
    _ = chain.take(redirect("https://planet.example/2.mp3"))

    #expect(chain.request.basic?.username == "me")
  }

  @Test(arguments: ["Range", "if-range", "Accept-Encoding", "If-None-Match", "IF-MODIFIED-SINCE"])
  func `configured headers cannot change the bytes of the response`(name: String) throws {
    let access = try access { $0.headers = [HeaderField(name, "x"), HeaderField("X-Key", "1")] }

    let chain = try chain("https://planet.example/1.mp3", access: access)

    #expect(value(name, chain) == nil)
    #expect(value("X-Key", chain) == "1")
  }

  @Test func `the rest is requested with If-Range, and unconditionally`() throws {
    var validators = Validators()
    validators.address = "https://cdn.example/1.mp3"
    validators.entityTag = "\"placed\""

    let chain = try chain(there: partial(), validators: validators)

    #expect(value("Range", chain) == "bytes=1000-")
    #expect(value("If-Range", chain) == "\"v1\"")
    #expect(value("If-None-Match", chain) == nil)
    #expect(!chain.isConditional)
  }

  @Test func `a range is requested only where the bytes came from`() throws {
    var chain = try chain("https://track.example/1.mp3", there: partial())
    #expect(value("Range", chain) == nil)

    _ = chain.take(redirect("https://cdn.example/1.mp3?sig=2"))
    #expect(value("Range", chain) == "bytes=1000-")
    #expect(chain.resume == .resume(offset: 1000, ifRange: "\"v1\""))

    _ = chain.take(redirect("https://other.example/1.mp3"))
    #expect(value("Range", chain) == nil)
    #expect(chain.resume == .fresh("the file now comes from another address"))
  }

  @Test func `after a useless range the whole file is requested from the same address`() throws {
    var chain = try chain("https://track.example/1.mp3", there: partial())
    _ = chain.take(redirect("https://cdn.example/1.mp3"))

    chain.requestWhole(because: "the server answered 416")

    #expect(chain.request.address.text == "https://cdn.example/1.mp3")
    #expect(value("Range", chain) == nil)
    #expect(value("If-Range", chain) == nil)
    #expect(chain.resume == .fresh("the server answered 416"))
    _ = chain.take(redirect("https://cdn.example/1.mp3?again"))
    #expect(value("Range", chain) == nil)
  }

  @Test func `the whole file is requested once, and only if the range may be the cause`() throws {
    var chain = try chain(there: partial())
    let size = TransferFailure.fetch(.status(416))

    let hasCause = chain.requestWhole(after: .fetch(.status(500)))
    let first = chain.requestWhole(after: size)
    let second = chain.requestWhole(after: size)

    #expect([hasCause, first, second] == [false, true, false])
    #expect(chain.resume == .fresh("the server answered 416 to the range request"))
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
    var validators = Validators()
    validators.address = "https://cdn.example/1.mp3"
    validators.entityTag = "W/\"1\""
    validators.lastModified = "yesterday"
    var chain = try chain("https://planet.example/latest", validators: validators)
    #expect(!chain.isConditional)

    _ = chain.take(redirect("https://cdn.example/1.mp3"))

    #expect(chain.isConditional)
    #expect(value("If-None-Match", chain) == "W/\"1\"")
    #expect(value("If-Modified-Since", chain) == "yesterday")
    #expect(value("Range", chain) == nil)
  }

  @Test func `a partial file that cannot be resumed leaves the request conditional`() throws {
    var validators = Validators()
    validators.address = "https://cdn.example/1.mp3"
    validators.entityTag = "\"placed\""

    let chain = try chain(there: partial { $0.entityTag = nil }, validators: validators)

    #expect(chain.isConditional)
    #expect(!chain.resume.isResume)
  }

  @Test func `redirects are followed like those of feeds`() throws {
    var network = NetworkSettings()
    network.maxRedirects = 1
    var chain = try chain(network: network)

    guard case .failed(.insecureRedirect("cdn.example")) = chain.take(redirect("http://cdn.example/1.mp3"))
    else { return #expect(Bool(false), "followed") }
    guard case .failed(.badRedirect(.circle)) = chain.take(redirect("https://cdn.example/1.mp3"))
    else { return #expect(Bool(false), "followed") }
    guard case .failed(.badRedirect(.scheme("ftp"))) = chain.take(redirect("ftp://cdn.example/1.mp3"))
    else { return #expect(Bool(false), "followed") }
    guard case .again = chain.take(redirect("/2.mp3")) else { return #expect(Bool(false), "not followed") }
    guard case .failed(.tooManyRedirects(1)) = chain.take(redirect("/3.mp3"))
    else { return #expect(Bool(false), "followed") }
    guard case .answered = chain.take(reply(200)) else { return #expect(Bool(false), "no answer") }
    #expect(chain.route.end.text == "https://cdn.example/2.mp3")
  }

  @Test func `a redirect to http that is allowed carries no secrets, nor does any request after it`() throws {
    var chain = try chain("https://planet.example/1.mp3", allowsInsecureRedirects: true)
    #expect(value("Cookie", chain) == "a=b")
    var insecure = redirect("http://planet.example/2.mp3")
    insecure.fields.append(HeaderField("Set-Cookie", "session=1; Path=/"))

    for step in [insecure, redirect("https://planet.example/3.mp3")] {
      guard case .again = chain.take(step) else { return #expect(Bool(false), "not followed") }
      #expect(value("Cookie", chain) == nil)
      #expect(chain.request.basic == nil)
    }
  }

  @Test func `a file is requested with the cookies that were set on the way`() throws {
    var chain = try chain()
    var wall = redirect("/1.mp3")
    wall.fields.append(HeaderField("Set-Cookie", "seen=1"))

    guard case .again = chain.take(wall) else { return #expect(Bool(false), "not followed") }

    #expect(value("Cookie", chain) == "seen=1")
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

  @Test(
    arguments: [
      ("http://192.168.1.5:8080/feed", "192.168.1.5/32"), ("http://[fd00::5]/feed", "fd00::5/128"),
      ("http://nas.lan/feed", nil), ("http://93.184.216.34/feed", "93.184.216.34/32"),
    ] as [(String, String?)])
  func `an address written in the configuration is the feed's own, also behind a proxy`(
    feed: String, own: String?
  ) throws {
    let address = try web(feed)
    let access = try access { $0.address = address }

    #expect(
      try chain("http://192.168.1.5/1.mp3", access: access).request.reach
        == .publicOr([own.flatMap(AddressBlock.init)].compactMap(\.self)))
  }

  @Test(arguments: ["http://localhost:8080/feed", "http://127.0.0.1/feed", "http://[::1]/feed"])
  func `the two addresses of this machine count as one`(feed: String) throws {
    let address = try web(feed)
    let access = try access { $0.address = address }

    guard case .publicOr(let blocks) = try chain("http://localhost:81/a", access: access).request.reach else {
      return #expect(Bool(false), "anywhere")
    }
    #expect(Set(blocks) == Set(["127.0.0.1", "::1"].compactMap(AddressBlock.init)))
  }

  @Test(
    arguments: [
      (.allow, .anywhere), (.refuse, .publicOr([])),
      (
        .networks([AddressBlock("10.0.0.0/8")].compactMap { $0 }),
        .publicOr([AddressBlock("10.0.0.0/8")].compactMap { $0 })
      ),
    ] as [(PrivateAddressRule, AddressReach)])
  func `the rule for private addresses applies to assets`(
    rule: PrivateAddressRule, reach: AddressReach
  ) throws {
    var network = NetworkSettings()
    network.privateAddresses = rule

    #expect(try chain(network: network).request.reach == reach)
  }

  @Test func `a host that the user wrote for pushes may be a private one`() throws {
    let address = "http://192.168.1.1/42.mp3"
    var network = NetworkSettings()
    network.privateAddresses = .refuse

    #expect(try chain(address, isWritten: true).request.reach == .anywhere)
    #expect(try chain(address, network: network, isWritten: true).request.reach == .anywhere)
    var redirected = try chain("https://cdn.example/42.mp3", isWritten: true)
    _ = redirected.take(redirect("https://192.168.1.1/42.mp3"))
    #expect(redirected.request.reach == .publicOr([]))
    // Only the feed itself gets credentials.
    #expect(try value("Cookie", chain(address, isWritten: true)) == nil)
  }

  @Test func `a redirect may lead to the private address that the user's own address was connected to`()
    throws
  {
    var chain = try chain("https://nas.example/1.mp3", isWritten: true, connected: ["10.0.0.1"])

    _ = chain.take(redirect("https://nas.example/2.mp3", from: "192.168.1.2"))
    #expect(chain.request.reach == only("192.168.1.2"))
    // Only for the first request: redirect targets allow nothing more.
    _ = chain.take(redirect("https://nas.example/3.mp3", from: "192.168.1.3"))
    #expect(chain.request.reach == only("192.168.1.2"))
  }

  @Test func `a redirect may not lead to the private address that a document's asset was connected to`()
    throws
  {
    var chain = try chain("https://planet.example/1.mp3")

    _ = chain.take(redirect("https://planet.example/2.mp3", from: "192.168.1.2"))

    #expect(chain.request.reach == only())
  }

  @Test(arguments: [PrivateAddressRule.refuse, .networks([])])
  func `a stricter rule allows only the feed's own address for its origin`(rule: PrivateAddressRule)
    throws
  {
    var network = NetworkSettings()
    network.privateAddresses = rule

    let own = try chain("https://planet.example/1.mp3", network: network, connected: ["10.0.0.5"])
    let port = try chain("https://planet.example:8443/1.mp3", network: network, connected: ["10.0.0.5"])

    #expect(own.request.reach == only("10.0.0.5"))
    #expect(port.request.reach == only())
  }
}

// Requests and redirects: where secrets and validators go, and which redirects are refused.

import Core
import Testing

@Suite struct RequestChainTests {
  private static let home = WebAddress("https://example.org/feed").unsafelyUnwrapped

  private func chain(
    _ access: FeedAccess, validators: Validators = Validators(), network: NetworkSettings = NetworkSettings()
  ) -> RequestChain {
    RequestChain(access, validators: validators, network: network, userAgent: "bgfetch/test")
  }

  private func redirect(_ location: String?, status: Int = 301, from: String? = nil) -> Response {
    var response = Response(
      status: status, fields: location.map { [HeaderField("Location", $0)] } ?? [], body: [])
    response.innerAddress = from.flatMap(NetworkAddress.init)
    return response
  }

  private func value(_ name: String, in request: Request) -> String? {
    request.fields.first { $0.name == name }?.value
  }

  private func validators(at address: String) -> Validators {
    var validators = Validators()
    validators.address = address
    validators.entityTag = "W/\"odd \\ tag\""
    validators.lastModified = "Thu, 01 Jan 1970 00:00:00 -0000"
    return validators
  }

  @Test func `a first request without validators is unconditional`() {
    let chain = chain(FeedAccess(address: Self.home))

    #expect(!chain.isConditional)
    #expect(value("If-Modified-Since", in: chain.request) == nil)
    #expect(value("User-Agent", in: chain.request) == "bgfetch/test")
  }

  @Test func `both validators are sent byte for byte as received`() {
    let chain = chain(FeedAccess(address: Self.home), validators: validators(at: Self.home.text))

    #expect(value("If-None-Match", in: chain.request) == "W/\"odd \\ tag\"")
    #expect(value("If-Modified-Since", in: chain.request) == "Thu, 01 Jan 1970 00:00:00 -0000")
  }

  @Test func `validators go only to the address they came from`() {
    var chain = chain(FeedAccess(address: Self.home), validators: validators(at: "https://example.org/moved"))
    #expect(!chain.isConditional)

    guard case .again = chain.take(redirect("/moved")) else { return #expect(Bool(false), "not followed") }

    #expect(chain.isConditional)
    #expect(chain.request.address.text == "https://example.org/moved")
  }

  @Test func `a configured header takes the place of the program's own`() {
    var access = FeedAccess(address: Self.home)
    access.headers = [HeaderField("user-agent", "mine"), HeaderField("X-Key", "1")]

    let request = chain(access).request

    #expect(request.fields.filter { $0.name.lowercased() == "user-agent" }.map(\.value) == ["mine"])
    #expect(value("X-Key", in: request) == "1")
  }

  @Test(arguments: ["https://other.example/feed", "https://example.org:8443/feed", "//cdn.example.org/feed"])
  func `headers and credentials do not go to another origin`(location: String) {
    var access = FeedAccess(address: Self.home)
    access.headers = [HeaderField("Cookie", "a=b")]
    access.credentials = .basic(username: "me", password: "pw")
    var chain = chain(access)
    #expect(chain.request.basic?.username == "me")

    _ = chain.take(redirect(location))

    #expect(chain.request.basic == nil)
    #expect(value("Cookie", in: chain.request) == nil)
  }

  @Test func `a client certificate is shown to the feed's own origin only`() {
    var access = FeedAccess(address: Self.home)
    access.credentials = .certificate(ClientCertificate(file: "/me.pem", key: "/me.key"))
    var chain = chain(access)
    #expect(chain.request.certificate?.file == "/me.pem")

    _ = chain.take(redirect("https://other.example/feed"))

    #expect(chain.request.certificate == nil)
  }

  @Test func `headers and credentials stay within the origin`() {
    var access = FeedAccess(address: Self.home)
    access.credentials = .bearer("token")
    var chain = chain(access)

    _ = chain.take(redirect("https://EXAMPLE.org:443/other"))

    #expect(value("Authorization", in: chain.request) == "Bearer token")
  }

  @Test func `a redirect from https to http is not followed`() {
    var chain = chain(FeedAccess(address: Self.home))

    guard case .failed(.insecureRedirect) = chain.take(redirect("http://example.org/feed")) else {
      return #expect(Bool(false), "followed")
    }
  }

  @Test(
    arguments: [
      (nil, "without an address (no Location)"), ("", "with an empty address (Location)"),
      (" \t", "with an empty address (Location)"), ("ftp://example.org/", "begins with ftp:"),
      ("JavaScript:x", "begins with javascript:"), ("mailto:me@example.org", "begins with mailto:"),
      ("data:text/xml,<rss/>", "begins with data:"), ("file:///etc/passwd", "begins with file:"),
      ("http://", "something that is not an address"), ("https:///feed", "something that is not an address"),
      ("https://a b.example/", "something that is not an address"), ("#top", "redirected in a circle"),
      ("/feed", "redirected in a circle"), ("https://EXAMPLE.org:99999/", "something that is not an address"),
      ("http://example.org/feed", "from https to http"),
    ] as [(String?, String)])
  func `a redirect that cannot be followed says why`(location: String?, words: String) {
    var chain = chain(FeedAccess(address: Self.home))

    guard case .failed(let failure) = chain.take(redirect(location)) else {
      return #expect(Bool(false), "followed")
    }
    #expect(failure.text.contains(words))
  }

  @Test(
    arguments: [
      ("/my feed.xml", "https://example.org/my%20feed.xml"), ("  /a  ", "https://example.org/a"),
      ("https://other.example/a\tb c?q=x y&z=%20", "https://other.example/a%09b%20c?q=x%20y&z=%20"),
      ("my feed.xml#a b", "https://example.org/my%20feed.xml"),
      ("?q=a b", "https://example.org/feed?q=a%20b"),
      ("/a\u{1}\u{7F}", "https://example.org/a%01%7F"), ("/a%zz%2", "https://example.org/a%zz%2"),
      ("/é ö", "https://example.org/é%20ö"), ("/a\\b", "https://example.org/a\\b"),
      ("//cdn.example/x y", "https://cdn.example/x%20y"),
    ])
  func `characters that no address has are encoded in a redirect`(location: String, target: String) {
    var chain = chain(FeedAccess(address: Self.home))

    _ = chain.take(redirect(location))

    #expect(chain.request.address.text == target)
  }

  @Test func `a redirect in a circle ends`() {
    var chain = chain(FeedAccess(address: Self.home))
    _ = chain.take(redirect("/b"))

    guard case .failed(.badRedirect(.circle(setsCookies: false))) = chain.take(redirect("/feed")) else {
      return #expect(Bool(false), "followed")
    }
  }

  private func redirect(_ location: String, setting cookie: String) -> Response {
    var response = redirect(location)
    response.fields.append(HeaderField("Set-Cookie", cookie))
    return response
  }

  @Test func `an address is asked again with the cookies that were set on the way`() {
    var access = FeedAccess(address: Self.home)
    access.headers = [HeaderField("Cookie", "mine=1")]
    var chain = chain(access)

    _ = chain.take(redirect("/consent", setting: "seen=1; Path=/"))
    #expect(value("Cookie", in: chain.request) == "mine=1; seen=1")
    _ = chain.take(redirect("https://id.example/", setting: "mine=2; Path=/"))
    #expect(value("Cookie", in: chain.request) == nil)
    _ = chain.take(redirect("https://example.org/feed", setting: "id=secret"))

    #expect(chain.request.address == Self.home)
    #expect(value("Cookie", in: chain.request) == "mine=1; seen=1")
    guard case .answered = chain.take(Response(status: 200, fields: [], body: [])) else {
      return #expect(Bool(false), "not answered")
    }
    #expect(value("Cookie", in: self.chain(access).request) == "mine=1")
  }

  @Test func `a circle that cookies do not end says so`() {
    var chain = chain(FeedAccess(address: Self.home))
    _ = chain.take(redirect("/feed", setting: "a=1"))

    guard case .failed(let failure) = chain.take(redirect("/feed", setting: "a=1")) else {
      return #expect(Bool(false), "followed")
    }
    #expect(failure.text.contains("a cookie"))
  }

  @Test func `a server that sets another cookie each time ends at max-redirects`() {
    var chain = chain(FeedAccess(address: Self.home))
    for count in 0..<NetworkSettings().maxRedirects {
      guard case .again = chain.take(redirect("/feed", setting: "a=\(count)")) else {
        return #expect(Bool(false), "not followed")
      }
    }

    guard case .failed(.tooManyRedirects) = chain.take(redirect("/feed", setting: "a=x")) else {
      return #expect(Bool(false), "followed")
    }
  }

  @Test func `more redirects than allowed fail`() {
    var network = NetworkSettings()
    network.maxRedirects = 2
    var chain = chain(FeedAccess(address: Self.home), network: network)
    _ = chain.take(redirect("/1"))
    _ = chain.take(redirect("/2"))

    guard case .failed(.tooManyRedirects(2)) = chain.take(redirect("/3")) else {
      return #expect(Bool(false), "followed")
    }
  }

  @Test func `the feed's own address may be private, a redirect only to the same one`() throws {
    var chain = chain(FeedAccess(address: try #require(WebAddress("http://nas.lan/feed"))))
    #expect(chain.request.reach == .anywhere)

    _ = chain.take(redirect("http://other.lan/", from: "192.168.1.5"))

    #expect(chain.request.reach == .publicOr([AddressBlock(try #require(NetworkAddress("192.168.1.5")))]))
  }

  @Test func `a public feed leads to no private address by a redirect`() throws {
    var network = NetworkSettings()
    network.privateAddresses = .refuse
    var chain = chain(FeedAccess(address: Self.home), network: network)

    _ = chain.take(redirect("https://169.254.169.254/latest"))

    #expect(chain.request.reach == .publicOr([]))
  }

  @Test(arguments: [PrivateAddressRule.refuse, .networks([]), .sameAsFeed])
  func `within its own origin, a feed may always redirect to its private address`(
    rule: PrivateAddressRule
  ) throws {
    var network = NetworkSettings()
    network.privateAddresses = rule
    var chain = chain(FeedAccess(address: try #require(WebAddress("http://nas.lan/feed"))), network: network)

    _ = chain.take(redirect("/moved", from: "192.168.1.5"))

    #expect(chain.request.reach == .publicOr([AddressBlock(try #require(NetworkAddress("192.168.1.5")))]))
  }

  @Test(arguments: ["/moved", "https://example.org:8080/", "http://example.org/"])
  func `a public feed's name does not allow private redirects`(location: String) throws {
    var chain = chain(FeedAccess(address: try #require(WebAddress("http://example.org/feed"))))

    _ = chain.take(redirect(location))

    #expect(chain.request.reach == .publicOr([]))
  }

  @Test func `only the first response decides the feed's private address`() throws {
    var chain = chain(FeedAccess(address: try #require(WebAddress("http://nas.lan/feed"))))

    _ = chain.take(redirect("https://elsewhere.example/", from: "192.168.1.5"))
    _ = chain.take(redirect("https://nas.lan/", from: "10.0.0.1"))

    #expect(chain.request.reach == .publicOr([AddressBlock(try #require(NetworkAddress("192.168.1.5")))]))
  }

  @Test func `only the scheme of a redirect's unusable address is shown`() {
    var chain = chain(FeedAccess(address: Self.home))

    guard case .failed(let failure) = chain.take(redirect("file:///x?token=geheim")) else {
      return #expect(Bool(false), "followed")
    }
    #expect(failure.text == "redirected to an address that begins with file:, not with http: or https:")
  }

  @Test func `an address that is a secret is remembered by its fingerprint`() throws {
    var access = FeedAccess(address: Self.home)
    access.isAddressSecret = true
    let key = try #require(chain(access).validatorKey)

    #expect(!key.contains("example"))
    #expect(chain(access, validators: validators(at: key)).isConditional)
  }
}

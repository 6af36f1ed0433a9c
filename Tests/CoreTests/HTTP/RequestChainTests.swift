// Requests and redirects: where secrets and validators go, and which redirects are refused.

import Testing

@testable import Core

@Suite struct RequestChainTests {
  private static let home = WebAddress("https://example.org/feed").unsafelyUnwrapped

  private func chain(
    _ access: FeedAccess, validators: Validators = Validators(), network: NetworkSettings = NetworkSettings()
  ) -> RequestChain {
    RequestChain(access, validators: validators, network: network, userAgent: "bgfetch/test")
  }

  private func redirect(
    _ location: String?, status: Int = 301, from: String? = nil, setting cookie: String? = nil
  ) -> Response {
    var response = Response(
      status: status, fields: location.map { [HeaderField("Location", $0)] } ?? [], body: [])
    response.innerAddress = from.flatMap(NetworkAddress.init)
    if let cookie {
      response.fields.append(HeaderField("Set-Cookie", cookie))
      response.cookies = CookieJar(lines: ["example.org\tFALSE\t/\tFALSE\t0\tid\t\(cookie)"])
    }
    return response
  }

  /// The failure by which a redirect ends a chain; nil if it is followed.
  private func failure(_ chain: inout RequestChain, _ location: String?, setting cookie: String? = nil)
    -> FetchFailure?
  {
    guard case .failed(let failure) = chain.handle(redirect(location, setting: cookie)) else { return nil }
    return failure
  }

  private func access(_ change: (inout FeedAccess) -> Void) -> FeedAccess {
    with(FeedAccess(address: Self.home), change)
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

  @Test func `validators go byte for byte, as received, and only to the address they came from`() {
    let plain = chain(FeedAccess(address: Self.home))
    let own = chain(FeedAccess(address: Self.home), validators: validators(at: Self.home.text))
    var moved = chain(FeedAccess(address: Self.home), validators: validators(at: "https://example.org/moved"))

    #expect(!plain.isConditional)
    #expect(value("If-Modified-Since", in: plain.request) == nil)
    #expect(value("User-Agent", in: plain.request) == "bgfetch/test")
    #expect(value("If-None-Match", in: own.request) == "W/\"odd \\ tag\"")
    #expect(value("If-Modified-Since", in: own.request) == "Thu, 01 Jan 1970 00:00:00 -0000")
    #expect(!moved.isConditional)
    #expect(failure(&moved, "/moved") == nil)
    #expect(moved.isConditional)
    #expect(moved.request.address.text == "https://example.org/moved")
  }

  @Test func `a configured header takes the place of the program's own`() {
    let request = chain(
      access { $0.headers = [HeaderField("user-agent", "mine"), HeaderField("X-Key", "1")] }
    )
    .request

    #expect(request.fields.filter { $0.name.lowercased() == "user-agent" }.map(\.value) == ["mine"])
    #expect(value("X-Key", in: request) == "1")
  }

  @Test(arguments: [
    ("https://other.example/feed", false), ("https://example.org:8443/feed", false),
    ("//cdn.example.org/feed", false), ("https://EXAMPLE.org:443/other", true),
  ])
  func `headers, credentials and certificates go to the feed's own origin only`(location: String, isOwn: Bool)
  {
    var basic = chain(
      access {
        ($0.headers, $0.credentials) = (
          [HeaderField("Cookie", "a=b")], .basic(username: "me", password: "pw")
        )
      })
    var bearer = chain(access { $0.credentials = .bearer("token") })
    var certificate = chain(
      access { $0.credentials = .certificate(ClientCertificate(file: "/me.pem", key: "/me.key")) })
    #expect(basic.request.credentials != nil)
    #expect(certificate.request.credentials != nil)

    #expect(failure(&basic, location) == nil)
    #expect(failure(&bearer, location) == nil)
    #expect(failure(&certificate, location) == nil)

    #expect(basic.request.credentials == (isOwn ? .basic(username: "me", password: "pw") : nil))
    #expect(value("Cookie", in: basic.request) == (isOwn ? "a=b" : nil))
    #expect(value("Authorization", in: bearer.request) == (isOwn ? "Bearer token" : nil))
    #expect((certificate.request.credentials != nil) == isOwn)
  }

  @Test(
    arguments: [
      ("https", "Basic realm=\"a, Digest\"", ["basic"]),
      ("https", "Digest realm=\"r\"", ["basic", "digest"]),
      ("https", "Digest realm=\"r\", Basic realm=\"r\"", ["basic"]), ("https", nil, ["basic"]),
      ("http", "Basic realm=\"r\"", ["digest", "basic"]), ("http", "DIGEST realm=\"r\"", ["digest"]),
      ("http", "Digest realm=\"r\", Basic realm=\"r\"", ["digest"]), ("http", nil, ["digest", "basic"]),
      ("http", "Bearer", ["digest", "basic"]),
    ] as [(String, String?, [String])])
  func `the server's challenge decides how a password is sent, and over http it is not sent before`(
    scheme: String, challenge: String?, tried: [String]
  ) throws {
    var access = FeedAccess(address: try web(scheme + "://planet.example/"))
    access.setPassword("pw", of: "me")
    var chain = chain(access)
    var schemes: [String] = []
    for _ in 1...5 {
      switch chain.request.credentials {
      case .basic: schemes.append("basic")
      case .digest: schemes.append("digest")
      default: schemes.append("none")
      }
      guard case .again = chain.handle(reply(401, challenge.map { [("WWW-Authenticate", $0)] } ?? [])) else {
        break
      }
    }

    #expect(schemes == tried)
  }

  @Test func `a challenge of another origin gets no password`() throws {
    var access = FeedAccess(address: try web("http://planet.example/"))
    access.setPassword("pw", of: "me")
    var chain = chain(access)
    #expect(failure(&chain, "http://other.example/") == nil)
    guard case .answered = chain.handle(reply(401, [("WWW-Authenticate", "Basic realm=\"r\"")])) else {
      Issue.record("a further request")
      return
    }

    #expect(chain.request.credentials == nil)
  }

  @Test(
    arguments: [
      (nil, "without an address (no Location)"), ("", "with an empty address (Location)"),
      (" \t", "with an empty address (Location)"), ("ftp://example.org/", "begins with ftp:"),
      ("JavaScript:x", "begins with javascript:"), ("mailto:me@example.org", "begins with mailto:"),
      ("data:text/xml,<rss/>", "begins with data:"),
      // Only the scheme of an unusable address is shown.
      ("file:///x?token=geheim", "redirected to an address that begins with file:, not with http: or https:"),
      ("http://", "something that is not an address"), ("https:///feed", "something that is not an address"),
      ("https://a b.example/", "something that is not an address"), ("#top", "redirected in a circle"),
      ("/feed", "redirected in a circle"), ("https://EXAMPLE.org:99999/", "something that is not an address"),
      ("http://example.org/feed", "from https to http"),
    ] as [(String?, String)])
  func `a redirect that cannot be followed says why`(location: String?, words: String) throws {
    var chain = chain(FeedAccess(address: Self.home))

    let text = try #require(failure(&chain, location)).text

    #expect(text.contains(words))
    #expect(!text.contains("geheim"))
  }

  @Test(arguments: [
    ("/my feed.xml", "https://example.org/my%20feed.xml"), ("  /a  ", "https://example.org/a"),
    ("https://other.example/a\tb c?q=x y&z=%20", "https://other.example/a%09b%20c?q=x%20y&z=%20"),
    ("my feed.xml#a b", "https://example.org/my%20feed.xml"), ("?q=a b", "https://example.org/feed?q=a%20b"),
    ("/a\u{1}\u{7F}", "https://example.org/a%01%7F"), ("/a%zz%2", "https://example.org/a%zz%2"),
    ("/é ö", "https://example.org/é%20ö"), ("/a\\b", "https://example.org/a\\b"),
    ("//cdn.example/x y", "https://cdn.example/x%20y"),
  ])
  func `characters that no address has are encoded in a redirect`(location: String, target: String) {
    var chain = chain(FeedAccess(address: Self.home))

    _ = chain.handle(redirect(location))

    #expect(chain.request.address.text == target)
  }

  @Test func `a redirect in a circle ends, and so do more redirects than allowed`() throws {
    var plain = chain(FeedAccess(address: Self.home))
    var cookies = chain(FeedAccess(address: Self.home))
    var others = chain(FeedAccess(address: Self.home))

    #expect(failure(&plain, "/b") == nil)
    #expect(failure(&plain, "/feed") == .badRedirect("redirected in a circle"))
    // A circle that cookies do not end says so, another cookie each time ends at the most redirects.
    #expect(failure(&cookies, "/feed", setting: "a=1") == nil)
    #expect(try #require(failure(&cookies, "/feed", setting: "a=1")).text.contains("a cookie"))
    for count in 0..<RequestRoute.most {
      #expect(failure(&others, "/feed", setting: "a=\(count)") == nil)
    }
    #expect(failure(&others, "/feed", setting: "a=x") == .tooManyRedirects(RequestRoute.most))
  }

  @Test(
    arguments: [
      (
        "a private feed: the same address", "http://nas.lan/feed", "http://other.lan/", .sameAsFeed,
        "192.168.1.5"
      ),
      ("also under refuse", "http://nas.lan/feed", "/moved", .refuse, "192.168.1.5"),
      ("also under no networks", "http://nas.lan/feed", "/moved", .networks([]), "192.168.1.5"),
      ("a public feed: none", "https://example.org/feed", "https://169.254.169.254/latest", .refuse, nil),
      ("not by its name", "http://example.org/feed", "/moved", .sameAsFeed, nil),
      ("nor another port", "http://example.org/feed", "https://example.org:8080/", .sameAsFeed, nil),
      ("nor the same", "http://example.org/feed", "http://example.org/", .sameAsFeed, nil),
    ] as [(String, String, String, PrivateAddressRule, String?)])
  func `a redirect may lead only to the private address of the feed itself`(
    rule: String, feed: String, location: String, setting: PrivateAddressRule, own: String?
  ) throws {
    let network = with(NetworkSettings()) { $0.privateAddresses = setting }
    var chain = chain(FeedAccess(address: try #require(WebAddress(feed))), network: network)
    let reach = AddressReach.publicOr(own.flatMap(NetworkAddress.init).map { [AddressBlock($0)] } ?? [])
    if own != nil { #expect(chain.request.reach == .anywhere, "\(rule)") }

    _ = chain.handle(redirect(location, from: own))
    #expect(chain.request.reach == reach, "\(rule)")
    // Only the first response decides; with `refuse` the address is forgotten outside its own origin.
    _ = chain.handle(redirect("https://nas.lan/", from: "10.0.0.1"))
    #expect(chain.request.reach == (setting == .sameAsFeed ? reach : .publicOr([])), "\(rule)")
  }

  @Test func `an address that is a secret is remembered by its fingerprint`() throws {
    let secret = access { $0.isAddressSecret = true }
    let key = try #require(chain(secret).validatorKey)

    #expect(!key.contains("example"))
    #expect(chain(secret, validators: validators(at: key)).isConditional)
  }
}

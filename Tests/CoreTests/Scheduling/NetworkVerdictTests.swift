// When failures mean that the machine is offline or behind a captive portal.

import Testing

@testable import Core

@Suite struct NetworkVerdictTests {
  private static func attempt(_ host: String, _ failure: FetchFailure?) -> HostAttempt {
    HostAttempt(host: host, failure: failure)
  }

  private static let unresolved = FetchFailure.unresolved(host: "", detail: "")
  private static let unreachable = FetchFailure.unreachable(host: "", detail: "")

  @Test(
    arguments: [
      ([], .unknown), ([attempt("a", unresolved)], .unknown),
      ([attempt("a", unresolved), attempt("a", unresolved)], .unknown),
      ([attempt("a", unresolved), attempt("b", unreachable)], .offline),
      ([attempt("a", .connectTimeout(.seconds(10))), attempt("b", .connectTimeout(.seconds(10)))], .offline),
      ([attempt("a", unresolved), attempt("b", nil)], .online),
      ([attempt("a", unresolved), attempt("b", unresolved), attempt("c", .refused(host: "c"))], .online),
      ([attempt("a", unresolved), attempt("b", unresolved), attempt("c", .status(500))], .online),
      ([attempt("a", unresolved), attempt("b", .noSecret(""))], .unknown),
      ([attempt("a", unresolved), attempt("b", .suspended)], .unknown),
    ] as [([HostAttempt], NetworkVerdict)])
  func `offline is two hosts tried and none reached`(attempts: [HostAttempt], verdict: NetworkVerdict) {
    #expect(networkVerdict(attempts, hasRoute: true) == verdict)
  }

  @Test func `no route or proxy is offline, and any host that was reached means online`() {
    let proxies = ["a", "b"].map { Self.attempt($0, .proxyUnreachable("")) }
    let redirected = with(Self.attempt("a", Self.unresolved)) { $0.isRedirected = true }

    for (attempts, hasRoute, verdict) in [
      ([], false, .offline), ([Self.attempt("localhost", nil)], false, .online), (proxies, true, .offline),
      ([proxies[0]], true, .offline), ([proxies[0], Self.attempt("b", .proxy("407"))], true, .online),
      ([redirected, Self.attempt("b", Self.unresolved)], true, .online),
    ] as [([HostAttempt], Bool, NetworkVerdict)] {
      #expect(networkVerdict(attempts, hasRoute: hasRoute) == verdict)
    }
  }

  private static func record(_ requests: (String, Int?, FetchFailure?)...) -> FetchRecord {
    let moment = Instant(secondsSince1970: 1000)
    let records = requests.map { address, status, failure in
      var record = RequestRecord(started: Timestamp(moment), address: address)
      record.status = status
      record.failure = failure?.text
      return record
    }
    return FetchRecord(started: moment, ended: moment, result: .failed, reason: "", requests: records)
  }

  private static let other = "http://other.example/"
  private static let third = "http://third.example/"

  @Test(
    arguments: [
      ([], .unknown), ([record(("http://host.example/", 200, nil))], .unknown),
      ([record((other, 404, nil))], .reached(Instant(secondsSince1970: 1000))),
      ([record((other, nil, unresolved))], .unreached),
      ([record((other, nil, .proxyUnreachable("")))], .unreached),
      ([record((other, nil, .connectTimeout(.seconds(1))))], .unreached),
      ([record((other, nil, unreachable))], .unreached), ([record((other, nil, .tls("")))], .unknown),
      ([record((third, 200, nil)), record((other, nil, unresolved))], .unreached),
      (
        [record((other, nil, unresolved)), record((third, 304, nil))],
        .reached(Instant(secondsSince1970: 1000))
      ),
      // Another one answered between two failures of this host, which is dead.
      (
        [record((other, nil, unresolved)), record((third, 200, nil)), record((other, nil, unresolved))],
        .reached(Instant(secondsSince1970: 1000))
      ),
      ([record(("http://127.0.0.1/", 200, nil)), record(("https://***", 200, nil))], .unknown),
      (
        [record(("http://host.example/", 301, nil), (other, 200, nil))],
        .reached(Instant(secondsSince1970: 1000))
      ),
    ] as [([FetchRecord], OtherHosts)])
  func `hosts that were tried before say whether the machine is offline`(
    history: [FetchRecord], others: OtherHosts
  ) {
    #expect(OtherHosts(than: "host.example", in: history) == others)
  }
}

@Suite struct CaptivePortalTests {
  private func attempt(
    _ url: String, to portal: String? = "http://portal.example/login", status: Int = 302,
    _ failure: FetchFailure = .notAFeed(.html), hasFailedBefore: Bool = false
  ) throws -> HostAttempt {
    let address = try #require(WebAddress(url))
    var chain = RequestChain(
      FeedAccess(address: address), validators: Validators(), network: NetworkSettings(), userAgent: "test")
    if let portal { _ = chain.handle(reply(status, [("Location", portal)])) }
    return HostAttempt(chain.route, failure: failure, hasFailedBefore: hasFailedBefore)
  }

  @Test func `two hosts sent to a third one, where no feed is, are a captive portal, unless one works`()
    throws
  {
    let attempts = [try attempt("http://a.example/"), try attempt("http://b.example/")]
    let others = [
      try attempt("https://c.example/", to: nil, .tls("self-signed certificate")),
      try attempt("https://d.example/", to: nil, .connectTimeout(.seconds(10))),
    ]

    #expect(networkVerdict(attempts, hasRoute: true) == .captivePortal("portal.example"))
    #expect(attempts.allSatisfy { $0.mayBeNetwork })
    #expect(networkVerdict(others + attempts, hasRoute: true) == .captivePortal("portal.example"))
    let working = HostAttempt(host: "c.example", failure: nil)
    #expect(networkVerdict(attempts + [working], hasRoute: true) == .online)
  }

  @Test func `511 is a captive portal by itself, in clear`() throws {
    let clear = try attempt("http://a.example/", to: nil, .status(511))
    let secure = try attempt("https://a.example/", to: nil, .status(511))

    #expect(networkVerdict([clear], hasRoute: true) == .captivePortal("a.example"))
    #expect(networkVerdict([secure], hasRoute: true) == .online)
  }

  @Test func `responses that only look like those of a portal do not count`() throws {
    let others: [[HostAttempt]] = [
      // One host, twice; one host alone.
      [try attempt("http://a.example/1"), try attempt("http://a.example/2")],
      [try attempt("http://a.example/")],
      // Moved permanently, as blogs are; over a secure connection; to different places.
      [try attempt("http://a.example/", status: 301), try attempt("http://b.example/", status: 301)],
      [
        try attempt("https://a.example/", to: "https://x.example/"),
        try attempt("https://b.example/", to: "https://x.example/"),
      ],
      [try attempt("http://a.example/", to: "http://x.example/"), try attempt("http://b.example/")],
      // Parked addresses, that failed before.
      [try attempt("http://a.example/", hasFailedBefore: true), try attempt("http://b.example/")],
      // Certificates alone.
      [
        try attempt("https://a.example/", to: nil, .tls("")),
        try attempt("https://b.example/", to: nil, .tls("")),
      ],
    ]

    for attempts in others { #expect(networkVerdict(attempts, hasRoute: true) == .online) }
  }
}

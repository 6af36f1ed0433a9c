// Private addresses and proxies.

import CLate
import Core
import Glibc
import TestKit
import Testing

@testable import Machine

@Suite(.unlessItHangs) struct ReachTests {
  private static let publicOnly = AddressReach.publicOr([])

  /// Every way to write a loopback address; the port is added.
  static let loopback = [
    "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7F.1", "0177.0.0.1", "127.0.0.1.",
    "%31%32%37.0.0.1", "１２７.0.0.1", "localhost", "localhost.", "LOCALHOST", "0.0.0.0", "0", "[::1]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]", "[::]",
  ]

  @Test(arguments: loopback)
  func `a host that means this machine is refused without a connection`(_ host: String) async throws {
    let four = try ScriptedServer(["/": .document("secret")])
    guard let address = WebAddress("http://\(host):\(four.port)/") else { return }
    var request = Request(address: address, fields: [], network: NetworkSettings())
    request.reach = Self.publicOnly

    let failure = await makeLoop().failure(request)

    expect(failure, "privateAddress")
    #expect(four.connections == 0)
  }

  @Test(
    .enabled(if: PrivateName.ofThisMachine != nil, "this machine's name leads to no private IPv4 address"))
  func `a name that leads to a private address is refused when it connects`() async throws {
    let own = try #require(PrivateName.ofThisMachine)
    let server = try ScriptedServer(["/": .document("secret")], on: own.address)

    let failure = await makeLoop().failure(
      try request("http://\(own.name):\(server.port)/") { $0.reach = Self.publicOnly })

    #expect(failure == .privateAddress(own.address))
    #expect(server.connections == 0)
  }

  @Test(
    .enabled(if: PrivateName.ofThisMachine != nil, "this machine's name leads to no private IPv4 address"))
  func `a kept connection to a private address is refused to a request that may not use it`() async throws {
    let own = try #require(PrivateName.ofThisMachine)
    let server = try ScriptedServer(["/": .document("own")], on: own.address)
    let loop = makeLoop(connections: 1)
    let url = "http://\(own.name):\(server.port)/"
    _ = try await loop.fetch(request(url))

    let failure = await loop.failure(try request(url) { $0.reach = Self.publicOnly })

    #expect(failure == .privateAddress(own.address))
    #expect(server.requests.count == 1)
  }

  @Test func `a private address in an allowed block is reached`() async throws {
    let block = try #require(AddressBlock("127.0.0.0/8"))

    let response = try await fetched(.document("own")) { $0.reach = .publicOr([block]) }

    #expect(response.text == "own")
  }

  @Test func `behind a proxy a literal private host is refused before the request`() async throws {
    let proxy = try ScriptedServer { _ in .document("through") }

    let failure = await makeLoop().failure(
      try request("http://127.1/") {
        $0.network.proxy = .url(proxy.origin)
        $0.reach = Self.publicOnly
      })

    #expect(failure == .privateAddress("127.0.0.1"))
    #expect(proxy.connections == 0)
  }

  @Test func `a proxy on this machine may be used for a public host`() async throws {
    let proxy = try ScriptedServer { _ in .document("through") }

    let response = try await makeLoop().fetch(
      request("http://public.example/") {
        $0.network.proxy = .url(proxy.origin)
        $0.reach = Self.publicOnly
      })

    #expect(response.text == "through")
    #expect(response.innerAddress == nil)
  }

  @Test(arguments: [
    "http://user@evil.example\\@good.example/", "http://good.example#@evil.example/",
    "http://evil.example;@good.example/", "http://a:b@good.example:8080/x",
    "http://GOOD.example/?@evil.example/",
    "http://good.example./",
  ])
  func `libcurl sees the same host as we do, or none`(_ text: String) throws {
    try #require(bgfetch_curl_load() == nil)
    let address = try #require(WebAddress(text))

    // Otherwise an address could be taken for one server's and lead to another.
    #expect([address.host, nil].contains(curlHost(of: address)))
  }
}

/// A name, not a number, that leads to one private IPv4 address and nowhere else.
private struct PrivateName {
  let name: String
  let address: String

  /// The machine's own name, which most machines resolve by their own files.
  static let ofThisMachine: PrivateName? = {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count) == 0 else { return nil }
    let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &found) == 0 else { return nil }
    defer { freeaddrinfo(found) }
    guard let first = found?.pointee, first.ai_next == nil, first.ai_family == AF_INET else { return nil }
    var text = [CChar](repeating: 0, count: 64)
    getnameinfo(first.ai_addr, first.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
    let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard let ip = NetworkAddress(address), ip.isPrivate, NetworkAddress.ofHost(name) == nil else {
      return nil
    }
    return PrivateName(name: name, address: address)
  }()
}

@Suite(.unlessItHangs) struct ProxyTests {
  static let choices: [(variables: [String: String], url: String, proxy: String?)] = [
    ([:], "http://a.example/", nil), (["http_proxy": "p:1"], "http://a.example/", "p:1"),
    (["http_proxy": "p:1"], "https://a.example/", nil), (["HTTP_PROXY": "p:1"], "http://a.example/", nil),
    (["HTTPS_PROXY": "p:1"], "https://a.example/", "p:1"),
    (["https_proxy": "p:1", "HTTPS_PROXY": "p:2"], "https://a.example/", "p:1"),
    (["ALL_PROXY": "p:1"], "http://a.example/", "p:1"),
    (["all_proxy": "p:1", "http_proxy": "p:2"], "http://a.example/", "p:2"),
    (["http_proxy": "", "all_proxy": "p:1"], "http://a.example/", "p:1"),
    (["http_proxy": "p:1", "no_proxy": "*"], "http://a.example/", nil),
    (["http_proxy": "p:1", "no_proxy": "example"], "http://a.example/", nil),
    (["http_proxy": "p:1", "no_proxy": "b.example, .A.example."], "http://x.a.EXAMPLE./", nil),
    (["http_proxy": "p:1", "no_proxy": "a.example"], "http://ba.example/", "p:1"),
    (["http_proxy": "p:1", "NO_PROXY": "a.example"], "http://a.example/", nil),
    (["http_proxy": "p:1", "no_proxy": "10.0.0.0/8 b"], "http://10.1.2.3/", nil),
    (["http_proxy": "p:1", "no_proxy": "10.0.0.1"], "http://10.1.2.3/", "p:1"),
    (["http_proxy": "p:1", "no_proxy": "[::1]"], "http://[::1]:80/", nil),
  ]

  @Test(arguments: choices.rows)
  func `the environment names the proxy as it does for curl`(_ row: TableRow) throws {
    let (variables, url, proxy) = Self.choices[row.index]

    let chosen = try ProxyEnvironment { variables[$0] }.proxy(for: try #require(WebAddress(url)))

    #expect(chosen?.text == proxy, "\(variables) \(url)")
  }

  @Test func `a proxy of the environment gets the whole address`() async throws {
    let proxy = try ScriptedServer { _ in .document("through") }
    let loop = makeLoop(proxies: ProxyEnvironment { $0 == "http_proxy" ? proxy.origin : nil })

    #expect(try await loop.fetch(request("http://feeds.example/a?b")).text == "through")
    #expect(proxy.requests.map(\.target) == ["http://feeds.example/a?b"])
  }

  @Test(
    arguments: ["http_proxy", "all_proxy", "ALL_PROXY", "network.proxy"],
    ["http://me:s3cret#pw@127.0.0.1:1", "http://me:12/s3cret@127.0.0.1:1", "htp://me:s3cret@127.0.0.1:1"])
  func `a mistake in a proxy's address names the variable or key, and not the address`(
    name: String, address: String
  ) async throws {
    let loop = makeLoop(proxies: ProxyEnvironment { $0 == name ? address : nil })

    let failure = await loop.failure(
      try request("http://feeds.example/") { if name.contains(".") { $0.network.proxy = .url(address) } })

    let text = try #require(failure?.text)
    #expect(text.contains("the proxy failed: \(name) "), "\(text)")
    #expect(text.contains("; write "), "\(text)")
    #expect(!text.contains("cret"), "\(text)")
    #expect(!text.contains("127"), "\(text)")
  }

  @Test func `a proxy of the settings is used where the environment names none`() async throws {
    let proxy = try ScriptedServer { _ in .document("through") }

    _ = try await makeLoop().fetch(request("http://feeds.example/") { $0.network.proxy = .url(proxy.origin) })

    #expect(proxy.requests.map(\.target) == ["http://feeds.example/"])
  }

  @Test func `no proxy means none, whatever the environment says`() async throws {
    let server = try ScriptedServer(["/": .document("direct")])
    let loop = makeLoop(proxies: ProxyEnvironment { _ in "http://127.0.0.1:1" })

    #expect(try await loop.fetch(request(server.url("/")) { $0.network.proxy = .none }).text == "direct")
  }

  @Test func `many hosts go through one proxy at once`() async throws {
    let gate = Gate()
    let proxy = try ScriptedServer { _ in .document("through").held(by: gate) }
    let loop = makeLoop(connections: 4)
    let requests = try (0..<4).map { number in
      try request("http://host\(number).example/") {
        $0.network.proxy = .url(proxy.origin)
        $0.network.connectionsPerHost = 1
      }
    }

    let fetched = Task {
      await withTaskGroup { group in
        for request in requests { group.addTask { await loop.outcome(request) } }
        await group.waitForAll()
      }
    }
    await proxy.received(4)
    gate.open()
    await fetched.value

    #expect(proxy.mostAtOnce == 4)
  }

  static let refusals: [(url: String, answer: ScriptedAnswer)] = [
    ("http://feeds.example/", .status(407)), ("https://feeds.example/", .status(407)),
    ("https://feeds.example/", .status(403)),
  ]

  @Test(arguments: refusals.rows)
  func `a proxy that refuses is the proxy's failure`(_ row: TableRow) async throws {
    let answer = Self.refusals[row.index].answer
    let proxy = try ScriptedServer { _ in answer }

    let failure = await makeLoop().failure(
      try request(Self.refusals[row.index].url) { $0.network.proxy = .url(proxy.origin) })

    expect(failure, "proxy")
  }

  @Test func `a proxy that is not there, or whose name leads nowhere, is the proxy's failure`() async throws {
    let nobody = try ClosedPort()
    for proxy in [nobody.origin, "http://\(unresolvableHost):3128"] {
      let failure = await makeLoop().failure(
        try request("http://feeds.example/") { $0.network.proxy = .url(proxy) })

      expect(failure, "proxyUnreachable")
    }
  }
}

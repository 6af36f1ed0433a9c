// Which proxy is chosen, and what goes through it.

import Core
import TestKit
import Testing

@testable import Transfer

@Suite(.unlessItHangs) struct ProxyTests {
  static let choices: [(variables: [String: String], url: String, proxy: String?)] = [
    ([:], "http://a.example/", nil),
    (["http_proxy": "p:1"], "http://a.example/", "p:1"),
    (["http_proxy": "p:1"], "https://a.example/", nil),
    (["HTTP_PROXY": "p:1"], "http://a.example/", nil),
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

  @Test(arguments: choices.indices)
  func `the environment names the proxy as it does for curl`(_ row: Int) throws {
    let (variables, url, proxy) = Self.choices[row]

    let chosen = ProxyEnvironment { variables[$0] }.proxy(for: try #require(WebAddress(url)))

    #expect(chosen == proxy, "\(variables) \(url)")
  }

  @Test func `a proxy of the environment gets the whole address`() async throws {
    let proxy = try ScriptedServer { _ in .document("through") }
    let loop = makeLoop(proxies: ProxyEnvironment { $0 == "http_proxy" ? proxy.origin : nil })

    let response = try await loop.fetch(request("http://feeds.example/a?b"))

    #expect(response.text == "through")
    #expect(proxy.requests.map(\.target) == ["http://feeds.example/a?b"])
  }

  @Test func `a proxy of the settings is used where the environment names none`() async throws {
    let proxy = try ScriptedServer { _ in .document("through") }

    _ = try await makeLoop().fetch(
      request("http://feeds.example/") { $0.network.proxy = .url(proxy.origin) })

    #expect(proxy.requests.map(\.target) == ["http://feeds.example/"])
  }

  @Test func `no proxy means none, whatever the environment says`() async throws {
    let server = try ScriptedServer(["/": .document("direct")])
    let loop = makeLoop(proxies: ProxyEnvironment { _ in "http://127.0.0.1:1" })

    let response = try await loop.fetch(request(server.url("/")) { $0.network.proxy = .none })

    #expect(response.text == "direct")
  }

  @Test func `many hosts go through one proxy at once`() async throws {
    let gate = Gate()
    let proxy = try ScriptedServer { _ in .document("through").held(by: gate) }
    let loop = makeLoop(connections: 4, connectionsPerHost: 1)
    let requests = try (0..<4).map { number in
      try request("http://host\(number).example/") { $0.network.proxy = .url(proxy.origin) }
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
    ("http://feeds.example/", .status(407)),
    ("https://feeds.example/", .status(407)),
    ("https://feeds.example/", .status(403)),
  ]

  @Test(arguments: refusals.indices)
  func `a proxy that refuses is the proxy's failure`(_ row: Int) async throws {
    let answer = Self.refusals[row].answer
    let proxy = try ScriptedServer { _ in answer }

    let failure = await makeLoop().failure(
      try request(Self.refusals[row].url) { $0.network.proxy = .url(proxy.origin) })

    guard case .proxy = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test func `a proxy that is not there is the proxy's failure`() async throws {
    let proxy = try ClosedPort()

    let failure = await makeLoop().failure(
      try request("http://feeds.example/") { $0.network.proxy = .url(proxy.origin) })

    guard case .proxyUnreachable = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test func `a proxy's name that leads nowhere is the proxy's failure`() async throws {
    let failure = await makeLoop().failure(
      try request("http://feeds.example/") { $0.network.proxy = .url("http://\(unresolvableHost):3128") })

    guard case .proxyUnreachable = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }
}

// Fetches, and the helpers that send them.

import Core
import Machine
import TestKit
import Testing

@Suite(.unlessItHangs) struct FetchTests {
  @Test func `a fetch gives status, fields in order and body`() async throws {
    let response = try await fetched(.document("<rss/>", etag: "W/\"a b\""))

    #expect(response.status == 200)
    #expect(
      response.fields == [
        HeaderField("Content-Type", "application/rss+xml"), HeaderField("ETag", "W/\"a b\""),
        HeaderField("Content-Length", "6"),
      ])
    #expect(response.text == "<rss/>")
    #expect(response.bytesReceived == 6)
    #expect(response.innerAddress == NetworkAddress("127.0.0.1"))
  }

  @Test func `a response over IPv6 says which address was connected`() async throws {
    let server = try ScriptedServer(["/": .document("six")], on: "::1")

    let response = try await makeLoop().fetch(request(server.url("/")))

    #expect(response.text == "six")
    #expect(response.innerAddress == NetworkAddress("::1"))
  }

  @Test func `field names are found in any case`() async throws {
    #expect(try await fetched(.status(200, [("eTAG", "\"1\"")]))["ETag"] == "\"1\"")
  }

  @Test(arguments: [0, 5, 3 << 20])
  func `a body makes a POST, and the next request on the connection is a GET again`(size: Int) async throws {
    let server = try ScriptedServer(["/": .status(200)])
    let loop = makeLoop()
    let body = [UInt8](repeating: 0x61, count: size)

    _ = try await loop.fetch(request(server.url("/")) { $0.body = body })
    _ = try await loop.fetch(request(server.url("/")))

    #expect(server.requests.map(\.method) == ["POST", "GET"])
    #expect(server.requests.map(\.body) == [body, []])
    #expect(server.requests.first?["Expect"] == nil)
  }

  @Test func `a 304 is a response without a body`() async throws {
    let server = try ScriptedServer(["/": .document("body", etag: "\"1\"", lastModified: "yesterday")])

    let response = try await makeLoop().fetch(
      request(server.url("/"), [HeaderField("If-None-Match", "\"1\"")]))

    #expect(response.status == 304)
    #expect(response.body.isEmpty)
    #expect(response["Last-Modified"] == "yesterday")
  }

  @Test(arguments: [301, 302, 303, 307, 308, 400, 401, 404, 410, 429, 500, 503])
  func `an error is a response, and so is a redirect, which is not followed`(_ status: Int) async throws {
    let fields = [(name: "Location", value: "/next"), ("Retry-After", "60")]
    let server = try ScriptedServer(["/": .status(status, fields, body: "no"), "/next": .document("next")])

    let response = try await makeLoop().fetch(request(server.url("/")))

    #expect(response.status == status)
    #expect(response["Location"] == "/next")
    #expect(response["Retry-After"] == "60")
    #expect(server.requests.map(\.path) == ["/"])
  }

  @Test func `one GET is sent with the given fields and no others`() async throws {
    let server = try ScriptedServer(["/a/../b%7e": .document("")])
    let fields = [
      HeaderField("User-Agent", "bgfetch/1 (+home)"), HeaderField("Accept", "*/*"),
      HeaderField("X-Empty", ""), HeaderField("If-None-Match", "W/\"odd, one\""),
    ]

    _ = try await makeLoop().fetch(request(server.url("/a/../b%7e?q=1&Q=%zz"), fields))

    let sent = try #require(server.requests.first)
    #expect(sent.method == "GET")
    #expect(sent.target == "/a/../b%7e?q=1&Q=%zz")
    let names = sent.fields.map(\.name)
    #expect(names == ["Host", "Accept-Encoding", "User-Agent", "Accept", "X-Empty", "If-None-Match"])
    #expect(sent["X-Empty"] == "")
    #expect(sent["If-None-Match"] == "W/\"odd, one\"")
    #expect(sent["Accept-Encoding"]?.contains("gzip") == true)
  }

  @Test func `letters beyond ASCII in a path are sent percent-encoded`() async throws {
    let server = try ScriptedServer(["/%C3%BC": .document("found")])

    #expect(try await makeLoop().fetch(request(server.url("/ü?ß"))).text == "found")
    #expect(server.requests.first?.target == "/%C3%BC?%C3%9F")
  }

  @Test func `an international host name is asked for in its ASCII form`() async throws {
    let proxy = try ScriptedServer { _ in .document("found") }

    _ = try await makeLoop().fetch(
      request("http://bücher.example/") { $0.network.proxy = .url(proxy.origin) })

    #expect(proxy.requests.first?.target == "http://xn--bcher-kva.example/")
    #expect(proxy.requests.first?["Host"] == "xn--bcher-kva.example")
  }

  @Test func `a validator that is not UTF-8 goes back byte for byte`() async throws {
    let server = try ScriptedServer { request in
      // The server's own view of the bytes is lossless only if it is asked for the raw value.
      .status(200, [("Seen", request["If-None-Match"] ?? "none")])
    }
    let raw = try ScriptedServer()
    let head: [UInt8] =
      Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nETag: \"caf".utf8) + [0xE9, 0x22, 13, 10, 13, 10]
    raw.on("/", .raw(.send(head), .hold))
    let loop = makeLoop()

    let etag = try #require(try await loop.fetch(request(raw.url("/")))["ETag"])
    _ = try await loop.fetch(request(server.url("/"), [HeaderField("If-None-Match", etag)]))

    // 0xE9 alone is not UTF-8: the server's text shows it as the replacement character, not as two bytes.
    #expect(server.requests.first?["If-None-Match"] == "\"caf\u{FFFD}\"")
  }

  private static let headBreak = "a line break or a zero byte in a header field, name or password"

  @Test(arguments: [
    ("X", "value\r\nInjected: yes", headBreak), ("X", "value\n", headBreak), ("X", "nul\0", headBreak),
    ("", "x", " is not the name of a header field"),
    ("Two Words", "x", "Two Words is not the name of a header field"),
    ("Colon:", "x", "Colon: is not the name of a header field"),
    ("Ümlaut", "x", "Ümlaut is not the name of a header field"),
  ])
  func `a field that would break the head, or has no valid name, is refused`(
    name: String, value: String, problem: String
  ) async throws {
    let server = try ScriptedServer(["/": .document("")])

    let failure = await makeLoop().failure(try request(server.url("/"), [HeaderField(name, value)]))

    #expect(failure == .other(problem))
    #expect(server.connections == 0)
  }

  @Test func `gzip is decoded and the bytes of the wire are counted`() async throws {
    let body = String(repeating: "feed ", count: 40_000)
    let response = try await fetched(ScriptedAnswer.document(body).gzipped())

    #expect(response.text == body)
    #expect(response.bytesReceived == Int64(Gzip.stored(Array(body.utf8)).count))
  }

  @Test func `a chunked body is whole and its trailers are not fields`() async throws {
    let response = try await fetched(
      .body(
        .send(Array("one ".utf8)), .send(Array("two".utf8)),
        framing: .chunked(trailers: [("ETag", "\"late\"")])))

    #expect(response.text == "one two")
    #expect(response["ETag"] == nil)
  }

  @Test func `a connection serves one request after the other`() async throws {
    let server = try ScriptedServer(["/": .document("again")])
    let loop = makeLoop()

    for _ in 0..<20 { _ = try await loop.fetch(request(server.url("/"))) }

    // Not always one: libcurl closes a connection that was idle for two minutes, which is how long a busy machine may
    // take between two requests.
    #expect(server.connections < 20)
  }

  // Feeds of a host are fetched one after the other, and many other hosts are asked between them.
  @Test(arguments: [(idle: 0, made: 9...9), (idle: 2, made: 3...8)])
  func `connections to several hosts are kept for further requests`(
    idle: Int, made: ClosedRange<Int>
  ) async throws {
    let server = try ScriptedServer(["/": .document("")])
    let loop = makeLoop(connections: 1, idleConnections: idle)

    for number in 0..<9 {
      _ = try await loop.fetch(request(server.url("/", host: "h\(number % 3).localhost")))
    }

    #expect(made.contains(server.connections))
  }

  @Test func `a kept connection that died is replaced without a failure`() async throws {
    let server = try ScriptedServer { request in
      request.target == "/last"
        ? .raw(.send(Array("HTTP/1.1 204 Done\r\n\r\n".utf8)), .close) : .document("new")
    }
    let loop = makeLoop()
    _ = try await loop.fetch(request(server.url("/last")))
    await server.closed(1)

    #expect(try await loop.fetch(request(server.url("/"))).text == "new")
  }

  @Test func `credentials are sent at once and only as Basic`() async throws {
    let server = try ScriptedServer(["/": .document("")])

    _ = try await makeLoop().fetch(
      request(server.url("/")) { $0.credentials = .basic(username: "me", password: "geh:heim") })

    #expect(server.requests.map { $0["Authorization"] } == ["Basic bWU6Z2VoOmhlaW0="])
  }

  @Test func `Digest answers the server's challenge and never sends the password`() async throws {
    let server = try ScriptedServer()
    server.on(
      "/",
      inTurn: .status(401).with(
        "WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"),
      .document("<rss/>"))

    let response = try await makeLoop().fetch(request(server.url("/"), [], digest))

    #expect(response.status == 200)
    #expect(String(decoding: response.body, as: UTF8.self) == "<rss/>")
    let sent = server.requests.map { $0["Authorization"] ?? "" }
    #expect(sent.count == 2)
    #expect(sent.first == "")
    #expect(sent.last?.hasPrefix("Digest username=\"me\"") == true)
    #expect(sent.last?.contains("geheim") == false)
  }

  @Test func `a server that calls every answer of Digest stale gets only a few`() async throws {
    let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", stale=true"
    let server = try ScriptedServer(["/": ScriptedAnswer.status(401).with("WWW-Authenticate", challenge)])

    #expect(try await makeLoop().fetch(request(server.url("/"), [], digest)).status == 401)
    #expect(server.requests.count == 4)
  }

  @Test func `a server that offers only Basic gets no password of Digest`() async throws {
    let server = try ScriptedServer(["/": .status(401).with("WWW-Authenticate", "Basic realm=\"r\"")])

    #expect(try await makeLoop().fetch(request(server.url("/"), [], digest)).status == 401)
    #expect(server.requests.map { $0["Authorization"] } == [nil])
  }

  @Test func `netrc is read only where it is asked for`() async throws {
    let directory = try TemporaryDirectory()
    let netrc = try directory.write("machine 127.0.0.1 login me password geheim\n", to: "netrc")
    let server = try ScriptedServer(["/": .document("")])
    let loop = makeLoop(netrcFile: netrc)

    _ = try await loop.fetch(request(server.url("/")))
    _ = try await loop.fetch(request(server.url("/")) { $0.credentials = .netrc })

    #expect(server.requests.map { $0["Authorization"] } == [nil, "Basic bWU6Z2VoZWlt"])
  }

  @Test func `the headers of one request are not repeated by the next`() async throws {
    let server = try ScriptedServer(["/": .document("")])
    let loop = makeLoop(connections: 1)
    _ = try await loop.fetch(
      request(server.url("/"), [HeaderField("Cookie", "a=b")]) {
        $0.credentials = .basic(username: "me", password: "geheim")
      })

    _ = try await loop.fetch(request(server.url("/")))

    #expect(server.requests.last?.fields.map(\.name) == ["Host", "Accept-Encoding"])
  }

  @Test func `a request carries the cookies for its address, and the response says which are there then`()
    async throws
  {
    let server = try ScriptedServer([
      "/": .document("").with("Set-Cookie", "new=3").with("Set-Cookie", "old=; Max-Age=0")
        .with("Set-Cookie", "foreign=4; Domain=example.org")
    ])
    func line(_ domain: String, _ path: String, _ cookie: String) -> String {
      "\(domain)\tFALSE\t\(path)\tFALSE\t0\t\(cookie)"
    }
    let jar = [
      line("127.0.0.1", "/", "old\t1"), line("127.0.0.1", "/feeds", "deep\t2"),
      line("other.example", "/", "a\tb"),
    ]

    let loop = makeLoop()
    let response = try await loop.fetch(
      request(server.url("/"), [HeaderField("Cookie", "mine=1")]) { $0.cookies = CookieJar(lines: jar) })
    _ = try await loop.fetch(request(server.url("/")) { $0.cookies = response.cookies })

    #expect(server.requests.map { $0["Cookie"] } == ["old=1; mine=1", "new=3"])
    #expect(Set(response.cookies.lines).isSuperset(of: [jar[1], jar[2], line("127.0.0.1", "/", "new\t3")]))
  }

  @Test func `a server's cookies are not kept`() async throws {
    let server = try ScriptedServer(["/": .document("").with("Set-Cookie", "id=1")])
    let loop = makeLoop(connections: 1)

    for _ in 0..<2 { _ = try await loop.fetch(request(server.url("/"))) }

    #expect(server.requests.map { $0["Cookie"] } == [nil, nil])
  }
}

extension Trait where Self == TimeLimitTrait {
  /// Ends only a test that hangs.
  ///
  /// All tests begin at once and wait for a thread, so a test's time includes all tests before it: minutes on a busy
  /// machine.
  static var unlessItHangs: Self { .timeLimit(.minutes(15)) }
}

/// The address of a host that no machine can look up, whatever its resolver answers to unknown names: no part of a
/// host's name may have more than 63 letters (RFC 1035 §2.3.4), so that nobody is asked.
let unresolvableHost = String(repeating: "a", count: 64) + ".invalid"

/// A loop without a proxy and without the user's netrc.
func makeLoop(
  connections: Int = 8, idleConnections: Int = 0, proxies: ProxyEnvironment = .empty,
  netrcFile: String = "/nonexistent"
) -> CurlLoop {
  CurlLoop(
    connections: connections, idleConnections: idleConnections, proxies: proxies, ownAddresses: { [] },
    netrcFile: netrcFile)
}

/// A request with the given fields and nothing else, and with limits of time that no test reaches unless it sets them.
func request(
  _ url: String, _ fields: [HeaderField] = [], _ change: (inout Request) -> Void = { _ in }
) throws -> Request {
  var request = Request(address: try #require(WebAddress(url)), fields: fields, network: NetworkSettings())
  // Unless a test is about this limit, only the loop limits the requests.
  request.network.connectionsPerHost = 100
  request.network.connectTimeout = .minutes(10)
  request.network.timeout = .minutes(10)
  request.network.stall.for = .minutes(10)
  change(&request)
  return request
}

/// Lets a request answer Digest as `me`.
func digest(_ request: inout Request) {
  request.credentials = .digest(username: "me", password: "geheim")
}

/// The response of a server that answers in one way.
func fetched(_ answer: ScriptedAnswer, _ change: (inout Request) -> Void = { _ in }) async throws -> Response
{
  let server = try ScriptedServer(["/": answer])
  return try await makeLoop().fetch(request(server.url("/"), [], change))
}

/// The failure of a fetch from a server that answers in one way.
func failure(of answer: ScriptedAnswer) async throws -> FetchFailure? {
  let server = try ScriptedServer(["/": answer])
  return await makeLoop().failure(try request(server.url("/")))
}

/// Expects a failure of a kind, by the name of its case.
func expect(_ failure: FetchFailure?, _ kind: String, location: SourceLocation = #_sourceLocation) {
  let text = failure.map { String(describing: $0) } ?? "none"
  #expect(text.hasPrefix(kind + "("), sourceLocation: location)
}

extension CurlLoop {
  /// Fetches and returns the result, failures included.
  func outcome(_ request: Request) async -> Result<Response, FetchFailure> {
    do throws(FetchFailure) {
      return .success(try await fetch(request))
    } catch {
      return .failure(error)
    }
  }

  /// The failure of a fetch that must fail.
  func failure(_ request: Request) async -> FetchFailure? {
    switch await outcome(request) {
    case .failure(let failure): failure
    case .success(let response):
      Issue.record("answered \(response.status), \(response.body.count) bytes") as FetchFailure?
    }
  }
}

extension Issue {
  fileprivate static func record(_ text: String) -> FetchFailure? {
    record(Comment(rawValue: text))
    return nil
  }
}

extension Response {
  /// The body as text.
  var text: String { String(decoding: body, as: UTF8.self) }
}

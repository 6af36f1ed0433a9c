// Connections: how many, kept ones, and ones with unread bytes.

import CLate  // which to Swift may own the constants of sys/socket.h
import Core
import Glibc
import Machine
import Synchronization
import TestKit
import Testing

@Suite(.unlessItHangs) struct ConnectionTests {
  @Test func `a closed port is refused`() async throws {
    let closed = try ClosedPort()

    #expect(await makeLoop().failure(try request(closed.origin)) == .refused(host: "127.0.0.1"))
  }

  @Test func `a name that leads nowhere is unresolved`() async throws {
    let failure = await makeLoop().failure(try request("http://\(unresolvableHost)/"))

    guard case .unresolved(let host, let detail) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(host == unresolvableHost)
    #expect(detail.contains(unresolvableHost))
  }

  @Test func `a broadcast address is unreachable`() async throws {
    // The kernel itself reports this, with or without a network.
    let failure = await makeLoop().failure(try request("http://255.255.255.255/"))

    guard case .unreachable(let host, _) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(host == "255.255.255.255")
  }

  @Test func `a server that never takes the connection is given up after the time for connecting`()
    async throws
  {
    let full = try FullListener()

    let failure = await makeLoop().failure(
      try request("http://127.0.0.1:\(full.port)/") { $0.network.connectTimeout = .seconds(1) })

    #expect(failure == .connectTimeout(.seconds(1)))
  }

  @Test func `a response that does not come is given up after the whole time`() async throws {
    let server = try ScriptedServer(["/": .raw(.hold)])

    let failure = await makeLoop().failure(try request(server.url("/")) { $0.network.timeout = .seconds(1) })

    #expect(failure == .timeout(.seconds(1)))
    await server.idle()
  }

  @Test func `a response that takes longer than a body may stall is waited for`() async throws {
    let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n".utf8)

    let response = try await fetched(.raw(.drip(head, milliseconds: 80), .send([65]))) {
      $0.network.stall.for = .seconds(1)
    }

    #expect(response.text == "A")
  }

  @Test func `waiting for a turn does not count as time`() async throws {
    let gate = Gate()
    let server = try ScriptedServer(["/slow": .document("slow").held(by: gate), "/next": .document("next")])
    let loop = makeLoop(connections: 1)
    let slow = try request(server.url("/slow"))
    let brief = try request(server.url("/next")) { $0.network.timeout = .seconds(1) }
    let next = try request(server.url("/next"))
    let ended = Mutex(false)

    async let first = loop.fetch(slow)
    await server.received(1)
    let second = Task {
      _ = await loop.outcome(brief)
      ended.withLock { $0 = true }
    }
    async let third = loop.fetch(next)
    // The time limit of another loop is the clock here. It is longer than the limit that must not apply.
    let blocker = try ScriptedServer(["/": .raw(.hold)])
    _ = await makeLoop().failure(try request(blocker.url("/")) { $0.network.timeout = .seconds(2) })
    #expect(ended.withLock { !$0 })
    gate.open()

    #expect(try await first.text == "slow")
    await second.value
    #expect(try await third.text == "next")
  }
}

/// A listening socket whose queue of connections is full, so that a further one neither succeeds nor fails.
final class FullListener {
  let port: Int
  private var sockets: [Int32] = []

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listens = withUnsafeMutableBytes(of: &name) { bytes in
      let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      return bind(listener, address, length) == 0 && listen(listener, 0) == 0
        && getsockname(listener, address, &length) == 0
    }
    port = Int(UInt16(bigEndian: name.sin_port))
    sockets = [listener]
    try #require(listens)
    for _ in 0..<4 {
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
      _ = withUnsafeBytes(of: &name) {
        connect(client, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), length)
      }
      sockets.append(client)
    }
  }

  deinit { for socket in sockets { close(socket) } }
}

@Suite(.unlessItHangs) struct SpoiledConnectionTests {
  /// A body with a whole response behind it that nobody asked for; larger than what libcurl reads at once, which finds the
  /// surplus itself where it comes in one piece with the end.
  private func makeServer() throws -> ScriptedServer {
    let surplus = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nforeign"
    let size = 1_000_000
    return try ScriptedServer([
      "/spoils": .body(.send(pattern(size) + Array(surplus.utf8)), framing: .declared(size)),
      "/": .document("own"),
    ])
  }

  // libcurl 7.88 gave the second feed "foreign".
  @Test func `bytes after the body of one feed are not the response to the next`() async throws {
    let server = try makeServer()
    let loop = makeLoop()
    let first = try await loop.fetch(request(server.url("/spoils")))

    let second = try await loop.fetch(request(server.url("/")))
    let third = try await loop.fetch(request(server.url("/")))

    #expect(first.body == pattern(1_000_000))
    #expect([second.text, third.text] == ["own", "own"])
    #expect(server.requests.map(\.path) == ["/spoils", "/", "/"])
  }

  @Test func `bytes after the body of one download are not the response to the next`() async throws {
    let server = try makeServer()
    let loop = makeDownloadLoop()
    let receivers = [Recorder(), Recorder()]
    _ = try await loop.download(request(server.url("/spoils")), into: receivers[0])

    _ = try await loop.download(request(server.url("/")), into: receivers[1])

    #expect(receivers[0].bytes == pattern(1_000_000))
    #expect(receivers[1].text == "own")
    #expect(receivers[1].begun == 1)
    #expect(server.requests.map(\.path) == ["/spoils", "/"])
  }

  @Test func `bytes of one host are not the response of another one behind the same proxy`() async throws {
    let proxy = try makeServer()
    let loop = makeLoop(proxies: ProxyEnvironment { $0 == "http_proxy" ? proxy.origin : nil })
    _ = try await loop.fetch(request("http://one.example/spoils"))

    #expect(try await loop.fetch(request("http://two.example/")).text == "own")
    #expect(proxy.requests.count == 2)
  }

  @Test(arguments: [false, true])
  func `a 408 on a connection that the server is closing is not a response`(isDownload: Bool) async throws {
    let answers = Mutex(0)
    let server = try ScriptedServer { request in
      guard request.path == "/" else { return .document("first") }
      return answers.withLock {
        $0 += 1; return $0
      } == 1 ? .status(408) : .document("own")
    }
    let loop = isDownload ? makeDownloadLoop() : makeLoop()
    _ = try await loop.fetch(request(server.url("/first")))
    let receiver = Recorder()

    let answer =
      if isDownload {
        try await loop.download(request(server.url("/")), into: receiver)
      } else {
        try await loop.fetch(request(server.url("/")))
      }

    #expect(answer.status == 200)
    #expect(isDownload ? receiver.text == "own" && receiver.begun == 1 : answer.text == "own")
    #expect(server.requests.map(\.path) == ["/first", "/", "/"])
  }

  @Test func `a 408 on a new connection, and a second one, is the response`() async throws {
    let server = try ScriptedServer(["/first": .document("first"), "/": .status(408)])
    let fresh = try await makeLoop().fetch(request(server.url("/")))
    let loop = makeLoop()
    _ = try await loop.fetch(request(server.url("/first")))

    let second = try await loop.fetch(request(server.url("/")))

    #expect([fresh.status, second.status] == [408, 408])
    #expect(server.requests.map(\.path) == ["/", "/first", "/", "/"])
  }

  @Test func `bytes that come while a connection is idle are not the next response`() async throws {
    let gate = Gate()
    let surplus = Array("HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n".utf8)
    let server = try ScriptedServer([
      "/spoils": .body(.send(Array("whole".utf8)), .wait(gate), .send(surplus), framing: .declared(5)),
      "/": .document("own"),
    ])
    let loop = makeLoop()
    _ = try await loop.fetch(request(server.url("/spoils")))
    gate.open()
    await server.sent(5 + surplus.count, of: "/spoils")

    #expect(try await loop.fetch(request(server.url("/"))).text == "own")
  }
}

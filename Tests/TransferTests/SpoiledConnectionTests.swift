// Connections on which a server sends more than it was asked for, and what the next request on them gets.

import Core
import Synchronization
import TestKit
import Testing
import Transfer

@Suite(.unlessItHangs) struct SpoiledConnectionTests {
  /// A body with a whole answer behind it that nobody asked for; larger than what libcurl reads at once, which finds the
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
  @Test func `bytes behind the body of one feed are not the answer to the next`() async throws {
    let server = try makeServer()
    let loop = makeLoop()
    let first = try await loop.fetch(request(server.url("/spoils")))

    let second = try await loop.fetch(request(server.url("/")))
    let third = try await loop.fetch(request(server.url("/")))

    #expect(first.body == pattern(1_000_000))
    #expect([second.text, third.text] == ["own", "own"])
    #expect(server.requests.map(\.path) == ["/spoils", "/", "/"])
  }

  @Test func `bytes behind the body of one download are not the answer to the next`() async throws {
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

  @Test func `bytes of one host are not the answer of another one behind the same proxy`() async throws {
    let proxy = try makeServer()
    let loop = makeLoop(proxies: ProxyEnvironment { $0 == "http_proxy" ? proxy.origin : nil })
    _ = try await loop.fetch(request("http://one.example/spoils"))

    let answer = try await loop.fetch(request("http://two.example/"))

    #expect(answer.text == "own")
    #expect(proxy.requests.count == 2)
  }

  @Test(arguments: [false, true])
  func `a connection that a server gives up with a 408 just then is no answer`(isDownload: Bool) async throws
  {
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

  @Test func `a 408 on a new connection, and a second one, is the answer`() async throws {
    let server = try ScriptedServer(["/first": .document("first"), "/": .status(408)])
    let fresh = try await makeLoop().fetch(request(server.url("/")))
    let loop = makeLoop()
    _ = try await loop.fetch(request(server.url("/first")))

    let second = try await loop.fetch(request(server.url("/")))

    #expect([fresh.status, second.status] == [408, 408])
    #expect(server.requests.map(\.path) == ["/", "/first", "/", "/"])
  }

  @Test func `bytes that come while a connection is idle are not the next answer`() async throws {
    let gate = Gate()
    let surplus = Array("HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n".utf8)
    let server = try ScriptedServer([
      "/spoils": .body(
        .send(Array("whole".utf8)), .wait(gate), .send(surplus), framing: .declared(5)),
      "/": .document("own"),
    ])
    let loop = makeLoop()
    _ = try await loop.fetch(request(server.url("/spoils")))
    gate.open()
    await server.sent(5 + surplus.count, of: "/spoils")

    let answer = try await loop.fetch(request(server.url("/")))

    #expect(answer.text == "own")
  }
}

// A server that never comes to the end of its answer. No database is needed.

import CLate
import Foundation
import Testing

@testable import Fleet

@Suite struct PostgresAnswerTests {
  @Test(.enabled(if: bgfetch_postgres_is_present() != 0, "with libpq"))
  func `a server that talks for ever without an answer counts as lost`() throws {
    let server = try TalkingServer()
    let connection = try #require(
      bgfetch_postgres_open(
        "host=127.0.0.1 port=\(server.port) sslmode=disable gssencmode=disable user=u dbname=d", nil, "test",
        5)
    )
    defer { libpq.PQfinish(connection) }
    try #require(bgfetch_postgres_is_connected(connection) != 0)
    let start = ContinuousClock.now

    // A second of silence is allowed, and four for all.
    let result = bgfetch_postgres_execute(connection, "SELECT 1", 1)

    #expect(ContinuousClock.now - start < TalkingServer.longest)
    #expect(result.map(bgfetch_postgres_has_succeeded) ?? 0 == 0)
    #expect(bgfetch_postgres_is_connected(connection) == 0)
    if let result { libpq.PQclear(result) }
  }
}

/// A server of PostgreSQL's protocol for one connection, which answers a statement with notices (PostgreSQL, "Message Formats").
private struct TalkingServer {
  /// When it stops, so that no test hangs.
  static let longest = Duration.seconds(60)
  let port: UInt16

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    try #require(isListening)
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { Self.talk(to: accept(listener, nil, nil), listener) }
  }

  private static func talk(to client: Int32, _ listener: Int32) {
    defer { for socket in [client, listener] { close(socket) } }
    func say(_ kind: Character, _ body: [UInt8]) -> Bool {
      let length = withUnsafeBytes(of: UInt32(body.count + 4).bigEndian, Array.init)
      let message = Array("\(kind)".utf8) + length + body
      return send(client, message, message.count, Int32(MSG_NOSIGNAL)) == message.count
    }
    var buffer = [UInt8](repeating: 0, count: 4096)
    guard recv(client, &buffer, buffer.count, 0) > 0, say("R", [0, 0, 0, 0]), say("Z", Array("I".utf8)),
      recv(client, &buffer, buffer.count, 0) > 0
    else { return }
    let end = ContinuousClock.now + longest
    while ContinuousClock.now < end, say("N", Array("SNOTICE\0Magain\0\0".utf8)) { usleep(50_000) }
  }
}

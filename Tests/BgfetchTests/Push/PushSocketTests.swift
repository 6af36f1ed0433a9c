// Payloads over a socket, as bgfetch-push.socket hands them over.

import Foundation
import TestKit
import Testing

@Suite struct PushSocketTests {
  /// Pushes a payload through a socket that is standard input and output, and gives the answer.
  private func push(_ payload: String, _ bgfetch: BuiltProgram) throws -> (answer: String, status: Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
    let ours = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    let program = try ChildProgram(
      BuiltProgram.path, ["push", "--json", "-"],
      environment: ["HOME": bgfetch.home.path, "BGFETCH_CONFIG": bgfetch.configurationPath, "TZ": "UTC"],
      directory: bgfetch.home.path, input: .descriptor(ends[1]), output: .descriptor(ends[1]))
    close(ends[1])
    try ours.write(contentsOf: Data(payload.utf8))
    shutdown(ends[0], Int32(SHUT_WR))
    let answer = String(decoding: try ours.readToEnd() ?? Data(), as: UTF8.self)
    return (answer, program.wait())
  }

  @Test func `a push over a socket is answered once it is stored, and a refused one is not`() async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {planet: \"http://127.0.0.1:1/\"}\n")

    let taken = try push(#"{"aps": {"content-available": 1}, "feed": "planet"}"#, bgfetch)
    let again = try push(#"{"aps": {"content-available": 1}, "feed": "planet"}"#, bgfetch)
    let refused = try push(#"{"aps": {"content-available": 1}, "feed": "plant"}"#, bgfetch)

    #expect(taken.status == 0)
    #expect(taken.answer.contains("\"taken\":true") && taken.answer.contains("\"replaced\":false"))
    #expect(again.answer.contains("\"replaced\":true"))
    #expect(refused.status == 2)
    #expect(refused.answer == "")
  }
}

// TLS against a server with a certificate of its own making, run by openssl(1).

import Foundation
import Glibc
import Model
import TestKit
import Testing
import Timing
import Transfer

@Suite(.unlessItHangs, .enabled(if: Certificate.isPossible, "openssl(1) is not installed"))
struct TLSTests {
  @Test func `a certificate that nobody vouches for is a failure of TLS`() async throws {
    let server = try TLSServer()

    let failure = await makeLoop().failure(try request(server.url))

    guard case .tls(let detail) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(detail.contains("certificate"))
  }

  @Test func `a certificate that the settings trust is good`() async throws {
    let server = try TLSServer()

    let response = try await makeLoop().fetch(
      request(server.url) { $0.network.caFile = server.certificate })

    #expect(response.status == 200)
  }

  @Test func `a server that speaks no TLS is a failure of TLS`() async throws {
    let server = try ScriptedServer { _ in .document("") }

    let failure = await makeLoop().failure(
      try request("https://127.0.0.1:\(server.port)/") { $0.network.timeout = .seconds(20) })

    guard case .tls = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }
}

/// `openssl s_server` with a self-signed certificate for 127.0.0.1.
private final class TLSServer {
  let url: String
  let certificate: String
  private let directory: TemporaryDirectory
  private let process: Process

  init() throws {
    directory = try TemporaryDirectory()
    let made = try Certificate(in: directory)
    certificate = made.certificate

    let (process, output) = try Self.start(
      "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", certificate, "-key", made.key)
    self.process = process
    // It says "ACCEPT 127.0.0.1:PORT" once it listens.
    var said = ""
    while !said.contains("\n") || !said.contains("ACCEPT") {
      let new = output.fileHandleForReading.availableData
      try #require(!new.isEmpty)
      said += String(decoding: new, as: UTF8.self)
    }
    let line = try #require(said.split(separator: "\n").first { $0.hasPrefix("ACCEPT") })
    let port = try #require(line.split(separator: ":").last)
    url = "https://127.0.0.1:\(port)/"
  }

  deinit {
    // Not SIGTERM: the threads of Swift's pool block it, and what they start inherits that.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private static func start(_ arguments: String...) throws -> (process: Process, output: Pipe) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Certificate.openssl))
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    return (process, output)
  }
}

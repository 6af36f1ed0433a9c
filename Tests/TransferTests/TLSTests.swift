// TLS against a server with a certificate of its own making, run by openssl(1).

import Foundation
import Glibc
import Model
import TestKit
import Testing
import Timing
import Transfer

@Suite(.unlessItHangs, .enabled(if: TLSServer.isPossible, "openssl(1) is not installed"))
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
  static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  static var isPossible: Bool { openssl != nil }

  let url: String
  let certificate: String
  private let directory: TemporaryDirectory
  private let process: Process

  init() throws {
    directory = try TemporaryDirectory()
    certificate = directory.file("cert.pem")
    let key = directory.file("key.pem")
    let make = try Self.start(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj",
      "/CN=bgfetch test", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate
    ).process
    make.waitUntilExit()
    try #require(make.terminationStatus == 0)

    let (process, output) = try Self.start(
      "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", certificate, "-key", key)
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
    process.executableURL = URL(fileURLWithPath: try #require(openssl))
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    return (process, output)
  }
}

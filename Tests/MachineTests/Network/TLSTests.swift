// TLS of fetches and downloads.

import Core
import Foundation
import Glibc
import Machine
import TestKit
import Testing

@Suite(.unlessItHangs, .enabled(if: Certificate.isPossible, "openssl(1) is not installed"))
struct TLSTests {
  @Test func `a certificate without a trusted issuer is a failure of TLS`() async throws {
    let server = try TLSServer()

    let failure = await makeLoop().failure(try request(server.url))

    guard case .tls(let detail) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(detail.contains("certificate"))
  }

  @Test func `a server that asks for a client certificate gets it`() async throws {
    let own = try TemporaryDirectory()
    let pair = try Certificate(in: own)
    let server = try TLSServer(["-Verify", "1", "-verify_return_error", "-CAfile", pair.certificate])
    func asking(_ certificate: ClientCertificate?) throws -> Request {
      var request = try request(server.url) { $0.network.caFile = server.certificate }
      request.credentials = certificate.map { .certificate($0) }
      return request
    }

    let with = try await makeLoop().fetch(asking(ClientCertificate(file: pair.certificate, key: pair.key)))
    let without = await makeLoop().failure(try asking(nil))
    // A key that belongs to another certificate.
    let mixed = await makeLoop().failure(
      try asking(ClientCertificate(file: pair.certificate, key: server.key)))
    let encrypted = try pair.encryptedKey("secret")
    let opened = try await makeLoop().fetch(
      asking(ClientCertificate(file: pair.certificate, key: encrypted, password: "secret")))
    let closed = await makeLoop().failure(
      try asking(ClientCertificate(file: pair.certificate, key: encrypted)))

    #expect(with.status == 200 && opened.status == 200)
    for failure in [mixed, closed] {
      expect(failure, "tls")
    }
    // Since TLS 1.3 a server can refuse after the handshake.
    switch without {
    case .tls(let detail), .cut(let detail): #expect(detail.contains("certificate"))
    default: Issue.record("\(String(describing: without))")
    }
  }

  // libcurl 7.88 crashed when a download on a shared connection was paused or cancelled.
  @Test func `a download uses HTTP 1 even where a server offers HTTP 2`() async throws {
    let server = try TLSServer(["-alpn", "h2,http/1.1"])
    let page = try request(server.url) { $0.network.caFile = server.certificate }
    let receiver = Recorder()

    #expect(try await makeDownloadLoop().download(page, into: receiver).status == 200)

    #expect(receiver.text.contains("s_server"))
    // It does not really speak HTTP 2.
    #expect(await makeLoop().failure(page) != nil)
  }

  @Test func `a server that speaks no TLS is a failure of TLS`() async throws {
    let server = try ScriptedServer { _ in .document("") }

    let failure = await makeLoop().failure(
      try request("https://127.0.0.1:\(server.port)/") { $0.network.timeout = .seconds(20) })

    expect(failure, "tls")
  }
}

/// `openssl s_server` with a self-signed certificate for 127.0.0.1, which answers everything with a page of its own.
private final class TLSServer: Sendable {
  let url: String
  let certificate: String
  let key: String
  private let directory: TemporaryDirectory
  private let process = Process()

  init(_ options: [String] = []) throws {
    directory = try TemporaryDirectory()
    let made = try Certificate(in: directory)
    (certificate, key) = (made.certificate, made.key)
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: try #require(Certificate.openssl))
    process.arguments =
      ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-www"] + options
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    // It says "ACCEPT 127.0.0.1:PORT" once it listens.
    var said = ""
    while !said.contains("\n") || !said.contains("ACCEPT") {
      try #require(isReadable(output.fileHandleForReading.fileDescriptor))
      let new = output.fileHandleForReading.availableData
      try #require(!new.isEmpty)
      said += String(decoding: new, as: UTF8.self)
    }
    let line = try #require(said.split(separator: "\n").first { $0.hasPrefix("ACCEPT") })
    url = "https://127.0.0.1:\(try #require(line.split(separator: ":").last))/"
  }

  deinit {
    // Not SIGTERM: the threads of Swift's pool block it, and programs that they start inherit that.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

/// A self-signed certificate for 127.0.0.1 and its key, as files in a directory.
struct Certificate {
  static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  static var isPossible: Bool { openssl != nil }

  let certificate: String
  let key: String

  init(in directory: TemporaryDirectory) throws {
    certificate = directory.file("cert.pem")
    key = directory.file("key.pem")
    try Self.run([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=bgfetch test", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
      certificate,
    ])
  }

  /// Makes a file beside the key with the key encrypted.
  func encryptedKey(_ password: String) throws -> String {
    let file = key + ".encrypted"
    try Self.run(["pkcs8", "-topk8", "-in", key, "-out", file, "-passout", "pass:" + password])
    return file
  }

  private static func run(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(openssl))
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }
}

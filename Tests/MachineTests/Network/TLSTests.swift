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

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `a server that asks for a client certificate gets it`(version: String) async throws {
    let own = try TemporaryDirectory()
    let pair = try Certificate(in: own)
    let server = try TLSServer([
      "-www", "-Verify", "1", "-verify_return_error", "-CAfile", pair.certificate, version,
    ])
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
    let expired = await makeLoop().failure(
      try asking(ClientCertificate(file: pair.expired(), key: pair.key)))
    let encrypted = try pair.encryptedKey("secret")
    let opened = try await makeLoop().fetch(
      asking(ClientCertificate(file: pair.certificate, key: encrypted, password: "secret")))
    let closed = await makeLoop().failure(
      try asking(ClientCertificate(file: pair.certificate, key: encrypted)))

    #expect(with.status == 200)
    #expect(opened.status == 200)
    for failure in [mixed, closed] {
      expect(failure, "tls")
    }
    guard case .tls(let reason) = expired else {
      Issue.record("\(String(describing: expired))")
      return
    }
    #expect(reason.hasPrefix("the server refuses the client certificate (libcurl: "))
    // Since TLS 1.3 a server can refuse after the handshake, and says why.
    guard version == "-tls1_3" else { return expect(without, "tls") }
    switch without {
    case .tls(let detail), .cut(let detail): #expect(detail.contains("certificate"))
    default: Issue.record("\(String(describing: without))")
    }
  }

  @Test func `a proxy without a trusted certificate is a failure of the proxy`() async throws {
    let proxy = try TLSServer()

    let failure = await makeLoop().failure(
      try request("http://feeds.example/") { $0.network.proxy = .url(String(proxy.url.dropLast())) })

    guard case .proxy(let reason) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(reason.hasPrefix("its certificate is not valid (libcurl: "))
  }

  // libcurl 7.88 gave the second feed "foreign".
  @Test func `bytes after a response are not the response to the next request`() async throws {
    let server = try TLSServer(["-naccept", "2"])
    let loop = makeLoop()
    let asking = Task { [server] in
      try await loop.fetch(request(server.url + "one") { $0.network.caFile = server.certificate })
    }
    await server.wait(for: "GET /one ")
    server.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none")
    let first = try await asking.value
    server.send("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nforeign")
    #expect(try await server.hasUnreadClient())

    let askingAgain = Task { [server] in
      try await loop.fetch(request(server.url + "two") { $0.network.caFile = server.certificate })
    }
    await server.wait(for: "GET /two ")
    server.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo")
    let second = try await askingAgain.value

    #expect([first.text, second.text] == ["one", "two"])
  }

  @Test func `a server that speaks no TLS is a failure of TLS`() async throws {
    let server = try ScriptedServer { _ in .document("") }

    let failure = await makeLoop().failure(
      try request("https://127.0.0.1:\(server.port)/") { $0.network.timeout = .seconds(20) })

    expect(failure, "tls")
  }
}

/// `openssl s_server` with a self-signed certificate for 127.0.0.1.
private final class TLSServer: Sendable {
  let url: String
  let certificate: String
  let key: String
  private let port: Int
  private let directory: TemporaryDirectory
  private let process: Process
  private let input: FileHandle
  private let output: FileHandle

  /// One that answers everything with a page of its own, unless it is given other options: then it sends what it is reported
  /// to, to one client after the other.
  init(_ options: [String] = ["-www"]) throws {
    directory = try TemporaryDirectory()
    let made = try Certificate(in: directory)
    (certificate, key) = (made.certificate, made.key)

    let (process, input, output) = try Self.start(
      ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key] + options)
    self.process = process
    self.input = input.fileHandleForWriting
    self.output = output.fileHandleForReading
    // It says "ACCEPT 127.0.0.1:PORT" once it listens.
    var said = ""
    while !said.contains("\n") || !said.contains("ACCEPT") {
      try #require(isReadable(output.fileHandleForReading.fileDescriptor))
      let new = output.fileHandleForReading.availableData
      try #require(!new.isEmpty)
      said += String(decoding: new, as: UTF8.self)
    }
    let line = try #require(said.split(separator: "\n").first { $0.hasPrefix("ACCEPT") })
    port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
    url = "https://127.0.0.1:\(port)/"
  }

  deinit {
    // Not SIGTERM: the threads of Swift's pool block it, and programs that they start inherit that.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Waits until something was received, the connection has ended, or the time is over.
  func wait(for text: String) async {
    // Not on a thread of Swift's pool, which may have no other for the client.
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [output] in
        var said = ""
        while !said.contains(text), isReadable(output.fileDescriptor) {
          let new = output.availableData
          guard !new.isEmpty else { break }
          said += String(decoding: new, as: UTF8.self)
        }
        continuation.resume()
      }
    }
  }

  /// Sends bytes in a record of TLS of their own.
  func send(_ text: String) { input.write(Data(text.utf8)) }

  /// Waits until bytes of the server are there for its client in this process to read; false if it has none, or in vain.
  func hasUnreadClient() async throws -> Bool {
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
    let clients = open.filter { peerPort(of: $0) == port }
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var watched = clients.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        continuation.resume(returning: poll(&watched, nfds_t(watched.count), 60_000) > 0)
      }
    }
  }

  private static func start(_ arguments: [String]) throws -> (process: Process, input: Pipe, output: Pipe) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Certificate.openssl))
    process.arguments = arguments
    let (input, output) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = input
    try process.run()
    return (process, input, output)
  }
}

/// The port that the other end of a TCP connection over IPv4 has; nil for anything else.
private func peerPort(of descriptor: Int32) -> Int? {
  var address = sockaddr_in()
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) == 0 }
  }
  guard isConnected, address.sin_family == AF_INET else { return nil }
  return Int(UInt16(bigEndian: address.sin_port))
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

  /// Makes the same certificate, but valid until yesterday.
  func expired() throws -> String {
    let file = certificate + ".expired"
    try Self.run(["x509", "-in", certificate, "-signkey", key, "-days", "-1", "-out", file])
    return file
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

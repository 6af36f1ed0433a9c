// Downloads over TLS from a server of HTTP/2.

import Core
import Foundation
import Glibc
import Machine
import TestKit
import Testing

@Suite(.unlessItHangs, .enabled(if: HTTP2Server.isPossible, "nginx(8) and openssl(1) are not installed"))
struct SecureDownloadTests {
  private func wholes(of count: Int, on loop: CurlLoop, from server: HTTP2Server) async throws -> Int {
    let requests = try (0..<count).map { number in
      try request(server.url("/\(number % 8)")) {
        $0.network.caFile = server.certificate
        // Ends a download that hangs.
        $0.network.stall.for = .minutes(2)
      }
    }
    return await withTaskGroup { group in
      for (number, request) in requests.enumerated() {
        group.addTask {
          let receiver = Recorder()
          _ = await loop.outcome(request, into: receiver)
          return receiver.bytes == HTTP2Server.file(number % 8)
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
  }

  @Test func `downloads from one host are whole, also on connections that were used before`()
    async throws
  {
    let server = try HTTP2Server()

    #expect(try await wholes(of: 64, on: makeDownloadLoop(), from: server) == 64)
  }

  @Test func `downloads that share a rate limit are whole`() async throws {
    let server = try HTTP2Server()

    // 24 of 100 kB in all.
    #expect(try await wholes(of: 24, on: makeDownloadLoop(rateLimit: 1_000_000), from: server) == 24)
  }

  @Test func `a download that is held up does not make another one stall`() async throws {
    let server = try HTTP2Server()
    let loop = makeDownloadLoop(rateLimit: 40_000)
    let slow = try request(server.url("/0")) {
      $0.network.caFile = server.certificate
      $0.network.stall = briefStall
      $0.network.stall.below = ByteCount(1 << 20)
    }

    let failures = await withTaskGroup { group in
      for _ in 0..<4 { group.addTask { await loop.outcome(slow, into: Recorder()).failure } }
      return await group.reduce(into: [FetchFailure]()) { if let failure = $1 { $0.append(failure) } }
    }

    #expect(failures.isEmpty)
  }

  @Test func `a cancelled download leaves the others alone`() async throws {
    let server = try HTTP2Server()
    let loop = makeDownloadLoop(rateLimit: 200_000)
    let cancelled = try request(server.url("/7")) { $0.network.caFile = server.certificate }
    let receiver = Recorder()
    let task = Task { await loop.outcome(cancelled, into: receiver) }
    async let others = wholes(of: 6, on: loop, from: server)
    await receiver.began()

    task.cancel()
    _ = await task.value
    receiver.isOver()

    #expect(try await others == 6)
    #expect(receiver.lateCalls == 0)
  }
}

/// nginx with HTTP/2 and a self-signed certificate for 127.0.0.1, and eight files.
private final class HTTP2Server {
  static let nginx = ["/usr/sbin/nginx", "/usr/local/sbin/nginx"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  static var isPossible: Bool { nginx != nil && Certificate.isPossible }

  /// The bytes of a file.
  static func file(_ number: Int) -> [UInt8] { files[number] }

  private static let files = (0..<8).map { pattern(20_000 + $0 * 23_000) }

  let certificate: String
  private let port: Int
  private let directory: TemporaryDirectory
  private let process: Process

  init() throws {
    directory = try TemporaryDirectory()
    let made = try Certificate(in: directory)
    certificate = made.certificate
    for number in 0..<8 {
      try Data(Self.file(number)).write(to: URL(fileURLWithPath: directory.file("\(number)")))
    }
    var started: (process: Process, port: Int)?
    // Another process may take a port that was free a moment ago.
    for _ in 0..<5 where started == nil { started = try Self.start(in: directory, made) }
    (process, port) = try #require(started)
  }

  deinit {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func url(_ path: String) -> String { "https://127.0.0.1:\(port)\(path)" }

  private static func start(
    in directory: TemporaryDirectory, _ certificate: Certificate
  ) throws -> (process: Process, port: Int)? {
    let port = try ScriptedServer().port
    let configuration = directory.file("nginx.conf")
    let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(directory.file("temporary"));"
    }
    try Data(
      """
      daemon off; master_process off; pid \(directory.file("pid"));
      events {}
      http {
        access_log off; \(places.joined(separator: " "))
        server {
          listen 127.0.0.1:\(port) ssl http2; root \(directory.file("."));
          ssl_certificate \(certificate.certificate); ssl_certificate_key \(certificate.key);
        }
      }
      """.utf8
    ).write(to: URL(fileURLWithPath: configuration))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(nginx))
    process.arguments = ["-c", configuration, "-g", "error_log stderr notice;"]
    let output = Pipe()
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    // It says how it waits for events once it listens.
    var said = ""
    while !said.contains("event method") {
      try #require(isReadable(output.fileHandleForReading.fileDescriptor))
      let new = output.fileHandleForReading.availableData
      guard !new.isEmpty else {
        process.waitUntilExit()
        return nil
      }
      said += String(decoding: new, as: UTF8.self)
    }
    return (process, port)
  }
}

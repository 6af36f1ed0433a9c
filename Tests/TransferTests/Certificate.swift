// A certificate of our own making, for the tests that speak TLS.

import Foundation
import TestKit
import Testing

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
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Self.openssl))
    process.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=bgfetch test", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
      certificate,
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }
}

// A part of a bucket on a real S3 server, as another program sees it: curl. It needs the variables that scripts/with-s3 sets.

import Foundation
import TestKit
import Testing

private func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }

/// A part of the bucket, for one test.
struct TestBucket: Sendable {
  static let isThere = getenv("BGFETCH_TEST_S3") != nil

  let address: String
  private let prefix = UUID().uuidString
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    address = variable("BGFETCH_TEST_S3") + "/" + prefix
  }

  /// The value of `documents`; the program needs `environment`.
  var yaml: String {
    "{s3: \"\(address)\", access-key: {env: BGFETCH_TEST_S3_KEY}, secret-key: {env: BGFETCH_TEST_S3_SECRET}}"
  }

  /// The same with keys in the file and in a file.
  func yaml(secretFile: String) -> String {
    "{s3: \"\(address)\", access-key: \(variable("BGFETCH_TEST_S3_KEY")), secret-key: {file: \"\(secretFile)\"}}"
  }

  static let secret = variable("BGFETCH_TEST_S3_SECRET")

  let environment = [
    "BGFETCH_TEST_S3_KEY": variable("BGFETCH_TEST_S3_KEY"), "BGFETCH_TEST_S3_SECRET": TestBucket.secret,
  ]

  /// The names of all objects, in order.
  func names() async throws -> [String] {
    let list = try await curl("\(bucket)?list-type=2&prefix=\(prefix)%2F")
    return elements("Key", in: list).map { String($0.dropFirst(prefix.count + 1)) }.sorted()
  }

  /// The bytes of an object.
  func object(_ name: String) async throws -> [UInt8] {
    let file = directory.file(UUID().uuidString)
    _ = try await curl(url(name), "-o", file)
    return try readFile(file)
  }

  /// Puts an object of another program.
  func put(_ name: String, _ bytes: [UInt8]) async throws {
    let file = try directory.write(bytes, to: UUID().uuidString)
    _ = try await curl(url(name), "-T", file, "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD")
  }

  private var bucket: String { variable("BGFETCH_TEST_S3") }

  private func url(_ name: String) -> String {
    let kept = CharacterSet(
      charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")
    return address + "/" + (name.addingPercentEncoding(withAllowedCharacters: kept) ?? "")
  }

  private func curl(_ words: String...) async throws -> String {
    let keys = "\(variable("BGFETCH_TEST_S3_KEY")):\(Self.secret)"
    let ended = try await RunningProgram(
      "/usr/bin/curl",
      [
        "-sS", "--fail", "--path-as-is", "--max-time", "120", "--aws-sigv4", "aws:amz:us-east-1:s3", "--user",
        keys,
      ] + words,
      environment: ["PATH": "/usr/bin:/bin"], input: nil, in: directory
    ).ended()
    try #require(ended.status == 0, "\(ended.errors)")
    return ended.output
  }

  private func elements(_ name: String, in text: String) -> [String] {
    text.components(separatedBy: "<\(name)>").dropFirst().compactMap {
      $0.components(separatedBy: "</\(name)>").first?.replacingOccurrences(of: "&amp;", with: "&")
    }
  }
}

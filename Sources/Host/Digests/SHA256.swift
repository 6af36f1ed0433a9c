// SHA-256 (FIPS 180-4), computed by the libcrypto that libcurl brings along.

import CDigest
import Core
import Glibc

/// A SHA-256 that is being computed.
///
/// swift-crypto would build BoringSSL for this one function; an own implementation would have no use of the
/// processor's instructions for it. Where libcrypto is missing nothing can be downloaded, and the words say so.
struct SHA256: ~Copyable {
  /// Freed with the value, which cannot be copied.
  private let digest: OpaquePointer
  /// The file whose bytes these are, for messages.
  private let path: String

  /// Nothing was added yet.
  init(of path: String) throws(DocumentsProblem) {
    digest = try newDigest(path)
    self.path = path
  }

  deinit {
    bgfetch_digest_free(digest)
  }

  /// Forgets what was added.
  mutating func restart() throws(DocumentsProblem) {
    try check(bgfetch_digest_restart(digest))
  }

  /// Adds the first bytes of a buffer.
  mutating func add(_ buffer: [UInt8], _ count: Int) throws(DocumentsProblem) {
    try check(bgfetch_digest_add(digest, buffer, count))
  }

  /// Adds bytes that are at hand.
  mutating func add(_ bytes: RawSpan) throws(DocumentsProblem) {
    try check(bytes.withUnsafeBytes { bgfetch_digest_add(digest, $0.baseAddress, $0.count) })
  }

  /// What was added so far, as 64 hexadecimal digits in lower case.
  func text() throws(DocumentsProblem) -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    try check(bgfetch_digest_write(digest, &bytes))
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  private func check(_ hasWorked: Bool) throws(DocumentsProblem) {
    // Only a libcrypto without SHA-256, or memory, can be the reason.
    guard hasWorked else { throw .other(path: path, detail: "libcrypto cannot compute a SHA-256") }
  }
}

private func newDigest(_ path: String) throws(DocumentsProblem) -> OpaquePointer {
  if let problem = bgfetch_digest_load() { throw .other(path: path, detail: String(cString: problem)) }
  guard let digest = bgfetch_digest_new() else {
    throw .other(path: path, detail: "libcrypto cannot begin a SHA-256")
  }
  return digest
}

// SHA-256 (FIPS 180-4), computed by the libcrypto that libcurl depends on.

import CLate
import Core
import Glibc

/// A SHA-256 that is being computed.
///
/// swift-crypto would build BoringSSL for this one function, and an implementation of our own would not use the
/// processor's SHA instructions. Without libcrypto nothing can be downloaded, and the error says so.
struct SHA256: ~Copyable {
  /// Freed with the value, which cannot be copied.
  private let digest: OpaquePointer
  /// The file whose bytes these are, for messages.
  private let path: String
  /// libcrypto may have been built without SHA-256, or memory may be exhausted.
  private var hasFailed = false

  init(of path: String) throws(DocumentsProblem) {
    if let problem = bgfetch_digest_load() { throw .other(path: path, detail: String(cString: problem)) }
    guard let digest = bgfetch_digest_new() else {
      throw .other(path: path, detail: "libcrypto cannot begin a SHA-256")
    }
    (self.digest, self.path) = (digest, path)
  }

  deinit {
    bgfetch_digest_free(digest)
  }

  /// Forgets all bytes.
  mutating func restart() { hasFailed = !bgfetch_digest_restart(digest) }

  mutating func add(_ bytes: RawSpan) {
    let hasWorked = bytes.withUnsafeBytes { bgfetch_digest_add(digest, $0.baseAddress, $0.count) }
    hasFailed = hasFailed || !hasWorked
  }

  /// The SHA-256 of all bytes added, as 64 hexadecimal digits in lower case.
  func text() throws(DocumentsProblem) -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    guard !hasFailed, bgfetch_digest_write(digest, &bytes) else {
      throw .other(path: path, detail: "libcrypto cannot compute a SHA-256")
    }
    return hexadecimal(bytes)
  }
}

/// The SHA-256 of an open file.
func sha256(of file: Descriptor, path: String) throws(DocumentsProblem) -> String {
  var digest = try SHA256(of: path)
  var buffer = [UInt8](repeating: 0, count: 256 << 10)
  var offset: Int64 = 0
  while true {
    let count = try onDocument(path) {
      try file.read(into: &buffer, buffer.count, at: offset)
    }
    if count == 0 { return try digest.text() }
    digest.add(buffer.span.bytes.extracting(first: count))
    offset += Int64(count)
  }
}

/// The HMAC of bytes with SHA-256 (RFC 2104), as 64 hexadecimal digits in lower case; nil without libcrypto.
public func signature(of bytes: [UInt8], key: String) -> String? {
  var result = [UInt8](repeating: 0, count: 32)
  guard bgfetch_digest_load() == nil else { return nil }
  let key = Array(key.utf8)
  return bgfetch_digest_hmac(key, key.count, bytes, bytes.count, &result) ? hexadecimal(result) : nil
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

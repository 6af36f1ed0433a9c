// Documents directories of tests, and partial files in them.

import Core
import Glibc

@testable import Machine

/// The SHA-256 of no bytes and of "abc" (FIPS 180-4, examples).
let digestOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
let digestOfABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

extension PartialFile {
  /// Adds a text.
  func append(_ text: String) throws(DocumentsProblem) {
    try append(Array(text.utf8))
  }

  /// Adds bytes.
  func append(_ bytes: [UInt8]) throws(DocumentsProblem) {
    let outcome: Result<Void, DocumentsProblem> = bytes.withUnsafeBytes { bytes in
      Result { () throws(DocumentsProblem) in try append(bytes) }
    }
    try outcome.get()
  }
}

extension DocumentsDirectory {
  /// A directory that is ready.
  static func ready(_ path: String) async throws -> DocumentsDirectory {
    let documents = DocumentsDirectory(path)
    try await documents.prepare(wasUsed: false)
    return documents
  }

  /// Makes a partial file with a text, and returns the intent to place it.
  func intent(
    _ transfer: Int64, _ text: String, as name: String, modified: Instant? = nil
  ) async throws -> PlacementIntent {
    let part = try await openPartial(transfer, keeping: 0)
    try part.append(text)
    _ = try await part.synchronize()
    return PlacementIntent(
      directory: path, name: name, size: part.size, sha256: try await part.sha256() ?? "", modified: modified,
      identity: part.identity)
  }

  /// The names of the partial files.
  var partials: [String] { entries(path + "/.bgfetch").sorted() }
}

/// The bytes of a file; nil if it does not exist.
func content(_ path: String) -> String? {
  (try? readFile(path, limit: ByteCount(1 << 24))).map { String(decoding: $0, as: UTF8.self) }
}

/// Makes directories, with those above them.
func makeDirectories(_ path: String) {
  var made = ""
  for part in path.split(separator: "/") {
    made += "/" + part
    mkdir(made, 0o755)
  }
}

extension DocumentsDirectory {
  func place(
    _ transfer: Int64, _ intent: PlacementIntent
  ) async throws(DocumentsProblem) -> PlaceOutcome {
    try await place(Placement(transfer, intent))
  }

  /// Whether the file of an intent has its final name.
  func isPlaced(_ intent: PlacementIntent) async throws(DocumentsProblem) -> Bool {
    try await isPlaced(Placement(0, intent))
  }
}

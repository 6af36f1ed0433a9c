// A partial file that is open: written by one thread, brought to the disk and asked by others.

import Core
import Glibc
import Synchronization

/// A partial file that is open.
final class OpenPartial: PartialFile {
  let identity: FileIdentity
  private let path: String
  private let file: Descriptor
  private let directory: Descriptor
  private let digest: FollowingDigest
  private let durable: Mutex<Durable>

  private struct Durable {
    /// Whether the file has a name that survives a power cut.
    var hasName: Bool
    /// What a system said that could not write: it forgets what it could not write, and says so only once (fsync(2)).
    var problem: DocumentsProblem?
  }

  /// A file that holds so many bytes, just made or not, in its directory.
  init(
    _ file: Descriptor, in directory: Descriptor, path: String, size: Int64, isNew: Bool
  ) throws(DocumentsProblem) {
    let status = try onDocument(path) { () throws(SystemError) in try FileStatus(file) }
    identity = FileIdentity(device: status.device, inode: status.inode)
    digest = try FollowingDigest(file, path: path, size: size)
    durable = Mutex(Durable(hasName: !isNew))
    self.path = path
    self.file = file
    self.directory = directory
  }

  deinit {
    digest.abandon()
  }

  var size: Int64 { digest.extent.size }

  func append(_ bytes: UnsafeRawBufferPointer) throws(DocumentsProblem) {
    let start = size
    var written = 0
    // What is there even if the rest fails is of use.
    defer { if written > 0 { digest.grow(by: bytes.bytes.extracting(first: written)) } }
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      written += try onDocument(path) { () throws(SystemError) in
        try file.call { pwrite($0, rest.baseAddress, rest.count, off_t(start) + off_t(written)) }
      }
    }
  }

  func restart() throws(DocumentsProblem) {
    try onDocument(path) { () throws(SystemError) in _ = try file.call { ftruncate($0, 0) } }
    digest.restart()
    durable.withLock { $0.problem = nil }
  }

  func synchronize() async throws(DocumentsProblem) -> DigestedBytes {
    let beginning = digest.extent.beginning
    // Read before it is brought to the disk: what comes in between is not a part of either.
    let read = try await digest.text().get()
    try await bringToDiskElsewhere()
    // Of a file that began anew meanwhile nothing is known to be there.
    return digest.extent.beginning == beginning ? read : DigestedBytes(bytes: 0, sha256: "")
  }

  func synchronizeUnread() async throws(DocumentsProblem) -> Int64 {
    let extent = digest.extent
    try await bringToDiskElsewhere()
    return digest.extent.beginning == extent.beginning ? extent.size : 0
  }

  var unread: Int64 { digest.unread }

  func sha256() async throws(DocumentsProblem) -> String {
    try await digest.text().get().sha256
  }

  private func bringToDiskElsewhere() async throws(DocumentsProblem) {
    let outcome = await onOwnThread { [self] in
      Result { () throws(DocumentsProblem) in try bringToDisk() }
    } refused: { [path] in
      .failure(DocumentsProblem(path, $0))
    }
    try outcome.get()
  }

  private func bringToDisk() throws(DocumentsProblem) {
    let known = durable.withLock { $0 }
    if let problem = known.problem { throw problem }
    do throws(DocumentsProblem) {
      try onDocument(path) { () throws(SystemError) in
        try file.call { fdatasync($0) }
        if !known.hasName { try directory.synchronize() }
      }
    } catch {
      durable.withLock { $0.problem = error }
      throw error
    }
    durable.withLock { $0.hasName = true }
  }
}

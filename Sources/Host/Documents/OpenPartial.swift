// A partial file that is open: libcurl's thread writes it, other tasks synchronise it and read its checksum.

import CLinux
import Core
import Glibc
import Synchronization

/// A partial file that is open; its checksum is updated with every write.
final class OpenPartial: PartialFile {
  let identity: FileIdentity
  private let path: String
  private let file: Descriptor
  private let directory: Descriptor
  private let content: Mutex<Content>
  private let durable: Mutex<Durable>

  private struct Content: ~Copyable {
    var size: Int64
    /// The SHA-256 of the first `hashed` bytes; fewer than `size` only until the bytes of an earlier run are read.
    var digest: SHA256
    var hashed: Int64 = 0
    /// How often the file was cut back to nothing.
    var restarts = 0
  }

  private struct Durable {
    /// Whether the file has a name that survives a power cut.
    var hasName: Bool
    /// Why the file could not be synchronised: the system forgets the bytes and reports the error only once (fsync(2)).
    var problem: DocumentsProblem?
  }

  /// A partial file of a size, just made or not, in its directory.
  init(
    _ file: Descriptor, in directory: Descriptor, path: String, size: Int64, isNew: Bool
  ) throws(DocumentsProblem) {
    let status = try onDocument(path) { () throws(SystemError) in try FileStatus(file) }
    identity = FileIdentity(device: status.device, inode: status.inode)
    content = Mutex(Content(size: size, digest: try SHA256(of: path)))
    durable = Mutex(Durable(hasName: !isNew))
    self.path = path
    self.file = file
    self.directory = directory
  }

  var size: Int64 { content.withLock { $0.size } }

  /// The disk starts writing after this many bytes, long before a synchronisation waits for it.
  private static let stretch: Int64 = 8 << 20

  func append(_ bytes: UnsafeRawBufferPointer) throws(DocumentsProblem) {
    let start = size
    var written = 0
    do throws(DocumentsProblem) {
      while written < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
        written += try onDocument(path) { () throws(SystemError) in
          try file.call { pwrite($0, rest.baseAddress, rest.count, off_t(start) + off_t(written)) }
        }
      }
    } catch {
      // The bytes before the error are usable.
      try? note(UnsafeRawBufferPointer(rebasing: bytes[..<written]))
      throw error
    }
    try note(bytes)
    let end = start + Int64(written)
    if end / Self.stretch > start / Self.stretch {
      file.borrow { bgfetch_begin_writing($0, off_t(end - Self.stretch), off_t(Self.stretch)) }
    }
  }

  /// Notes that bytes were written.
  private func note(_ bytes: UnsafeRawBufferPointer) throws(DocumentsProblem) {
    try content.withLock { content throws(DocumentsProblem) in
      if content.hashed == content.size {
        try content.digest.add(bytes.bytes)
        content.hashed += Int64(bytes.count)
      }
      content.size += Int64(bytes.count)
    }
  }

  func restart() throws(DocumentsProblem) {
    try onDocument(path) { () throws(SystemError) in _ = try file.call { ftruncate($0, 0) } }
    try content.withLock { content throws(DocumentsProblem) in
      try content.digest.restart()
      (content.size, content.hashed) = (0, 0)
      content.restarts += 1
    }
    durable.withLock { $0.problem = nil }
  }

  func sha256() async throws(DocumentsProblem) -> String? {
    let isCancelled = Atomic(false)
    return try await withTaskCancellationHandler {
      await hashed { isCancelled.load(ordering: .relaxed) }
    } onCancel: {
      isCancelled.store(true, ordering: .relaxed)
    }.get()?.bytes.sha256
  }

  func synchronize() async throws(DocumentsProblem) -> DigestedBytes {
    // The checksum comes first: bytes that arrive in between belong to neither.
    guard let (bytes, restarts) = try await hashed(unless: { false }).get() else {
      return DigestedBytes(bytes: 0, sha256: "")
    }
    try await elsewhere { [self] () throws(DocumentsProblem) in try bringToDisk() }.get()
    // Nothing is known of a file that was cut back meanwhile.
    return content.withLock { $0.restarts } == restarts ? bytes : DigestedBytes(bytes: 0, sha256: "")
  }

  private typealias Hashed = (bytes: DigestedBytes, restarts: Int)

  /// The checksum of the whole file; nil if `isStopped` before the bytes of an earlier run are read.
  private func hashed(
    unless isStopped: @escaping @Sendable () -> Bool
  ) async -> Result<Hashed?, DocumentsProblem> {
    let known = Result { () throws(DocumentsProblem) in try whole() }
    if case .success(nil) = known {
      return await elsewhere { [self] () throws(DocumentsProblem) in try readRest(unless: isStopped) }
    }
    return known
  }

  /// The checksum of the whole file; nil if some bytes are not in it yet.
  private func whole() throws(DocumentsProblem) -> Hashed? {
    try content.withLock { content throws(DocumentsProblem) in
      guard content.hashed == content.size else { return nil }
      let bytes = DigestedBytes(bytes: content.size, sha256: try content.digest.text())
      return (bytes, content.restarts)
    }
  }

  /// Reads the bytes of an earlier run, and those written meanwhile, into the checksum.
  private func readRest(unless isStopped: () -> Bool) throws(DocumentsProblem) -> Hashed? {
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      if let hashed = try whole() { return hashed }
      if isStopped() { return nil }
      let (offset, left, restarts) = content.withLock { ($0.hashed, $0.size - $0.hashed, $0.restarts) }
      let count = try onDocument(path) { () throws(SystemError) in
        try file.read(into: &buffer, Int(min(left, Int64(buffer.count))), at: offset)
      }
      try content.withLock { content throws(DocumentsProblem) in
        guard content.restarts == restarts, content.hashed == offset, content.hashed < content.size else {
          return
        }
        // Another program has cut the file.
        guard count > 0 else { throw .partialLost(path: path) }
        try content.digest.add(buffer.span.bytes.extracting(first: count))
        content.hashed += Int64(count)
      }
    }
  }

  private func elsewhere<Value: Sendable>(
    _ body: @escaping @Sendable () throws(DocumentsProblem) -> Value
  ) async -> Result<Value, DocumentsProblem> {
    await onOwnThread {
      Result { () throws(DocumentsProblem) in try body() }
    } refused: { [path] in
      .failure(DocumentsProblem(path, $0))
    }
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

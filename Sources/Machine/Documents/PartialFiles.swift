// Partial files: opening and removing them, writing one with its checksum, and reading a complete one to upload it.

import CLinux
public import Core
import Glibc
import Synchronization

extension DocumentsDirectory {
  /// Opens the partial file of a transfer, cut back to `kept` bytes.
  ///
  /// With 0 bytes a new file replaces any that has its name. Otherwise a file that is missing, is shorter, has a second
  /// name or is not regular is `partialLost`. A directory that is not empty is `inTheWay`: its files are not bgfetch's.
  public func openPartial(
    _ transfer: Int64, keeping kept: Int64
  ) async throws(DocumentsProblem) -> PartialFile {
    try await work {
      let documents = try open()
      return kept > 0 ? try documents.reopen(transfer, keeping: kept) : try documents.create(transfer)
    }
  }

  /// Removes the partial file of a transfer, if there is one.
  public func discard(_ transfer: Int64) async {
    // A later run removes the file with other unknown ones if this fails.
    try? await work {
      let documents = try open()
      try? documents.parts.remove(documents.partialName(transfer))
    }
  }

  /// Removes the store's partial files except those of some transfers, and no other files.
  public func discardOthers(keeping kept: Set<Int64>) async {
    try? await work {
      let documents = try open()
      for name in documents.parts.names(where: { documents.transfer(ofPartial: $0) != nil }) {
        guard let number = documents.transfer(ofPartial: name), !kept.contains(number),
          let status = try? FileStatus(name, in: documents.parts), status.kind == .file
        else { continue }
        try? documents.parts.remove(name)
      }
    }
  }
}

extension OpenDocuments {
  /// The name of the partial file of a transfer in `.bgfetch`.
  func partialName(_ transfer: Int64) -> String { "\(transfer)\(partialEnd)" }

  /// The end of the names of the store's partial files; other stores number their transfers too.
  private var partialEnd: String { mark.isEmpty ? ".part" : "-\(mark).part" }

  /// The transfer whose partial file has a name; nil if no partial file of this store has it.
  fileprivate func transfer(ofPartial name: String) -> Int64? {
    guard name.hasSuffix(partialEnd), let number = Int64(name.dropLast(partialEnd.count)),
      partialName(number) == name
    else { return nil }
    return number
  }

  /// The path of the partial file of a transfer, for messages.
  func partialPath(_ transfer: Int64) -> String { path + "/" + partsName + "/" + partialName(transfer) }

  /// Opens the partial file of a transfer; nil if there is none, or it belongs to another user.
  func partial(_ transfer: Int64) throws(DocumentsProblem) -> (file: Descriptor, status: FileStatus)? {
    try onDocument(partialPath(transfer)) {
      guard let found = try parts.openRegular(partialName(transfer), O_RDWR) else { return nil }
      // A network share maps the owners of files and of their directory in the same way.
      let owners = [geteuid(), 0, try FileStatus(parts).owner]
      return owners.contains(found.status.owner) ? found : nil
    }
  }

  fileprivate func create(_ transfer: Int64) throws(DocumentsProblem) -> PartialFile {
    let path = partialPath(transfer)
    let file = try onDocument(path) {
      let removed: Void? = try unless(EISDIR, in: parts.remove(partialName(transfer)))
      if removed == nil { try parts.call { unlinkat($0, partialName(transfer), AT_REMOVEDIR) } }
      return try parts.open(
        partialName(transfer), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600)
    }
    return try PartialFile(file, in: parts, path: path, size: 0, isNew: true)
  }

  fileprivate func reopen(_ transfer: Int64, keeping kept: Int64) throws(DocumentsProblem) -> PartialFile {
    let path = partialPath(transfer)
    // A second hard link is the final name, given just before a crash: that file must not change.
    guard let (file, status) = try partial(transfer), status.size >= kept, status.links == 1 else {
      throw .partialLost(path: path)
    }
    if status.size > kept {
      try onDocument(path) { try file.call { ftruncate($0, off_t(kept)) } }
    }
    return try PartialFile(file, in: parts, path: path, size: kept, isNew: false)
  }
}

extension Descriptor {
  /// Opens a regular file in this directory; nil if the name is free, or belongs to something else.
  func openRegular(_ name: String, _ flags: Int32) throws(SystemError) -> (
    file: Descriptor, status: FileStatus
  )? {
    // The file may be missing, a link, a directory, a socket or a device. Opening a pipe without a writer would block.
    let opened = try unless(
      ENOENT, ELOOP, EISDIR, ENXIO, ENODEV, in: open(name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY))
    guard let file = opened else { return nil }
    let status = try FileStatus(file)
    return status.kind == .file ? (file, status) : nil
  }

  /// Removes a file, if it exists.
  func remove(_ name: String) throws(SystemError) {
    _ = try unless(ENOENT, in: call { unlinkat($0, name, 0) })
  }
}

/// A partial file that is open for writing, until its last reference goes.
///
/// libcurl's thread writes it; other tasks synchronise it and read its checksum, which is updated with every write.
public final class PartialFile: Sendable {
  public let identity: FileIdentity
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
    /// How often the file was cut back.
    var cuts = 0
  }

  private struct Durable {
    /// Whether the file has a name that survives a power cut.
    var hasName: Bool
    /// Why the file could not be synchronised: the system forgets the bytes and reports the error only once (fsync(2)).
    var problem: DocumentsProblem?
  }

  /// A partial file in its directory, with its size, and whether it was just made.
  init(
    _ file: Descriptor, in directory: Descriptor, path: String, size: Int64, isNew: Bool
  ) throws(DocumentsProblem) {
    let status = try onDocument(path) { try FileStatus(file) }
    identity = status.identity
    content = Mutex(Content(size: size, digest: try SHA256(of: path)))
    durable = Mutex(Durable(hasName: !isNew))
    (self.path, self.file, self.directory) = (path, file, directory)
  }

  public var size: Int64 { content.withLock { $0.size } }

  /// The disk starts writing after this many bytes, long before a synchronisation waits for it.
  private static let stretch: Int64 = 8 << 20

  /// Adds bytes at the end, all of them unless it throws, and updates the checksum.
  public func append(_ bytes: UnsafeRawBufferPointer) throws(DocumentsProblem) {
    let start = size
    var written = 0
    // The bytes before an error are usable.
    defer { record(UnsafeRawBufferPointer(rebasing: bytes[..<written])) }
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      written += try onDocument(path) {
        try file.call { pwrite($0, rest.baseAddress, rest.count, off_t(start) + off_t(written)) }
      }
    }
    let end = start + Int64(written)
    if end / Self.stretch > start / Self.stretch {
      file.borrow { bgfetch_begin_writing($0, off_t(end - Self.stretch), off_t(Self.stretch)) }
    }
  }

  /// Records that bytes were written.
  private func record(_ bytes: UnsafeRawBufferPointer) {
    content.withLock { content in
      if content.hashed == content.size {
        content.digest.add(bytes.bytes)
        content.hashed += Int64(bytes.count)
      }
      content.size += Int64(bytes.count)
    }
  }

  /// Cuts the file back to its first bytes.
  public func cut(to size: Int64) throws(DocumentsProblem) {
    try onDocument(path) { try file.call { ftruncate($0, off_t(size)) } }
    content.withLock { content in
      if content.hashed > size {
        // The checksum cannot go back; the bytes that stay are read again.
        content.digest.restart()
        content.hashed = 0
      }
      content.size = size
      content.cuts += 1
    }
    if size == 0 { durable.withLock { $0.problem = nil } }
  }

  /// The SHA-256 of the file, 64 hexadecimal digits in lower case.
  ///
  /// The first call reads the bytes that an earlier run left; it returns nil if the task is cancelled meanwhile.
  public func sha256() async throws(DocumentsProblem) -> String? {
    try await hashed { Task.isCancelled }?.bytes.sha256
  }

  /// Writes the file's bytes to the disk (fdatasync(2)); returns the number of safe bytes, which may be fewer than the file
  /// has by then.
  public func synchronize() async throws(DocumentsProblem) -> DigestedBytes {
    // The checksum comes first, so that bytes that arrive in between belong to neither.
    let hashed = try await hashed(unless: { false })
    try await onDocumentThread(path) { [self] in try syncToDisk() }
    // Nothing is known about a file that was cut back meanwhile.
    guard let hashed, content.withLock({ $0.cuts }) == hashed.cuts else {
      return DigestedBytes(bytes: 0, sha256: "")
    }
    return hashed.bytes
  }

  private typealias Hashed = (bytes: DigestedBytes, cuts: Int)

  /// The checksum of the whole file; nil if `isStopped` before the bytes of an earlier run are read.
  private func hashed(unless isStopped: () -> Bool) async throws(DocumentsProblem) -> Hashed? {
    while true {
      if let hashed = try whole() { return hashed }
      if isStopped() { return nil }
      try await onDocumentThread(path) { [self] in try readPiece() }
    }
  }

  /// The checksum of the whole file; nil if some bytes are not in it yet.
  private func whole() throws(DocumentsProblem) -> Hashed? {
    try content.withLock { content throws(DocumentsProblem) in
      guard content.hashed == content.size else { return nil }
      let bytes = DigestedBytes(bytes: content.size, sha256: try content.digest.text())
      return (bytes, content.cuts)
    }
  }

  /// Reads a piece of what an earlier run left, or of what was written meanwhile, into the checksum.
  private func readPiece() throws(DocumentsProblem) {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    let (offset, left, cuts) = content.withLock { ($0.hashed, $0.size - $0.hashed, $0.cuts) }
    let count = try onDocument(path) {
      try file.read(into: &buffer, Int(min(left, Int64(buffer.count))), at: offset)
    }
    try content.withLock { content throws(DocumentsProblem) in
      guard content.cuts == cuts, content.hashed == offset, content.hashed < content.size else { return }
      // Another program has cut the file.
      guard count > 0 else { throw .partialLost(path: path) }
      content.digest.add(buffer.span.bytes.extracting(first: count))
      content.hashed += Int64(count)
    }
  }

  private func syncToDisk() throws(DocumentsProblem) {
    let known = durable.withLock { $0 }
    if let problem = known.problem { throw problem }
    do throws(DocumentsProblem) {
      try onDocument(path) {
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

extension DocumentsDirectory {
  /// Opens the partial file of a placement to upload it; `partialLost` if it is not the file of the intent.
  public func openComplete(_ placement: Placement) async throws(DocumentsProblem) -> UploadBody {
    try await work {
      let documents = try open()
      let path = documents.partialPath(placement.transfer)
      guard let (file, status) = try documents.partial(placement.transfer),
        try file.is(placement.intent, status, path: path)
      else { throw DocumentsProblem.partialLost(path: path) }
      return UploadBody(size: placement.intent.size, sha256: placement.intent.sha256) {
        file.read(into: $0, at: $1)
      }
    }
  }
}

extension Descriptor {
  /// Reads into a buffer from an offset on; -1 if that fails.
  fileprivate func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
    (try? call { pread($0, buffer.baseAddress, buffer.count, off_t(offset)) }) ?? -1
  }
}

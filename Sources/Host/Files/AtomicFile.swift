// Puts new bytes under a name at once. Who may write when is FileLock's business.

import Glibc

/// Files that are replaced whole.
public enum AtomicFile {
  /// Puts new bytes under a name so that a reader sees the old ones or the new ones, also after a power cut.
  ///
  /// A symbolic link stays, and what it leads to is replaced, since a badge may be a link into a synced
  /// folder; a link that leads nowhere yet gets its file. A device, socket or pipe is never replaced, and nothing where
  /// another user may have put the file, the link or a directory (`FileSafety`). On
  /// failure the old bytes stay, and nothing is left beside them; what a killed process has left there goes with
  /// the next replacement an hour later.
  ///
  /// - Parameters:
  ///   - path: the file; its directory must exist.
  ///   - bytes: all of the new content.
  ///   - permissions: those of a new file, less the umask; an existing file keeps its own.
  ///   - isLocked: whether a lock keeps all others from replacing this file meanwhile; then what a killed process has left
  ///     goes with the next replacement.
  /// - Throws: what the system said, with the path that it said it of.
  public static func replace(
    _ path: String, with bytes: [UInt8], permissions: UInt32, isLocked: Bool = false
  ) throws(FileFailure) {
    let target = try FileSafety.require(path).path
    let parts = PathParts(target)
    let directory = try onPath(parts.directory) { () throws(SystemError) in
      try Descriptor.open(parts.directory, O_RDONLY | O_DIRECTORY)
    }
    let existing = try existingFile(parts.name, in: directory, path: target)
    let temporary = isLocked ? TemporaryName.only(for: parts.name) : TemporaryName.random()
    if isLocked { directory.borrow { _ = unlinkat($0, temporary, 0) } }
    try onPath(target) { () throws(SystemError) in
      try replace(
        parts.name, in: directory, by: temporary, bytes, permissions, keeping: existing?.permissions)
    }
  }

  /// The file that is there, nil if there is none.
  private static func existingFile(
    _ name: String, in directory: Descriptor, path: String
  ) throws(FileFailure) -> FileStatus? {
    let status: FileStatus
    do throws(SystemError) {
      status = try FileStatus(name, in: directory)
    } catch {
      guard error.code == ENOENT, !name.isEmpty else { throw FileFailure(path, error) }
      return nil
    }
    switch status.kind {
    case .file: return status
    case .directory: throw FileFailure(path: path, problem: .isDirectory)
    case .link, .socket, .other: throw FileFailure(path: path, problem: .isSpecial)
    }
  }

  private static func replace(
    _ name: String, in directory: Descriptor, by temporary: String, _ bytes: [UInt8], _ permissions: UInt32,
    keeping kept: UInt32?
  ) throws(SystemError) {
    try directory.withTemporaryFile(temporary, permissions: permissions) { _, file throws(SystemError) in
      if let kept { try file.call { fchmod($0, kept & 0o777) } }
      try file.writeWhole(bytes)
      try file.call { fsync($0) }
      // The file system's own time, which on a network may be another one than this machine's.
      let now = try FileStatus(file).modified.seconds
      try directory.call { renameat($0, temporary, $0, name) }
      directory.removeLeftovers(before: now - TemporaryName.longestUse)
    }
    try directory.synchronize()
  }
}

extension Descriptor {
  /// Makes a file under a passing name in this directory, which is removed again if `body` fails.
  ///
  /// That is not made of the name that it will have, which may already be as long as the file system allows.
  func withTemporaryFile(
    _ name: String = TemporaryName.random(), permissions: UInt32,
    _ body: (_ name: String, _ file: Descriptor) throws(SystemError) -> Void
  ) throws(SystemError) {
    let file = try open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: permissions)
    do throws(SystemError) {
      try body(name, file)
    } catch {
      // The first failure is the one to report; if this fails too, a stray temporary file is all that is
      // left.
      borrow { _ = unlinkat($0, name, 0) }
      throw error
    }
  }

  /// Brings what was renamed in this directory to the disk.
  func synchronize() throws(SystemError) {
    do throws(SystemError) {
      try call { fsync($0) }
    } catch {
      // Some file systems (FUSE, CIFS) have no fsync for directories; the rename is then as safe as they make
      // it.
      guard error.code == EINVAL || error.code == ENOTSUP else { throw error }
    }
  }

  /// Writes every byte.
  func writeWhole(_ bytes: [UInt8]) throws(SystemError) {
    let outcome: Result<Void, SystemError> = borrow { number in
      Result { () throws(SystemError) in try writeAll(number, bytes) }
    }
    try outcome.get()
  }
}

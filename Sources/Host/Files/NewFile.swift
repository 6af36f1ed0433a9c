// Puts a file under a name that nothing has yet. Replacing one is AtomicFile's business.

import Glibc

/// Files that are made whole where there was none.
public enum NewFile {
  /// Puts bytes under a name at once, and never in the place of anything that is there, be it a link that leads nowhere.
  ///
  /// - Parameters:
  ///   - path: the file; its directory must exist.
  ///   - bytes: all of its content.
  ///   - permissions: its permissions, less the umask.
  /// - Throws: `exists` where the name is taken, otherwise what the system said; then nothing is left behind.
  public static func create(
    _ path: String, with bytes: [UInt8], permissions: UInt32
  ) throws(FileFailure) {
    let parts = PathParts(path)
    try FileSafety.require(parts.directory)
    let directory = try onPath(parts.directory) { () throws(SystemError) in
      try Descriptor.open(parts.directory, O_RDONLY | O_DIRECTORY)
    }
    try onPath(path) { () throws(SystemError) in
      try directory.withTemporaryFile(permissions: permissions) { temporary, file throws(SystemError) in
        try file.writeWhole(bytes)
        try file.call { fsync($0) }
        try directory.rename(temporary, toNew: parts.name, bytes, permissions)
      }
      try directory.synchronize()
    }
  }
}

extension Descriptor {
  /// Gives a file in this directory a name that nothing has.
  ///
  /// link(2) is the one call of POSIX that refuses a name that is taken; where a file system has no links (FAT), the file
  /// is written again under a name that only this process can have made.
  fileprivate func rename(
    _ temporary: String, toNew name: String, _ bytes: [UInt8], _ permissions: UInt32
  ) throws(SystemError) {
    do throws(SystemError) {
      try call { linkat($0, temporary, $0, name, 0) }
    } catch {
      guard error.code == EPERM || error.code == ENOTSUP else { throw error }
      try writeNew(name, bytes, permissions)
    }
    borrow { _ = unlinkat($0, temporary, 0) }
  }

  private func writeNew(_ name: String, _ bytes: [UInt8], _ permissions: UInt32) throws(SystemError) {
    let file = try open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: permissions)
    do throws(SystemError) {
      try file.writeWhole(bytes)
      try file.call { fsync($0) }
    } catch {
      borrow { _ = unlinkat($0, name, 0) }
      throw error
    }
  }
}

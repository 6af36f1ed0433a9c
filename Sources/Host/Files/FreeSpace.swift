// How much room a file system has.

public import Core
import Glibc

/// The bytes that this user may still write to the file system of a path.
///
/// What of the path does not exist yet will lie on the file system of the nearest directory above it that does. On one
/// that is shared or compressed the number is what the system says (statvfs(3)).
public func freeSpace(at path: String) throws(FileFailure) -> ByteCount { try fileSystemSpace(at: path).free }

/// The same with the size of the file system.
func fileSystemSpace(at path: String) throws(FileFailure) -> FileSystemSpace {
  var place = path
  while true {
    do throws(SystemError) {
      var found = statvfs()
      try systemCall { statvfs(place, &found) }
      return FileSystemSpace(free: found.free, size: found.bytes(of: UInt64(found.f_blocks)))
    } catch {
      let parent = PathParts(place).directory
      guard error.code == ENOENT, parent != place else { throw FileFailure(place, error) }
      place = parent
    }
  }
}

extension Descriptor {
  /// The bytes that this user may still write to the file system of an open file.
  func freeSpace() throws(SystemError) -> ByteCount {
    var found = statvfs()
    try call { fstatvfs($0, &found) }
    return found.free
  }
}

extension statvfs {
  fileprivate var free: ByteCount { bytes(of: UInt64(f_bavail)) }

  fileprivate func bytes(of blocks: UInt64) -> ByteCount {
    let (bytes, overflow) = blocks.multipliedReportingOverflow(by: UInt64(f_frsize))
    return ByteCount(overflow ? .max : Int64(clamping: bytes))
  }
}

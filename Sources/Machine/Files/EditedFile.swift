// Replaces a file that a person also edits, such as the configuration, without losing what they have just saved.

import Core
import Glibc

public enum EditedFile {
  /// Replaces the content of an existing file at once, if it still has the old content.
  ///
  /// Mode, owner and group stay. A symbolic link stays, and its target is replaced: programs that manage such files keep
  /// them elsewhere. A file that this user may not write is refused, even if its directory would allow the replacement,
  /// and so is one with other names (hard links), which would keep the old content.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - old: the content as it was read.
  ///   - new: the new content.
  /// - Throws: `changed` if the content has changed meanwhile, or why the file cannot be replaced; it is then unchanged.
  public static func replace(_ path: String, from old: [UInt8], to new: [UInt8]) throws(FileFailure) {
    let target = try FileSafety.require(path).path
    let parts = PathParts(target)
    let directory = try onPath(target, Descriptor.open(parts.directory, O_RDONLY | O_DIRECTORY))
    try onPath(target, directory.call { faccessat($0, parts.name, W_OK, AT_EACCESS) })
    let status = try onPath(target, FileStatus(parts.name, in: directory))
    try status.requireFile(target)
    guard status.links == 1 else { throw FileFailure(path: target, problem: .hasOtherNames) }
    var isSame = false
    try onPath(
      target,
      directory.withTemporaryFile(permissions: 0o600) { temporary, file throws(SystemError) in
        try file.keep(status)
        try file.writeWhole(new)
        try file.call { fsync($0) }
        directory.waitForOtherEdits()
        isSame = (try? readFile(target, limit: ByteCount(Int64(old.count)))) == old
        guard isSame else {
          try? directory.remove(temporary)
          return
        }
        try directory.call { renameat($0, temporary, $0, parts.name) }
      })
    guard isSame else { throw FileFailure(path: path, problem: .changed) }
    try onPath(target, directory.synchronize())
  }
}

extension Descriptor {
  /// Gives this file the owner, group and permissions of another one.
  fileprivate func keep(_ status: FileStatus) throws(SystemError) {
    let own = try FileStatus(self)
    if own.owner != status.owner || own.group != status.group {
      try call { fchown($0, status.owner, status.group) }
    }
    try call { fchmod($0, status.permissions & 0o777) }
  }

  /// Locks this directory, so that two programs do not both compare before one of them replaces.
  ///
  /// It gives up after two seconds: on file systems without such locks the comparison alone must be enough.
  fileprivate func waitForOtherEdits() {
    for _ in 0..<200 {
      let isLocked = borrow { flock($0, LOCK_EX | LOCK_NB) } == 0
      guard !isLocked, errno == EWOULDBLOCK else { return }
      usleep(10_000)
    }
  }
}

// Giving a file a new name in another directory without ever taking one away from another file.

import CLinux
import Glibc

/// The ways to give a file a name that must be free, the best first.
enum NamingWay: CaseIterable {
  /// renameat2(2): one step.
  case rename
  /// link(2) and unlink(2), for file systems that do not have the other: NFS, and FUSE with links.
  case link
  /// An empty file that takes the name, and is replaced at once: what is left for FUSE without links. A process killed
  /// in between leaves it empty; never is there a part of a file, or one that is not ours replaced.
  case placeholder
}

extension Descriptor {
  /// Gives a file of this directory a name in another one that nothing has; false if something has it.
  ///
  /// Throws `EXDEV` where that lies on another file system. It is not on the disk before the directory is synchronised.
  func move(
    _ name: String, toNew newName: String, in other: Descriptor, ways: [NamingWay] = NamingWay.allCases
  ) throws(SystemError) -> Bool {
    var refusal = SystemError(code: ENOTSUP)
    for way in ways {
      do throws(SystemError) {
        try move(name, toNew: newName, in: other, by: way)
        return true
      } catch {
        if error.code == EEXIST { return false }
        // What a file system or the kernel says that does not have this way; EPERM is said of links, and by the
        // filters of old containers.
        guard [EINVAL, ENOSYS, ENOTSUP, EPERM, EMLINK].contains(error.code) else { throw error }
        refusal = error
      }
    }
    throw refusal
  }

  private func move(
    _ name: String, toNew newName: String, in other: Descriptor, by way: NamingWay
  ) throws(SystemError) {
    switch way {
    case .rename:
      try call { from in other.borrow { bgfetch_rename_to_new(from, name, $0, newName) } }
    case .link:
      try call { from in other.borrow { linkat(from, name, $0, newName, 0) } }
      // If the old name stays, it is one of a partial file that nobody knows any more.
      borrow { _ = unlinkat($0, name, 0) }
    case .placeholder:
      _ = try other.open(newName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600)
      do throws(SystemError) {
        try rename(name, to: newName, in: other)
      } catch {
        other.borrow { _ = unlinkat($0, newName, 0) }
        throw error
      }
    }
  }

  /// Gives a file of this directory a name in another one, instead of the regular file that has it, if one does; false
  /// if something else has it.
  func move(_ name: String, replacing newName: String, in other: Descriptor) throws(SystemError) -> Bool {
    let status: FileStatus
    do throws(SystemError) {
      status = try FileStatus(newName, in: other)
    } catch {
      guard error.code == ENOENT else { throw error }
      return try move(name, toNew: newName, in: other)
    }
    guard status.kind == .file else { return false }
    try rename(name, to: newName, in: other)
    return true
  }

  private func rename(_ name: String, to newName: String, in other: Descriptor) throws(SystemError) {
    try call { from in other.borrow { renameat(from, name, $0, newName) } }
  }
}

// What the system knows about a file without opening it.

import Glibc

/// The facts of stat(2) that decisions are made of.
struct FileStatus: Sendable {
  /// What kind of thing a path names.
  enum Kind: Hashable, Sendable {
    case file, directory, link, socket, other
  }

  let kind: Kind
  /// Whether it is a device of the machine, as /dev/null.
  let isDevice: Bool
  let owner: UInt32
  let group: UInt32
  /// The twelve permission bits.
  let permissions: UInt32
  let size: Int64
  let device: UInt64
  let inode: UInt64
  /// How many names it has.
  let links: UInt64
  /// When the content last changed, in seconds and nanoseconds since 1970.
  let modified: (seconds: Int, nanoseconds: Int)

  /// When anything of it last changed, its permissions too; no program can set it.
  let changed: (seconds: Int, nanoseconds: Int)

  /// The facts of what a path names; `following` says whether a symbolic link is that thing or leads to it.
  init(_ path: String, following: Bool) throws(SystemError) {
    var found = stat()
    try systemCall { following ? stat(path, &found) : lstat(path, &found) }
    self.init(found)
  }

  /// The facts of a name in a directory, a symbolic link not followed.
  init(_ name: String, in directory: Descriptor) throws(SystemError) {
    var found = stat()
    try directory.call { fstatat($0, name, &found, AT_SYMLINK_NOFOLLOW) }
    self.init(found)
  }

  /// The facts of an open file.
  init(_ descriptor: Descriptor) throws(SystemError) {
    var found = stat()
    try descriptor.call { fstat($0, &found) }
    self.init(found)
  }

  private init(_ found: stat) {
    kind =
      switch found.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      case S_IFLNK: .link
      case S_IFSOCK: .socket
      default: .other
      }
    isDevice = [S_IFCHR, S_IFBLK].contains(found.st_mode & S_IFMT)
    owner = found.st_uid
    group = found.st_gid
    permissions = found.st_mode & 0o7777
    size = Int64(found.st_size)
    device = UInt64(found.st_dev)
    inode = UInt64(found.st_ino)
    links = UInt64(found.st_nlink)
    modified = (found.st_mtim.tv_sec, found.st_mtim.tv_nsec)
    changed = (found.st_ctim.tv_sec, found.st_ctim.tv_nsec)
  }
}

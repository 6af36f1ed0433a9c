// Facts about files and file systems without opening them (stat(2), statfs(2), statvfs(3)).

import CLinux
public import Core
import Glibc

/// The facts of stat(2).
struct FileStatus: Sendable {
  enum Kind: Sendable {
    case file, directory, link, socket, other
  }

  let kind: Kind
  /// Whether it is a device such as /dev/null.
  let isDevice: Bool
  let owner: UInt32
  let group: UInt32
  /// The twelve permission bits.
  let permissions: UInt32
  let size: Int64
  let identity: FileIdentity
  /// The number of its names (hard links).
  let links: UInt64
  /// The last change of the content, in seconds and nanoseconds since 1970.
  let modified: (seconds: Int, nanoseconds: Int)
  /// The last change of content, name or permissions; no program can set it.
  let changed: (seconds: Int, nanoseconds: Int)

  init(_ path: String, following: Bool) throws(SystemError) {
    var found = stat()
    try systemCall { following ? stat(path, &found) : lstat(path, &found) }
    self.init(found)
  }

  /// The status of a name in a directory; a symbolic link is not followed.
  init(_ name: String, in directory: Descriptor) throws(SystemError) {
    var found = stat()
    try directory.call { fstatat($0, name, &found, AT_SYMLINK_NOFOLLOW) }
    self.init(found)
  }

  /// The status of a name in a directory; nil if it is missing.
  static func existing(_ name: String, in directory: Descriptor) throws(SystemError) -> FileStatus? {
    try unless(ENOENT, in: FileStatus(name, in: directory))
  }

  init(_ descriptor: Descriptor) throws(SystemError) {
    var found = stat()
    try descriptor.call { fstat($0, &found) }
    self.init(found)
  }

  /// Throws unless it is the status of a regular file.
  func requireFile(_ path: String) throws(FileFailure) {
    guard kind != .file else { return }
    throw FileFailure(path: path, problem: kind == .directory ? .isDirectory : .isSpecial)
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
    identity = FileIdentity(device: UInt64(found.st_dev), inode: UInt64(found.st_ino))
    links = UInt64(found.st_nlink)
    modified = (found.st_mtim.tv_sec, found.st_mtim.tv_nsec)
    changed = (found.st_ctim.tv_sec, found.st_ctim.tv_nsec)
  }
}

/// The version of a file, without reading it; symbolic links are followed.
///
/// Two stamps of one path are equal only if the file was not written, replaced or given other permissions in between.
public struct FileStamp: Equatable, Sendable {
  /// Device, inode, size and the time of the last change, in one line.
  public let text: String
  /// The last change in nanoseconds since 1970; the kernel may be late by some milliseconds.
  public let changed: Int

  /// The present time by the clock of `changed`, in nanoseconds since 1970.
  public static func moment() -> Int {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return now.tv_sec &* 1_000_000_000 &+ now.tv_nsec
  }

  /// Nil if the file does not exist or cannot be seen.
  public init?(_ path: String) {
    guard let status = try? FileStatus(path, following: true) else { return nil }
    changed = status.changed.seconds &* 1_000_000_000 &+ status.changed.nanoseconds
    text = "\(status.identity.device) \(status.identity.inode) \(status.size) \(changed)"
  }
}

/// Whether a file system (statfs(2)) stores no owners and permissions: its mount options set them, and chmod(1) does
/// nothing.
func keepsNoPermissions(fileSystem type: UInt32) -> Bool {
  // MSDOS_SUPER_MAGIC, which is vfat too; EXFAT_SUPER_MAGIC; ntfs3.
  [0x4D44, 0x2011_BAB0, 0x7366_746E].contains(type)
}

/// Whether a mount or a server, not this machine's users, decides about owners and permissions of a path.
func permissionsAreElsewhere(_ path: String) -> Bool {
  let type = bgfetch_file_system_type(path)
  // NFS; SMB in three versions; 9p of virtual machines; Ceph; FUSE: there a server decides about owners.
  let servers: [UInt32] = [0x6969, 0xFF53_4D42, 0xFE53_4D42, 0x517B, 0x0102_1997, 0x00C3_6400, 0x6573_5546]
  return keepsNoPermissions(fileSystem: type) || servers.contains(type)
}

/// Whether a path is on a file system that stores no permissions; false if that is unknown.
func liesWithoutPermissions(_ path: String) -> Bool {
  keepsNoPermissions(fileSystem: bgfetch_file_system_type(path))
}

/// The bytes that this user may still write to the file system of a path (statvfs(3)).
///
/// If the path does not exist yet, its nearest existing parent directory counts.
public func freeSpace(at path: String) throws(FileFailure) -> ByteCount {
  var found = statvfs()
  do throws(SystemError) {
    try systemCall { statvfs(path, &found) }
  } catch {
    let parent = PathParts(path).directory
    guard error.code == ENOENT, parent != path else { throw FileFailure(path, error) }
    return try freeSpace(at: parent)
  }
  let (bytes, overflow) = UInt64(found.f_bavail).multipliedReportingOverflow(by: UInt64(found.f_frsize))
  return ByteCount(overflow ? .max : Int64(clamping: bytes))
}

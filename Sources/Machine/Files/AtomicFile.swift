// Files that appear whole or not at all, and the temporary names they have before that.

import Core
import Glibc

public enum AtomicFile {
  /// Replaces a file so that readers see the old bytes or the new ones, even after a power cut.
  ///
  /// A symbolic link stays, and its target is replaced or created: a badge may be a link into a synced folder. Devices,
  /// sockets and pipes are refused, and so are paths that another user could have changed (`FileSafety`). On failure the
  /// old bytes stay. A file that has these bytes already stays as it is. A temporary file that a killed process left behind is
  /// removed by the first replacement an hour later.
  ///
  /// - Parameters:
  ///   - path: the file; its directory must exist.
  ///   - bytes: all of the new content.
  ///   - permissions: the permissions of a new file, less the umask; an existing file keeps its own.
  ///   - isLocked: whether the caller holds a lock for this file. The temporary file then has a fixed name, and the next
  ///     replacement removes what a killed process left behind.
  /// - Returns: whether it had other bytes, or was missing.
  /// - Throws: the failure, with the path at fault.
  @discardableResult
  public static func replace(
    _ path: String, with bytes: [UInt8], permissions: UInt32, isLocked: Bool = false
  ) throws(FileFailure) -> Bool {
    let target = try FileSafety.require(path).path
    let parts = PathParts(target)
    let directory = try onPath(
      parts.directory, Descriptor.open(parts.directory, O_RDONLY | O_DIRECTORY))
    let name = parts.name
    let existing: FileStatus? = try onPath(
      target, name.isEmpty ? FileStatus(name, in: directory) : FileStatus.existing(name, in: directory))
    try existing?.requireFile(target)
    if let existing, existing.size == Int64(bytes.count),
      (try? readFile(target, limit: ByteCount(existing.size))) == bytes
    {
      return false
    }
    let temporary = isLocked ? TemporaryName.only(for: parts.name) : TemporaryName.random()
    if isLocked { try? directory.remove(temporary) }
    try onPath(
      target,
      directory.withTemporaryFile(temporary, permissions: permissions) { _, file throws(SystemError) in
        if let existing { try file.call { fchmod($0, existing.permissions & 0o777) } }
        try file.writeWhole(bytes)
        try file.call { fsync($0) }
        // The file system's own time: a network file system may have another clock than this machine.
        let now = try FileStatus(file).modified.seconds
        try directory.call { renameat($0, temporary, $0, parts.name) }
        directory.removeLeftovers(before: now - TemporaryName.longestUse)
      })
    try onPath(target, directory.synchronize())
    return true
  }
}

extension Descriptor {
  /// Creates a file in this directory, usually with a temporary name, and removes it if `body` fails.
  ///
  /// The temporary name is not derived from the final one, which may already be as long as the file system allows.
  func withTemporaryFile(
    _ name: String = TemporaryName.random(), permissions: UInt32,
    _ body: (_ name: String, _ file: Descriptor) throws(SystemError) -> Void
  ) throws(SystemError) {
    let file = try open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: permissions)
    do throws(SystemError) {
      try body(name, file)
    } catch {
      // The first failure is reported; if this fails too, a temporary file stays behind.
      try? remove(name)
      throw error
    }
  }

  /// Writes renames in this directory to the disk.
  func synchronize() throws(SystemError) {
    // Some file systems (FUSE, CIFS) have no fsync for directories, and are as safe as they can be.
    _ = try unless(EINVAL, ENOTSUP, in: call { fsync($0) })
  }

  func writeWhole(_ bytes: [UInt8]) throws(SystemError) {
    try borrow { number throws(SystemError) in try writeAll(number, bytes) }
  }
}

public enum NewFile {
  /// Creates a file with its whole content at once, and never replaces anything, not even a broken symbolic link.
  ///
  /// - Parameters:
  ///   - path: the file; its directory must exist.
  ///   - bytes: all of its content.
  ///   - permissions: its permissions, less the umask.
  /// - Throws: `exists` if the name is taken. After an error nothing is left behind.
  public static func create(
    _ path: String, with bytes: [UInt8], permissions: UInt32
  ) throws(FileFailure) {
    let parts = PathParts(path)
    try FileSafety.require(parts.directory)
    let directory = try onPath(
      parts.directory, Descriptor.open(parts.directory, O_RDONLY | O_DIRECTORY))
    try onPath(
      path,
      directory.withTemporaryFile(permissions: permissions) { temporary, file throws(SystemError) in
        try file.writeWhole(bytes)
        try file.call { fsync($0) }
        guard try directory.move(temporary, toNew: parts.name, in: directory) else {
          throw SystemError(code: EEXIST)
        }
      })
    try onPath(path, directory.synchronize())
  }
}

/// The names of files that are not whole yet: `.bgfetch-` and a number in hexadecimal.
enum TemporaryName {
  private static let prefix = ".bgfetch-"

  /// The longest time that writing a file takes, in seconds: an older one was left behind by a killed process.
  static let longestUse = 3600

  static func random() -> String {
    prefix + String(UInt64.random(in: .min ... .max), radix: 16)
  }

  /// The fixed name for replacing a file that a lock protects.
  static func only(for name: String) -> String {
    // FNV-1a: the same in every process, unlike Swift's own hashes.
    let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return prefix + String(hash, radix: 16)
  }

  /// The name of the copy of a transfer's file, made of its number and the store's mark; the same after a kill.
  static func copy(of transfer: Int64, mark: String) -> String {
    let digits = String(UInt32(truncatingIfNeeded: transfer), radix: 16)
    return prefix + mark.prefix(8) + String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// Whether a name has the form of these names.
  static func isOne(_ name: String) -> Bool {
    let digits = name.utf8.dropFirst(prefix.utf8.count)
    return name.hasPrefix(prefix) && (1...16).contains(digits.count)
      && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

extension Descriptor {
  /// Removes temporary files of this user that killed processes left in this directory.
  ///
  /// - Parameter moment: only files last written before it are removed, in seconds since 1970.
  func removeLeftovers(before moment: Int) {
    // Filtered by name first: the directory may hold very many files.
    for name in names(where: TemporaryName.isOne) {
      guard let found = try? FileStatus(name, in: self), found.kind == .file, found.owner == geteuid(),
        found.modified.seconds < moment
      else { continue }
      try? remove(name)
    }
  }

  /// The wanted names in this directory; none if it cannot be listed.
  func names(where isWanted: (String) -> Bool) -> [String] {
    // A descriptor of its own: closedir(3) closes it, and readdir(3) moves its position.
    guard let copy = try? call({ openat($0, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }) else { return [] }
    guard let directory = fdopendir(copy) else {
      close(copy)
      return []
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if isWanted(name) { names.append(name) }
    }
    return names
  }
}

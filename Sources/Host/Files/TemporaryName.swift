// The names that files have before they are whole, and what killed processes leave under them.

import Glibc

/// The names that files have before they are whole: `.bgfetch-` and a random number in hexadecimal.
enum TemporaryName {
  private static let prefix = ".bgfetch-"

  /// No file is written for so many seconds: one that is older was left by a process that was killed.
  static let longestUse = 3600

  /// A name that nothing else has.
  static func random() -> String {
    prefix + String(UInt64.random(in: .min ... .max), radix: 16)
  }

  /// The one name of the replacement of a file whose replacements never overlap.
  static func only(for name: String) -> String {
    // FNV-1a: the same in every process, unlike Swift's own hashes.
    let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return prefix + String(hash, radix: 16)
  }

  /// The name of the copy of a transfer's file, which whoever goes on after a kill knows.
  ///
  /// - Parameters:
  ///   - transfer: its number in the store.
  ///   - mark: what tells the store from others, in hexadecimal digits.
  /// - Returns: the name.
  static func copy(of transfer: Int64, mark: String) -> String {
    let digits = String(UInt32(truncatingIfNeeded: transfer), radix: 16)
    return prefix + mark.prefix(8) + String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// Whether a name is one of these.
  static func isOne(_ name: String) -> Bool {
    let digits = name.utf8.dropFirst(prefix.utf8.count)
    return name.hasPrefix(prefix) && (1...16).contains(digits.count)
      && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

extension Descriptor {
  /// Removes what killed processes of this user have left in a directory, as far as it was last written before a moment
  /// in seconds since 1970.
  ///
  /// A file that cannot be removed stays: it is in nobody's way.
  func removeLeftovers(before moment: Int) {
    // Only what may be ours is kept in memory: a directory of a person's may hold very many files.
    for name in names(where: TemporaryName.isOne) {
      guard let found = try? FileStatus(name, in: self), found.kind == .file, found.owner == geteuid(),
        found.modified.seconds < moment
      else { continue }
      borrow { _ = unlinkat($0, name, 0) }
    }
  }

  /// The names in a directory that are wanted; none where it cannot be listed.
  func names(where isWanted: (String) -> Bool) -> [String] {
    // A descriptor of its own, as closedir(3) closes it and reading moves its place.
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

// Which version of a file stands under a path, without reading it.

import Glibc

/// Which version of a file stands under a path, symbolic links followed.
///
/// Two stamps of one path are equal only if nobody wrote the file, replaced it or changed its permissions in between.
public struct FileStamp: Hashable, Sendable {
  /// Device, inode, size and the time of the last change, in one line.
  public let text: String
  /// When anything of it last changed, in nanoseconds since 1970; the kernel may be late by some milliseconds.
  public let changed: Int

  /// Now, by the clock that `changed` is of.
  public static func moment() -> Int {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return now.tv_sec &* 1_000_000_000 &+ now.tv_nsec
  }

  /// The stamp of what is there; nil if nothing is, or it cannot be looked at.
  public init?(_ path: String) {
    guard let status = try? FileStatus(path, following: true) else { return nil }
    changed = status.changed.seconds &* 1_000_000_000 &+ status.changed.nanoseconds
    text = "\(status.device) \(status.inode) \(status.size) \(changed)"
  }
}

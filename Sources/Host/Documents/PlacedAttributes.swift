// What a file gets before its final name: mode, date, and its bytes on the disk.

import Core
import Glibc

extension Descriptor {
  /// Gives a file what a placed one has, and brings all of it to the disk.
  ///
  /// Mode and date are left as they are where the file system refuses them, as FAT does: neither is worth the file.
  func finish(modified: Instant?) throws(SystemError) {
    borrow { _ = fchmod($0, 0o666 & ~ownUmask) }
    if let modified {
      var times = [
        timespec(tv_sec: 0, tv_nsec: omitted), timespec(tv_sec: Int(modified.secondsSince1970), tv_nsec: 0),
      ]
      borrow { _ = futimens($0, &times) }
    }
    try call { fsync($0) }
  }
}

/// `UTIME_OMIT` of futimens(2), a macro that Swift does not see: the time stays.
private let omitted = (1 << 30) - 2

/// The umask of the process, which never changes it; read and not set, as another thread may be making a file just now.
private let ownUmask: UInt32 = {
  let usual: UInt32 = 0o022
  // proc(5), since Linux 4.7; where there is no /proc, the usual one.
  guard let status = try? readFile("/proc/self/status", limit: ByteCount(65_536)) else { return usual }
  for line in status.split(separator: UInt8(ascii: "\n")) {
    let words = line.split { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
    guard words.count == 2, words[0].elementsEqual("Umask:".utf8) else { continue }
    return UInt32(String(decoding: words[1], as: UTF8.self), radix: 8) ?? usual
  }
  return usual
}()

// A directory on another file system than the other test directories.

import Core
import Glibc

@testable import Machine

/// A directory in memory, where that is another file system than /tmp's: nearly everywhere.
final class OtherFileSystem: Sendable {
  let path: String

  /// Nil if there is none.
  init?() {
    var template = Array("/dev/shm/bgfetch-host-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let (here, there) = (try? FileStatus(path, following: false), try? FileStatus("/tmp", following: true))
    guard here?.identity.device != there?.identity.device else {
      rmdir(path)
      return nil
    }
  }

  deinit {
    for name in entries(path) { unlink(path + "/" + name) }
    rmdir(path)
  }

  /// Makes a file.
  func file(_ name: String, _ text: String) {
    let file = open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    let bytes = Array(text.utf8)
    write(file, bytes, bytes.count)
    close(file)
  }
}

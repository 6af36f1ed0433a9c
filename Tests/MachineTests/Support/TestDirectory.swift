// A directory of a test's own, and what tests do with files.

import Glibc
import TestKit

/// A new directory, which is removed with everything in it when the test releases it.
final class TestDirectory: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/bgfetch-host-XXXXXX".utf8CString)
    mkdtemp(&template)
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { removeTree(path) }

  /// The path of a name in the directory.
  func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// Makes a file and returns its path.
  @discardableResult
  func file(_ name: String, _ bytes: [UInt8], permissions: UInt32 = 0o600) -> String {
    let descriptor = open(self(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    bytes.withUnsafeBytes { _ = write(descriptor, $0.baseAddress, $0.count) }
    fchmod(descriptor, permissions)
    close(descriptor)
    return self(name)
  }

  /// Makes a file of text and returns its path.
  @discardableResult
  func file(_ name: String, _ text: String, permissions: UInt32 = 0o600) -> String {
    file(name, Array(text.utf8), permissions: permissions)
  }

  /// The names in the directory.
  var names: [String] { entries(path).sorted() }
}

/// The names in a directory.
func entries(_ path: String) -> [String] { entries(of: path) }

/// The twelve permission bits of a path.
func permissions(_ path: String) -> UInt32 {
  var found = stat()
  stat(path, &found)
  return found.st_mode & 0o7777
}

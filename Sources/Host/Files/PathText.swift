// Paths as text: the directory a path lies in and the links its last part leads through.

import Glibc

/// A path split into the directory that holds the entry and the entry's name.
struct PathParts {
  /// The directory; `.` for a bare name.
  let directory: String
  /// The last part; empty only for `/` and the empty path.
  let name: String

  init(_ path: String) {
    // By bytes: a slash and a combining mark after it are one character.
    let separator = UInt8(ascii: "/")
    var text = path.utf8[...]
    while text.count > 1, text.last == separator { text.removeLast() }
    guard let slash = text.lastIndex(of: separator) else {
      directory = "."
      name = String(Substring(text))
      return
    }
    directory = slash == text.startIndex ? "/" : String(Substring(text[..<slash]))
    name = String(Substring(text[text.index(after: slash)...]))
  }
}

/// A path and, while the last one names a symbolic link, the path that this link holds.
///
/// The last one need not exist. Links in earlier parts of a path are left to the system.
func linkChain(from path: String) throws(FileFailure) -> [String] {
  // The kernel's own limit, path_resolution(7).
  let limit = 40
  var chain = [path]
  var current = path
  while let target = try linkTarget(current) {
    guard chain.count <= limit else { throw FileFailure(path: path, problem: .linkLoop) }
    current = target.hasPrefix("/") ? target : PathParts(current).directory + "/" + target
    chain.append(current)
  }
  return chain
}

/// What a symbolic link holds; nil if the path names none, or nothing at all.
private func linkTarget(_ path: String) throws(FileFailure) -> String? {
  do throws(SystemError) {
    let bytes = try readLink(path)
    return String(decoding: bytes, as: UTF8.self)
  } catch {
    // EINVAL is how readlink(2) says that this is no link.
    guard error.code == EINVAL || error.code == ENOENT else { throw FileFailure(path, error) }
    return nil
  }
}

/// The bytes that a symbolic link holds.
func readLink(_ path: String) throws(SystemError) -> [UInt8] {
  var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = try systemCall { readlink(path, &buffer, buffer.count) }
  return buffer.prefix(count).map(UInt8.init(bitPattern:))
}

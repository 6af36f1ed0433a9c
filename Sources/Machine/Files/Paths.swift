// Paths: their parts, and every step on the way to a file, symbolic links included.

import Core
import Glibc

/// A path split into directory and name.
package struct PathParts {
  /// The directory; `.` for a bare name.
  package let directory: String
  /// The last part; empty only for `/` and the empty path.
  package let name: String

  package init(_ path: String) {
    // By bytes: a slash with a combining mark after it is a single Character.
    let separator: UInt8 = "/"
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

/// The target of a symbolic link, as bytes.
func readLink(_ path: String) throws(SystemError) -> [UInt8] {
  var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = try systemCall { readlink(path, &buffer, buffer.count) }
  return buffer.prefix(count).map(UInt8.init(bitPattern:))
}

/// One step on the way to a file: a directory, a symbolic link, or the file itself.
struct PathStep {
  /// Its path; only the last name may be a symbolic link.
  let path: String
  /// The status; a symbolic link is not followed.
  let status: FileStatus
  /// How many names come after it.
  let following: Int
  /// Whether it is in a directory like /tmp, where every user may add names.
  let isInSharedDirectory: Bool
}

/// Visits every directory and every symbolic link on the way to a file, and the file itself, in order.
///
/// - Returns: the path without symbolic links, and whether it exists.
/// - Throws: the failure of a step; a missing name is not a failure.
func walkPath(
  to path: String, visit: (PathStep) -> Void
) throws(FileFailure) -> (path: String, exists: Bool) {
  // The kernel's own limit, path_resolution(7).
  let limit = 40
  var links = 0
  var names = pathNames(path.hasPrefix("/") ? path : Machine.workingDirectory + "/" + path)
  var resolved = "/"
  var isShared = false

  func readStatus(at path: String, following: Bool = false) throws(FileFailure) -> FileStatus {
    let status = try onPath(path, FileStatus(path, following: following))
    visit(PathStep(path: path, status: status, following: names.count, isInSharedDirectory: isShared))
    return status
  }

  isShared = try readStatus(at: "/").isSharedDirectory
  while let name = names.popLast() {
    if name == ".." {
      resolved = PathParts(resolved).directory
      continue
    }
    let next = (resolved == "/" ? "/" : resolved + "/") + name
    let status: FileStatus
    do throws(FileFailure) {
      status = try readStatus(at: next)
    } catch {
      guard error.problem == .missing else { throw error }
      return (([next] + names.reversed()).joined(separator: "/"), false)
    }
    guard status.kind == .link else {
      resolved = next
      isShared = status.isSharedDirectory
      continue
    }
    if names.isEmpty, next.hasPrefix("/proc/") {
      // An open file of a process, such as a pipe of the shell's `<(…)`, has no other path.
      _ = try readStatus(at: next, following: true)
      return (next, true)
    }
    links += 1
    guard links <= limit else { throw FileFailure(path: path, problem: .linkLoop) }
    let target = String(decoding: try onPath(next, readLink(next)), as: UTF8.self)
    names += pathNames(target)
    guard target.hasPrefix("/") else { continue }
    resolved = "/"
    isShared = try readStatus(at: "/").isSharedDirectory
  }
  return (resolved, true)
}

/// The names in a path, last one first.
private func pathNames(_ path: String) -> [String] {
  path.utf8.split(separator: "/").reversed().compactMap {
    $0.elementsEqual(".".utf8) ? nil : String(Substring($0))
  }
}

extension FileStatus {
  /// Whether this is a directory like /tmp: every user may add names, but not replace those of others.
  var isSharedDirectory: Bool {
    kind == .directory && permissions & S_ISVTX != 0 && permissions & S_IWOTH != 0
  }
}

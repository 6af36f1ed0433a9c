// The way to a file, one directory and one symbolic link at a time, as the system resolves a path.

import Glibc

/// One step on the way to a file: a directory, a symbolic link, or the file itself.
struct PathStep {
  /// Its path, without symbolic links but perhaps its own name.
  let path: String
  /// What is there; a symbolic link is itself.
  let status: FileStatus
  /// How many names follow it.
  let following: Int
  /// Whether every user may add names to the directory that holds it, but not replace those of others (like /tmp).
  let isInSharedDirectory: Bool
}

/// Visits every directory and every symbolic link on the way to a file, and the file itself, in order.
///
/// - Returns: the path without symbolic links, and whether there is anything; if not, it ends with what is missing.
/// - Throws: what keeps the way from being followed, but for a missing name.
func walk(
  to path: String, visit: (PathStep) -> Void
) throws(FileFailure) -> (path: String, exists: Bool) {
  // The kernel's own limit, path_resolution(7).
  let limit = 40
  var links = 0
  var names = pathNames(path.hasPrefix("/") ? path : Machine.workingDirectory + "/" + path)
  var place = "/"
  var isShared = false

  func look(at path: String, following: Bool = false) throws(FileFailure) -> FileStatus {
    let status = try onPath(path) { () throws(SystemError) in try FileStatus(path, following: following) }
    visit(PathStep(path: path, status: status, following: names.count, isInSharedDirectory: isShared))
    return status
  }

  isShared = try look(at: "/").isSharedDirectory
  while let name = names.popLast() {
    if name == ".." {
      place = PathParts(place).directory
      continue
    }
    let next = (place == "/" ? "/" : place + "/") + name
    let status: FileStatus
    do throws(FileFailure) {
      status = try look(at: next)
    } catch {
      guard error.problem == .missing else { throw error }
      return (([next] + names.reversed()).joined(separator: "/"), false)
    }
    guard status.kind == .link else {
      place = next
      isShared = status.isSharedDirectory
      continue
    }
    if names.isEmpty, next.hasPrefix("/proc/") {
      // An open file of a process, such as a pipe of the shell's `<(…)`, is its own place.
      _ = try look(at: next, following: true)
      return (next, true)
    }
    links += 1
    guard links <= limit else { throw FileFailure(path: path, problem: .linkLoop) }
    let target = try onPath(next) { () throws(SystemError) in
      String(decoding: try readLink(next), as: UTF8.self)
    }
    names += pathNames(target)
    guard target.hasPrefix("/") else { continue }
    place = "/"
    isShared = try look(at: "/").isSharedDirectory
  }
  return (place, true)
}

/// The names in a path, the last one first.
private func pathNames(_ path: String) -> [String] {
  path.utf8.split(separator: UInt8(ascii: "/")).reversed().compactMap {
    $0.elementsEqual(".".utf8) ? nil : String(Substring($0))
  }
}

extension FileStatus {
  /// Whether this is a directory like /tmp, where every user may add names but not replace those of others.
  var isSharedDirectory: Bool {
    kind == .directory && permissions & S_ISVTX != 0 && permissions & S_IWOTH != 0
  }
}

// Directories that hold what is nobody else's business.

import Glibc

/// Makes a directory, and those above it that are missing, for this user alone (0700).
///
/// One that is there already is a success and keeps its permissions: it may be the user's own arrangement. Where another
/// user may have put it there, or anything on the way to it, it is refused (`FileSafety`).
public func makePrivateDirectory(_ path: String) throws(FileFailure) {
  guard try !FileSafety.require(path).exists else { return try seeThatItIsDirectory(path) }
  try makeDirectory(path)
  // In /tmp somebody else may have been quicker.
  try FileSafety.require(path)
}

private func makeDirectory(_ path: String) throws(FileFailure) {
  do throws(SystemError) {
    try systemCall { mkdir(path, 0o700) }
  } catch {
    switch error.code {
    case EEXIST: try seeThatItIsDirectory(path)
    case ENOENT:
      let parent = PathParts(path).directory
      guard parent != path, parent != "." else { throw FileFailure(path, error) }
      try makeDirectory(parent)
      // Another process may have been quicker.
      do throws(SystemError) {
        try systemCall { mkdir(path, 0o700) }
      } catch {
        guard error.code == EEXIST else { throw FileFailure(path, error) }
      }
    default:
      throw FileFailure(path, error)
    }
  }
}

private func seeThatItIsDirectory(_ path: String) throws(FileFailure) {
  let status = try onPath(path) { () throws(SystemError) in try FileStatus(path, following: true) }
  guard status.kind == .directory else { throw FileFailure(path: path, problem: .notDirectory) }
}

/// Makes the directory that a file is to lie in, as `makePrivateDirectory` does.
public func makePrivateDirectory(around file: String) throws(FileFailure) {
  try makePrivateDirectory(PathParts(file).directory)
}

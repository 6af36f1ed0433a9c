// Files by a pattern, as a shell finds them.

public import Core
import Glibc

/// The files that match a pattern of `*`, `?` and `[…]` in any part of its path, in the order of their bytes.
///
/// As in a shell no wildcard matches a leading dot, so that the hidden files of editors stay out. Directories are left
/// out. None is a normal result, also where a directory of the pattern is not there.
///
/// - Throws: `FileFailure` where a directory cannot be read, since files might be missing from the answer.
public func filesMatching(_ pattern: String) throws(FileFailure) -> [String] {
  var found = glob_t()
  defer { globfree(&found) }
  errno = 0
  // A backslash is one like any other character of a name; directories come marked with a slash.
  let status = glob(pattern, GLOB_NOESCAPE | GLOB_MARK | GLOB_NOSORT | GLOB_ERR, nil, &found)
  let code = errno
  switch status {
  case 0: break
  case GLOB_NOMATCH: return []
  case GLOB_ABORTED where code == ENOENT: return []
  case GLOB_NOSPACE: throw FileFailure(pattern, SystemError(code: ENOMEM))
  default: throw FileFailure(pattern, SystemError(code: code == 0 ? EIO : code))
  }
  var paths: [String] = []
  for index in 0..<Int(found.gl_pathc) {
    if let path = found.gl_pathv[index] { paths.append(String(cString: path)) }
  }
  return paths.filter { !$0.hasSuffix("/") }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}

/// What tells files apart, whatever paths and links lead to them; nil where there is no such file.
public func fileIdentity(_ path: String) -> FileIdentity? {
  // Losing the error is the rule: whoever reads the file then comes to know why it cannot be.
  (try? FileStatus(path, following: true)).map { FileIdentity(device: $0.device, inode: $0.inode) }
}

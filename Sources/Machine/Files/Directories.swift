// Directories: the standard ones, private and temporary ones, and the names in them.

public import Core
import Glibc

/// The directories of the user's files (XDG Base Directory Specification 0.8).
public struct StandardDirectories: Sendable {
  /// `$XDG_CONFIG_HOME`, else `~/.config`.
  public let configuration: String
  /// `$XDG_STATE_HOME`, else `~/.local/state`.
  public let state: String
  /// `$XDG_CACHE_HOME`, else `~/.cache`.
  public let cache: String
  /// The first of `$STATE_DIRECTORY`, which systemd sets (systemd.exec(5)); nil without it.
  public let serviceState: String?
  /// The configuration files to try, in order: `$BGFETCH_CONFIG` alone if it is set, else the user's, then the system's.
  public let configurationFiles: [String]

  /// A relative path in a variable is ignored, as the specification demands.
  public init(environment: [String: String], home: String) {
    func directory(_ variable: String, _ otherwise: String) -> String {
      guard let value = environment[variable], value.hasPrefix("/") else { return home + "/" + otherwise }
      return value
    }
    configuration = directory("XDG_CONFIG_HOME", ".config")
    state = directory("XDG_STATE_HOME", ".local/state")
    cache = directory("XDG_CACHE_HOME", ".cache")
    serviceState = environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
    if let named = environment["BGFETCH_CONFIG"], !named.isEmpty {
      configurationFiles = [named]
    } else {
      configurationFiles = [configuration + "/bgfetch/bgfetch.yaml", SystemPlaces.configuration]
    }
  }
}

/// The absolute form of a path.
public func absolutePath(_ path: String) -> String {
  guard !path.hasPrefix("/") else { return path }
  return Machine.workingDirectory + "/" + path
}

/// Creates a directory and its missing parents for this user alone (0700).
///
/// A directory that exists keeps its permissions, which may be what the user wants. A path that another user could have
/// changed is refused (`FileSafety`).
public func makePrivateDirectory(_ path: String) throws(FileFailure) {
  try makeSafeDirectory(path, permissions: 0o700)
}

/// Creates the directory of a file, and its missing parents, so that every user may read it.
public func makePublicDirectory(around file: String) throws(FileFailure) {
  try makeSafeDirectory(PathParts(file).directory, permissions: 0o755)
}

private func makeSafeDirectory(_ path: String, permissions: UInt32) throws(FileFailure) {
  guard try !FileSafety.require(path).exists else { return try requireDirectory(path) }
  try makeDirectories(path, permissions)
  // In /tmp another user may have made it first.
  try FileSafety.require(path)
}

/// Makes a directory and its missing parents with these permissions, less the umask.
///
/// - Parameter hasParent: whether its parent was made already; in /proc a directory is missing all the same.
func makeDirectories(_ path: String, _ permissions: UInt32, hasParent: Bool = false) throws(FileFailure) {
  do throws(SystemError) {
    try systemCall { mkdir(path, permissions) }
  } catch {
    let parent = PathParts(path).directory
    switch error.code {
    case EEXIST: try requireDirectory(path)
    case ENOENT where !hasParent && parent != path && parent != ".":
      try makeDirectories(parent, permissions)
      // Another process may make it first.
      try makeDirectories(path, permissions, hasParent: true)
    default: throw FileFailure(path, error)
    }
  }
}

private func requireDirectory(_ path: String) throws(FileFailure) {
  let status = try onPath(path, FileStatus(path, following: true))
  guard status.kind == .directory else { throw FileFailure(path: path, problem: .notDirectory) }
}

/// Creates the directory of a file, as `makePrivateDirectory` does.
public func makePrivateDirectory(around file: String) throws(FileFailure) {
  try makePrivateDirectory(PathParts(file).directory)
}

/// A temporary directory of this user (0700) under `$TMPDIR` or `/tmp`.
///
/// The caller removes it. A killed process leaves it behind.
public struct ScratchDirectory: Sendable {
  public let path: String

  /// Creates an empty directory under a new name (mkdtemp(3)).
  public init(environment: [String: String]) throws(FileFailure) {
    let named = environment["TMPDIR"] ?? ""
    let parent = named.hasPrefix("/") ? named : "/tmp"
    // A user who may rename entries in it could replace our directory.
    try FileSafety.require(parent)
    var template = Array((parent + "/bgfetch-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw FileFailure(parent, SystemError(code: errno)) }
    path = String(upToNUL: template)
  }

  /// Removes the directory and its content; entries that cannot be removed stay.
  public func remove() {
    if let directory = try? Descriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) {
      Self.empty(directory)
    }
    rmdir(path)
  }

  /// Removes the content of a directory; links are removed, never followed.
  private static func empty(_ directory: Descriptor) {
    for name in directory.names(where: { $0 != "." && $0 != ".." }) {
      guard directory.borrow({ unlinkat($0, name, 0) }) != 0 else { continue }
      if let inner = try? directory.openDirectory(name) { empty(inner) }
      directory.borrow { _ = unlinkat($0, name, AT_REMOVEDIR) }
    }
  }
}

/// The files that match a pattern with `*`, `?` and `[…]` (glob(3)), sorted by bytes.
///
/// As in a shell, wildcards do not match a leading dot, so hidden files of editors are left out. Directories are left out
/// too. No match is a normal result, even if a directory of the pattern does not exist.
///
/// - Throws: `FileFailure` if a directory cannot be read, because files could be missing from the result.
public func filesMatching(_ pattern: String) throws(FileFailure) -> [String] {
  var found = glob_t()
  defer { globfree(&found) }
  errno = 0
  // A backslash is an ordinary character here; glob marks directories with a slash.
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

/// Whether this user may create files in a directory, by its permissions and mount options.
public func mayCreateFiles(in directory: String) -> Bool {
  faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) == 0
}

/// The identity of a file, whatever path or link leads to it; nil if it does not exist or cannot be seen.
public func fileIdentity(_ path: String) -> FileIdentity? {
  (try? FileStatus(path, following: true)).map(\.identity)
}

/// The size of a file in bytes; nil if it cannot be found out.
public func fileSize(_ path: String) -> Int64? {
  (try? FileStatus(path, following: true)).map(\.size)
}

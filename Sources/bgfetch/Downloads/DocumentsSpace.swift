// Documents directories that are low on space, gone or missing.

import Core
import Machine

/// A finding if the file system of the documents directory has less space than `free-space`; nil if it has enough, or if its
/// free space is unknown.
func lowSpace(_ settings: Settings) -> LowSpace? { lowSpace(at: settings.spool, settings) }

/// The findings for all directories that files are placed in, one for each file system.
func lowSpaces(_ settings: Settings) -> [LowSpace] {
  var systems: Set<UInt64> = []
  return documentsDirectories(settings).compactMap { directory in
    guard let space = lowSpace(at: directory, settings) else { return nil }
    guard let system = fileSystem(of: directory) else { return space }
    return systems.insert(system).inserted ? space : nil
  }
}

/// The documents directories that have lost their mark, for example because a file system is not mounted.
///
/// - Parameter used: the paths of all directories that have been used before.
func goneDirectories(_ settings: Settings, used: Set<String>) -> [GoneDirectory] {
  let gone = used.filter { !BucketSpec.isBucket($0) && fileIdentity($0 + "/.bgfetch") == nil }
  // Usually there is none, and the feeds need not be looked at.
  return gone.isEmpty
    ? [] : documentsDirectories(settings).filter(gone.contains).map(GoneDirectory.init)
}

/// The findings about directories of single feeds whose parent directory is missing too, each with the first feed that names it.
///
/// This usually means that a file system is not mounted. If only the directory is missing, the first placed file
/// creates it.
func missingDirectories(_ settings: Settings) -> [String] {
  settings.ownDirectories.compactMap { use in
    let around = parent(of: use.path)
    guard fileIdentity(use.path) == nil, fileIdentity(around) == nil else { return nil }
    return
      "\(use.owner): \(use.path) and \(around) do not exist; mount the file system, or create the directory"
  }
}

private func lowSpace(at directory: String, _ settings: Settings) -> LowSpace? {
  guard settings.freeSpace > ByteCount(0), let free = try? freeSpace(at: directory),
    free < settings.freeSpace
  else { return nil }
  return LowSpace(directory: directory, free: free, least: settings.freeSpace)
}

/// The directory of all feeds, and those of single feeds in the order of the configuration, each once.
private func documentsDirectories(_ settings: Settings) -> [String] {
  [settings.spool] + settings.ownDirectories.map(\.path).filter { $0 != settings.spool }
}

extension Settings {
  /// The documents directories of single feeds and profiles, each with the first one that has it.
  var ownDirectories: [(owner: String, path: String)] {
    var known: Set<String> = []
    return feedSettings.compactMap { owner, spec in
      guard let path = spec.download?.directory, known.insert(path).inserted else { return nil }
      return (owner, path)
    }
  }
}

/// The file system of a path, or of its nearest existing parent directory.
private func fileSystem(of path: String) -> UInt64? {
  var path = path
  while true {
    if let identity = fileIdentity(path) { return identity.device }
    guard path != "/" else { return nil }
    path = parent(of: path)
  }
}

func parent(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
  return String(path[..<slash])
}

/// A file system with less space than `free-space`.
struct LowSpace {
  let directory: String
  let free: ByteCount
  let least: ByteCount

  var text: String {
    "\(directory): \(free.text) free, less than free-space \(least.text), so nothing is downloaded there; free some space"
  }

  var json: JSONValue {
    JSONValue(["type": "free-space", "directory": directory, "free": free.bytes, "least": least.bytes])
  }
}

/// A documents directory that was used before and is now missing or replaced.
struct GoneDirectory {
  let directory: String

  var text: String {
    "\(directory): the directory that held downloads is gone or was replaced; \(cureOfGoneDirectory(directory))"
  }

  var json: JSONValue {
    JSONValue(["type": "directory-gone", "directory": directory])
  }
}

// A documents directory that is low on space or gone.

import Core
import Machine

/// A finding if the file system of the documents directory has less space than `free-space`; nil if it has enough, or if its
/// free space is unknown.
func lowSpace(_ settings: Settings) -> LowSpace? {
  guard settings.freeSpace > ByteCount(0), let free = try? freeSpace(at: settings.spool),
    free < settings.freeSpace
  else { return nil }
  return LowSpace(directory: settings.spool, free: free, least: settings.freeSpace)
}

/// The documents directory if it has lost its mark, for example because a file system is not mounted.
///
/// - Parameter used: the paths of all directories that have been used before.
func goneDirectory(_ settings: Settings, used: Set<String>) -> GoneDirectory? {
  guard used.contains(settings.spool), fileIdentity(settings.spool + "/.bgfetch") == nil else { return nil }
  return GoneDirectory(directory: settings.spool)
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
    "\(shownPath(directory)): \(free.text) free, less than free-space \(least.text), so nothing is downloaded there; free some space"
  }

  var json: JSONValue {
    JSONValue(["type": "free-space", "directory": directory, "free": free.bytes, "least": least.bytes])
  }
}

/// A documents directory that was used before and is now missing or replaced.
struct GoneDirectory {
  let directory: String

  var text: String {
    "\(shownPath(directory)): the directory that held downloads is gone or was replaced; \(cureOfGoneDirectory(directory))"
  }

  var json: JSONValue {
    JSONValue(["type": "directory-gone", "directory": directory])
  }
}

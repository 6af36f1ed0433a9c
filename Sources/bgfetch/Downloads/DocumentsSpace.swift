// A documents directory that is low on space or gone.

import Core
import Machine

/// A warning if the file system of the documents directory has less space than `free-space`; nil if it has enough, or if its
/// free space is unknown.
func lowSpace(_ settings: Settings) -> DirectoryWarning? {
  guard settings.freeSpace > ByteCount(0), let free = try? freeSpace(at: settings.spool),
    free < settings.freeSpace
  else { return nil }
  return .lowSpace(settings.spool, free: free, least: settings.freeSpace)
}

/// A warning if the documents directory has lost its mark, for example because a file system is not mounted.
///
/// - Parameter used: the paths of all directories that have been used before.
func goneDirectory(_ settings: Settings, used: Set<String>) -> DirectoryWarning? {
  guard used.contains(settings.spool), fileIdentity(settings.spool + "/.bgfetch") == nil else { return nil }
  return .gone(settings.spool)
}

func parent(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
  return String(path[..<slash])
}

/// A documents directory to which nothing can be downloaded.
struct DirectoryWarning: Hashable, Sendable {
  let text: String
  let json: JSONValue

  /// A file system with less space than `free-space`.
  static func lowSpace(_ directory: String, free: ByteCount, least: ByteCount) -> DirectoryWarning {
    DirectoryWarning(
      text:
        "\(shownPath(directory)): \(free.text) free, less than free-space \(least.text), so nothing is downloaded there; free some space",
      json: JSONValue([
        "type": "free-space", "directory": directory, "free": free.bytes, "least": least.bytes,
      ])
    )
  }

  /// A directory that was used before and is now missing or replaced.
  static func gone(_ directory: String) -> DirectoryWarning {
    DirectoryWarning(
      text:
        "\(shownPath(directory)): the directory that held downloads is gone or was replaced; \(cureOfGoneDirectory(directory))",
      json: JSONValue(["type": "directory-gone", "directory": directory]))
  }
}

// A documents directory that is low on space or gone.

import Core
import Machine
import Running

/// The notice if the file system of the documents directory has less space than `free-space`; nil if it has enough, or if its
/// free space is unknown.
func lowSpace(_ settings: Settings) -> RunNotice? {
  guard settings.freeSpace > ByteCount(0), let free = try? freeSpace(at: settings.spool),
    free < settings.freeSpace
  else { return nil }
  return .lowSpace(directory: settings.spool, free: free, least: settings.freeSpace)
}

/// The notice if the documents directory has lost its mark, for example because a file system is not mounted.
///
/// - Parameter used: the paths of all directories that have been used before.
func goneDirectory(_ settings: Settings, used: Set<String>) -> RunNotice? {
  guard used.contains(settings.spool), fileIdentity(settings.spool + "/.bgfetch") == nil else { return nil }
  return .directoryGone(directory: settings.spool)
}

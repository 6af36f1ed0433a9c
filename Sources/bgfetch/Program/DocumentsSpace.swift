// How much room there is where files are placed.

import Host
import Model

/// Whether the documents directory's file system has less room than `free-space`; nil where it has enough, or nobody
/// can tell.
func lowSpace(_ settings: Settings) -> LowSpace? {
  guard settings.freeSpace > ByteCount(0), let free = try? freeSpace(at: settings.documents),
    free < settings.freeSpace
  else { return nil }
  return LowSpace(directory: settings.documents, free: free, least: settings.freeSpace)
}

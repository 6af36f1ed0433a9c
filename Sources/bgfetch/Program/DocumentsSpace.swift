// Documents directories that are low on space, gone or missing.

import Core
import Host

/// Whether the documents directory's file system has less room than `free-space`; nil where it has enough, or nobody
/// can tell.
func lowSpace(_ settings: Settings) -> LowSpace? { lowSpace(at: settings.documents, settings) }

/// The same of every directory that files are placed in, each file system once.
func lowSpaces(_ settings: Settings) -> [LowSpace] {
  var systems: Set<UInt64> = []
  return documentsDirectories(settings).compactMap { directory in
    guard let space = lowSpace(at: directory, settings) else { return nil }
    guard let system = fileSystem(of: directory) else { return space }
    return systems.insert(system).inserted ? space : nil
  }
}

/// The documents directories that were used before and do not have their mark now, as where a file system is not
/// mounted; `used` has the paths of all that were.
func goneDirectories(_ settings: Settings, used: Set<String>) -> [GoneDirectory] {
  documentsDirectories(settings).filter { used.contains($0) && fileIdentity($0 + "/.bgfetch") == nil }
    .map(GoneDirectory.init)
}

/// The directories of feeds' own that are not there, nor the directories around them, each with the first feed that
/// names it.
///
/// So it looks where a file system is not mounted; a directory alone is made when the first file is placed.
func missingDirectories(_ settings: Settings) -> [MissingDirectory] {
  var known: Set<String> = []
  return settings.feeds.compactMap { feed in
    guard let directory = feed.download?.directory, known.insert(directory).inserted,
      fileIdentity(directory) == nil
    else { return nil }
    let around = parent(of: directory)
    guard fileIdentity(around) == nil else { return nil }
    return MissingDirectory(feed: feed.name, directory: directory, parent: around)
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
  var known: Set = [settings.documents]
  return [settings.documents]
    + settings.feeds.compactMap(\.download?.directory).filter { known.insert($0).inserted }
}

/// The file system of a path, or of the nearest directory above it that is there.
private func fileSystem(of path: String) -> UInt64? {
  var place = path
  while true {
    if let identity = fileIdentity(place) { return identity.device }
    guard place != "/" else { return nil }
    place = parent(of: place)
  }
}

private func parent(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
  return String(path[..<slash])
}

/// Too little room where files are placed.
struct LowSpace {
  let directory: String
  let free: ByteCount
  let least: ByteCount

  /// The finding with its cure.
  var text: String {
    "\(directory): \(free.text) free, less than free-space \(least.text), so nothing is downloaded there; make room"
  }

  var json: JSONValue {
    .object([
      ("type", .string("free-space")), ("directory", .string(directory)), ("free", .number(free.bytes)),
      ("least", .number(least.bytes)),
    ])
  }
}

/// A documents directory in which files were placed, and which is not there as it was.
struct GoneDirectory {
  let directory: String

  /// The finding with its cure.
  var text: String {
    "\(directory): the directory that held downloads is gone or was replaced; \(curesOfGone(directory))"
  }

  var json: JSONValue {
    .object([("type", .string("directory-gone")), ("directory", .string(directory))])
  }
}

/// A directory of a feed's own that is not there, nor the one around it.
struct MissingDirectory {
  /// The first feed that names it.
  let feed: FeedName
  let directory: String
  let parent: String

  /// The finding with its cure.
  var text: String {
    "feed \(feed): there is neither \(directory) nor \(parent); mount what belongs there, or make one of them"
  }
}

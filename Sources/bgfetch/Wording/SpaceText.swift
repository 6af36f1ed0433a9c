// Words for a file system that is nearly full, or that is not there.

import Core

/// Too little room where files are placed.
struct LowSpace {
  /// The documents directory.
  let directory: String
  /// What is free.
  let free: ByteCount
  /// What must be.
  let least: ByteCount

  /// The finding with its cure.
  var text: String {
    "\(directory): \(free.text) are free, less than free-space \(least.text), so no file is brought there; make room"
  }

  /// The finding as JSON.
  var json: JSONValue {
    .object([
      ("type", .string("free-space")), ("directory", .string(directory)), ("free", .number(free.bytes)),
      ("least", .number(least.bytes)),
    ])
  }
}

/// A documents directory in which files were placed, and which is not there as it was.
struct GoneDirectory {
  /// The documents directory.
  let directory: String

  /// The finding with its cure.
  var text: String {
    "\(directory): files were placed there, and it is gone, or another; \(curesOfGone(directory))"
  }

  /// The finding as JSON.
  var json: JSONValue {
    .object([("type", .string("directory-gone")), ("directory", .string(directory))])
  }
}

/// A directory of a feed's own that is not there, nor the one around it.
struct MissingDirectory {
  /// The first feed that names it.
  let feed: FeedName
  /// The directory.
  let directory: String
  /// The one around it.
  let parent: String

  /// The finding with its cure.
  var text: String {
    "feed \(feed): there is neither \(directory) nor \(parent); mount what belongs there, or make one of them"
  }
}

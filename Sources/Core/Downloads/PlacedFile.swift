// Files under their final names.

/// What is decided about a file before it gets its final name, so that a crash in between can be settled.
public struct PlacementIntent: Hashable, Sendable {
  /// The documents directory, an absolute path.
  public var directory: String
  /// The final name: a path below the directory.
  public var name: String
  /// Its size in bytes.
  public var size: Int64
  /// Its SHA-256, 64 hexadecimal digits in lower case.
  public var sha256: String
  /// The date that the file gets; nil leaves the present one.
  public var modified: Instant?
  /// The device and inode of the partial file: what tells it from another file of that name after a crash.
  public var identity: FileIdentity
  /// Whether it takes the place of the feed's own earlier file of that name.
  public var replaces = false

  /// An intent to place a file.
  public init(
    directory: String, name: String, size: Int64, sha256: String, modified: Instant?, identity: FileIdentity
  ) {
    self.directory = directory
    self.name = name
    self.size = size
    self.sha256 = sha256
    self.modified = modified
    self.identity = identity
  }
}

/// What tells one file of a machine from all others (inode(7)).
public struct FileIdentity: Hashable, Sendable {
  /// The device's number.
  public var device: UInt64
  /// The inode's number.
  public var inode: UInt64

  /// A file's identity.
  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

/// A file that was placed.
public struct PlacedFile: Hashable, Sendable {
  /// The documents directory.
  public var directory: String
  /// The name below it.
  public var name: String
  /// Its size in bytes.
  public var size: Int64
  /// Its SHA-256.
  public var sha256: String
  /// When it was placed.
  public var placed: Instant
  /// When it was removed by `keep`, or found to be gone; nil while it is there as far as is known.
  public var removed: Instant?

  /// A placed file.
  public init(directory: String, name: String, size: Int64, sha256: String, placed: Instant) {
    self.directory = directory
    self.name = name
    self.size = size
    self.sha256 = sha256
    self.placed = placed
  }

  /// The whole path.
  public var path: String { directory + "/" + name }
}

// Which assets of a feed are downloaded, where to and for how long. bgfetch.yaml(5): download.

/// What of a feed's assets is downloaded.
public struct DownloadSpec: Hashable, Sendable {
  /// Which of an item's files are assets.
  public var select: AssetSelection = .enclosures
  /// The feed's own documents directory, an absolute path; nil is that of all feeds.
  public var directory: String?
  /// Globs of media types in lower case, one of which must match; empty lets all through.
  public var types: [String] = []
  /// Which assets count, by their URL.
  public var filter = ItemFilter()
  /// The template of file names; nil is the one of the feed's kind.
  public var name: Template?
  /// The most transfers of the feed that one run starts; nil is any number.
  public var limit: Int?
  /// The largest file that is downloaded; nil is any size.
  public var maxSize: ByteCount?
  /// What stays of the placed files.
  public var keep = KeepRule()
  /// Which feed goes first: the higher one.
  public var priority = 0

  /// Every enclosure, into the documents directory.
  public init() {}
}

/// Which of an item's files are assets.
public enum AssetSelection: String, Hashable, Sendable, CaseIterable {
  /// Enclosures and media content.
  case enclosures
  /// Its images.
  case images
  /// What its link leads to.
  case links
  /// All of these.
  case all
}

/// What stays of a feed's placed files; whichever bound is reached first counts, and the newest file stays in any case.
public struct KeepRule: Hashable, Sendable {
  /// At most so many files.
  public var count: Int?
  /// Files of items that are at most this old.
  public var age: Interval?
  /// Files of at most so many bytes together.
  public var size: ByteCount?

  /// Everything stays.
  public init() {}

  /// Whether everything stays.
  public var keepsAll: Bool { count == nil && age == nil && size == nil }
}

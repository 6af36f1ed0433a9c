// Download settings that feeds have in common, the rule that omits files, and the item and validators of a feed whose body is an asset.

extension FeedSpec {
  /// Which assets to download; nil means none (a feed of kind `asset` always has a value).
  public var download: DownloadSpec? {
    get { sharedDownload?.value }
    set { sharedDownload = newValue.map(Shared.init) }
  }

  /// The settings for files named by the feed's document or by a push; nil if neither may name files.
  ///
  /// A feed with only `push.url` downloads the files of its pushes as `download: {}` would, and no files of its items.
  public var transferDownload: DownloadSpec? {
    download ?? (push.url == nil ? nil : Shared<DownloadSpec>.standard.value)
  }
}

/// The item for the placed body of a feed of kind `asset`, counted by the badge and announced.
///
/// - Parameters:
///   - file: the placed file.
///   - feed: the feed; its `first-run` says whether the first body counts as new.
///   - state: the feed's state before this fetch.
///   - now: when the fetch ended.
/// - Returns: a new item, identified by checksum and time.
public func bodyItem(_ file: PlacedFile, feed: FeedSpec, state: FeedState, at now: Instant) -> ItemRecord {
  let name =
    file.name.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? file.name
  // A body that comes back after another one is new again.
  let guid = "\(file.sha256).\(now.secondsSince1970)"
  var print = Fingerprint()
  print.add(guid)
  var isSeen = false
  if !state.hasBaseline, case .none = feed.firstRun { isSeen = true }
  return ItemRecord(
    guid: guid, link: nil, keys: IdentityKeys(guid: print.value, content: print.value),
    editHash: print.value, title: cleanText(name, limit: 512), summary: nil, author: nil, published: nil,
    isSeen: isSeen, isFiltered: false)
}

extension Validators {
  /// The validators of a placed body.
  ///
  /// - Parameters:
  ///   - partial: the facts of its response.
  ///   - key: the key under which validators of that response are stored.
  ///   - now: when the body was complete.
  public init(of partial: PartialDownload, at key: String, now: Instant) {
    let fields = [("ETag", partial.entityTag), ("Last-Modified", partial.lastModified)].compactMap {
      name, value in
      value.map { HeaderField(name, $0) }
    }
    self.init(from: Response(status: 200, fields: fields, body: []), at: key, now: now)
  }
}

extension TransferFailure {
  /// The failure as a fetch failure, which decides the feed's backoff.
  public var asFetchFailure: FetchFailure {
    switch self {
    case .fetch(let failure): failure
    case .short, .empty: .truncated
    case .documents: .file(text(of: self))
    case .noWebAddress, .page, .overlong, .wrongRange, .changed, .tooLarge, .encoded:
      .other(text(of: self))
    }
  }
}

/// The rule by which a fetch does not download a file that an item refers to.
public enum OmissionRule: String, Hashable, Sendable, CaseIterable {
  /// The feed's filter does not accept the item.
  case filter
  /// The item was there before the feed had `download`.
  case earlier = "download"
  case file = "download.filter"
  case types = "download.types"
  case maxSize = "download.max-size"
  case firstRun = "first-run.download"
  case keepCount = "download.keep.count"
  case keepAge = "download.keep.age"
  case keepSize = "download.keep.size"
  /// The feed has too many unsettled transfers.
  case queue = "queue"

  /// The rule and what it says about the file.
  public var text: String {
    let why =
      switch self {
      case .filter: "does not accept the item"
      case .earlier: "was set after the item appeared"
      case .file: "does not accept the file"
      case .types: "does not have the file's type"
      case .maxSize: "is less than the size in the document"
      case .firstRun: "leaves out this item of the first fetch"
      case .keepCount: "is reached by newer files"
      case .keepAge: "is less than the age of the item"
      case .keepSize: "is reached by newer files"
      case .queue: "was full: too many transfers of the feed waited"
      }
    return "\(rawValue) \(why)"
  }
}

/// Files that a fetch does not download, in words, for example `2 files are not downloaded: 1 by download.types, 1 by filter`.
public func text(ofOmitted counts: [OmissionRule: Int]) -> String? {
  let total = counts.values.reduce(0, +)
  guard total > 0 else { return nil }
  let parts = OmissionRule.allCases.compactMap { rule in counts[rule].map { "\($0) by \(rule.rawValue)" } }
  return counted(total, "file is", plural: "files are") + " not downloaded: " + parts.joined(separator: ", ")
}

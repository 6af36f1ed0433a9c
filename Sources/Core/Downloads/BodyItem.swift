// The item that stands for a body of a feed of kind `asset`: what the badge counts and messages tell of.

/// The item that stands for a body that was placed.
///
/// - Parameters:
///   - file: the placed file.
///   - feed: the feed; its `first-run` says whether the first body counts as new.
///   - state: the feed's, before this fetch.
///   - now: when the fetch ended.
/// - Returns: a new item, told apart by the body's checksum and the time.
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
  /// The validators of a body that was placed.
  ///
  /// - Parameters:
  ///   - partial: what its answer said.
  ///   - key: what validators of that answer are stored with.
  ///   - now: when it was whole.
  public init(of partial: PartialDownload, at key: String, now: Instant) {
    let fields = [("ETag", partial.entityTag), ("Last-Modified", partial.lastModified)].compactMap {
      name, value in
      value.map { HeaderField(name, $0) }
    }
    self.init(from: Response(status: 200, fields: fields, body: []), at: key, now: now)
  }
}

extension TransferFailure {
  /// The failure as one of a fetch, which says how its feed backs off.
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

// A feed of kind `asset`, whose transfer is its fetch: the item, the validators and the failure of its body.

/// The item for the placed body of a feed of kind `asset`, counted by the badge and announced.
///
/// - Parameters:
///   - file: the placed file.
///   - feed: the feed; its `first-run` says whether the first body counts as new.
///   - state: the feed's state before this fetch.
///   - now: when the fetch ended.
/// - Returns: a new item, identified by checksum and time.
public func bodyItem(_ file: PlacedFile, feed: FeedSpec, state: FeedState, at now: Instant) -> ItemRecord {
  let name = file.name.utf8.split(separator: "/").last.map { String(Substring($0)) } ?? file.name
  // A body that comes back after another one is new again.
  let guid = "\(file.sha256).\(now.secondsSince1970)"
  let print = Fingerprint(of: guid).value
  return ItemRecord(
    guid: guid, keys: IdentityKeys(guid: print, content: print), editHash: print,
    title: cleanText(name, limit: 512), isSeen: !state.hasBaseline && feed.firstRun == .none)
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
    self.init(from: Response(status: 200, fields: fields), at: key, now: now)
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

// One download of one asset, as it is remembered between processes.

/// One download of one asset: queued by a fetch, worked off by this process or a later one.
public struct Transfer: Hashable, Sendable {
  /// The store's number for it; ascending in the order in which transfers were queued, never used twice.
  public var number: Int64
  /// The feed.
  public var feed: FeedName
  /// The session it belongs to: the store's number for it.
  public var session: Int64
  /// What is downloaded.
  public var asset: Asset
  /// The item that refers to it; nil for the body of a feed of kind `asset`, until that is placed.
  public var item: TransferItem?
  /// Whether it is the body of a feed of kind `asset`, whose fetch it is.
  public var isFeedBody = false
  /// Whether a push named the asset, so that the user has written its host; false where a document names it now.
  public var isPushed = false
  /// The private address, or this machine's own, that the feed was connected to when its document named the asset; nil for
  /// another one, and where no document did.
  public var innerAddress: NetworkAddress?
  /// What people call it: the item's title, else the name in its URL.
  public var description: String
  /// When it was queued.
  public var queued: Instant
  /// How far it is.
  public var status: TransferStatus = .queued
  /// Whether the person suspended it: it waits for `transfers resume`.
  public var isHeld = false
  /// Why it is not further, or how it ended, in words; nil if there is nothing to say.
  public var reason: String?
  /// Not to be tried before this moment.
  public var notBefore: Instant?
  /// Attempts in a row that failed without a byte of progress.
  public var failures = 0
  /// When the first of the attempts that failed since the last success or `retry` began.
  public var failingSince: Instant?
  /// How often in a row a budget cut it though it cannot resume.
  public var cuts = 0
  /// Processes in a row that died while it ran.
  public var crashes = 0
  /// What is there of it already.
  public var partial = PartialDownload()
  /// Where its partial file is: the documents directory it was begun in; nil before the first attempt.
  public var directory: String?
  /// The final name that was decided, while placing is under way.
  public var intent: PlacementIntent?
  /// The placed file, once it is finished.
  public var file: PlacedFile?

  /// A transfer that was just queued.
  public init(
    number: Int64, feed: FeedName, session: Int64, asset: Asset, item: TransferItem?, description: String,
    queued: Instant
  ) {
    self.number = number
    self.feed = feed
    self.session = session
    self.asset = asset
    self.item = item
    self.description = description
    self.queued = queued
  }
}

/// A file that an item refers to, or the body of a feed of kind `asset`.
public struct Asset: Hashable, Sendable {
  /// Where it is; empty for the body of a feed, which is where its feed is.
  public var url: String
  /// Its media type as the document has it.
  public var type: String?
  /// Its length in bytes as the document has it; no promise.
  public var length: Int64?
  /// Its place among the assets of its item that `select` takes, counted from 1; 0 for one that it does not take.
  public var index: Int

  /// An asset at an address.
  public init(url: String, type: String? = nil, length: Int64? = nil, index: Int = 1) {
    self.url = url
    self.type = type
    self.length = length
    self.index = index
  }

  /// What it is known by within its item: its URL without query and fragment.
  ///
  /// A tracking parameter that changes makes no other asset.
  public var key: UInt64 {
    var reference = URIReference(url)
    reference.query = nil
    reference.fragment = nil
    var print = Fingerprint()
    print.add(reference.text)
    return print.value
  }
}

/// What a transfer must know of its item.
public struct TransferItem: Hashable, Sendable {
  /// The store's number for it.
  public var number: Int64
  /// Its guid, else its link; nil if it has neither.
  public var id: String?
  /// Its title.
  public var title: String?
  /// When it was published.
  public var published: Instant?
  /// When it was first seen.
  public var firstSeen: Instant

  /// An item of a transfer.
  public init(number: Int64, id: String?, title: String?, published: Instant?, firstSeen: Instant) {
    self.number = number
    self.id = id
    self.title = title
    self.published = published
    self.firstSeen = firstSeen
  }

  /// When it was published, or first seen where it has no date.
  public var date: Instant { published ?? firstSeen }
}

/// How far a transfer is.
public enum TransferStatus: String, Hashable, Sendable, CaseIterable {
  /// It waits for its turn, or for its next attempt.
  case queued
  /// A process is downloading or placing it.
  case running
  /// It was stopped, and continues by itself later or when the person resumes it.
  case suspended
  /// Its file is placed, or the file downloaded before is still current.
  case finished
  /// It failed permanently.
  case failed
  /// The person does not want it.
  case cancelled

  /// Whether nothing more happens to it.
  public var isSettled: Bool {
    switch self {
    case .queued, .running, .suspended: false
    case .finished, .failed, .cancelled: true
    }
  }
}

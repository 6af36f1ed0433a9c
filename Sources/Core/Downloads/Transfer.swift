// A transfer: one download of one asset, as it is remembered between processes, and its partial file.

/// One download of one asset: queued by a fetch, run by this process or a later one.
public struct Transfer: Hashable, Sendable {
  /// The store's number for it; ascending in the order in which transfers were queued, never used twice.
  public var number: Int64
  public var feed: FeedName
  /// The store's number for the session that the transfer belongs to.
  public var session: Int64
  public var asset: Asset
  /// The item that refers to the asset; nil for the body of a feed of kind `asset` until it is placed.
  public var item: TransferItem?
  /// Whether the asset is the body of a feed of kind `asset`; then the transfer is the feed's fetch.
  public var isFeedBody = false
  /// Whether a push named the asset, so that the user wrote its host; false once a document names it.
  public var isPushed = false
  /// The private addresses, or this machine's own, that the feed was connected to when its document named the asset, and at its
  /// last fetch; none if the document came from a public address, or no document named the asset.
  ///
  /// A home network changes the addresses of its machines now and then.
  public var innerAddresses: [NetworkAddress] = []
  /// A name for people: the item's title, else the name in the URL.
  public var description: String
  public var queued: Instant
  public var status: TransferStatus = .queued
  /// Whether the person suspended the transfer; it waits for `transfers resume`.
  public var isSuspendedByUser = false
  /// Why the transfer waits, or how it ended, in words.
  public var reason: String?
  /// The moment before which the transfer must not start.
  public var notBefore: Instant?
  /// Attempts in a row that failed without a byte of progress.
  public var failures = 0
  /// The beginning of the first failed attempt since the last success or `retry`.
  public var failingSince: Instant?
  /// Attempts in a row that the budget cut although they cannot be resumed.
  public var cuts = 0
  /// Processes in a row that died during the transfer.
  public var crashes = 0
  /// The bytes received so far.
  public var partial = PartialDownload()
  /// The documents directory of the partial file; nil before the first attempt.
  public var directory: String?
  /// The final name, while the file is being placed.
  public var intent: PlacementIntent?
  /// The placed file of a finished transfer.
  public var file: PlacedFile?

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
  /// The address; empty for the body of a feed, which has the feed's address.
  public var url: String
  /// The media type in the document.
  public var type: String?
  /// The length in bytes in the document, which is often wrong.
  public var length: Int64?
  /// The place among the item's assets that `select` takes, counted from 1; 0 if `select` does not take this one.
  public var index: Int
  /// Why the fetch that found the asset did not queue it; nil if it did, or no rule speaks of it.
  public var omittedBy: OmissionRule?

  public init(url: String, type: String? = nil, length: Int64? = nil, index: Int = 1) {
    self.url = url
    self.type = type
    self.length = length
    self.index = index
  }

  /// The length in the document, unless it cannot be that of a file.
  public var plausibleLength: Int64? { length.flatMap { (1...(64 << 30)).contains($0) ? $0 : nil } }

  /// Identifies the asset within its item: its URL without query and fragment, because tracking parameters change.
  public var key: UInt64 {
    var reference = URIReference(url)
    reference.query = nil
    reference.fragment = nil
    return Fingerprint(of: reference.text).value
  }
}

/// The facts about an item that its transfers need.
public struct TransferItem: Hashable, Sendable {
  public var number: Int64
  /// The guid, else the link.
  public var id: String?
  public var title: String?
  public var published: Instant?
  public var firstSeen: Instant

  public init(number: Int64, id: String?, title: String?, published: Instant?, firstSeen: Instant) {
    self.number = number
    self.id = id
    self.title = title
    self.published = published
    self.firstSeen = firstSeen
  }

  /// The date of publication, else of the first sight.
  public var date: Instant { published ?? firstSeen }
}

/// The status of a transfer.
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

/// The bytes of an unfinished download, and the facts for resuming it.
public struct PartialDownload: Hashable, Sendable {
  /// The bytes of the partial file that are safely on its file system; the rest is cut off before resuming.
  public var bytes: Int64 = 0
  /// The SHA-256 of these bytes, verified before resuming; nil if an earlier version of bgfetch did not compute it.
  public var sha256: String?
  /// The size of the whole file according to the first response.
  public var total: Int64?
  /// `ETag` of that response, byte for byte.
  public var entityTag: String?
  /// `Last-Modified` of that response, byte for byte.
  public var lastModified: String?
  /// `Date` of that response, which decides whether `Last-Modified` is a strong validator.
  public var date: String?
  /// Whether the server accepts ranges (`Accept-Ranges: bytes`, or a 206); nil if it does not say.
  public var acceptsRanges: Bool?
  /// The address at the end of all redirects; validators are sent nowhere else.
  public var address: String?

  public init() {}
}

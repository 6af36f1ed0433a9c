// The state of a feed and of a host, as remembered between runs.

/// What is remembered of a feed between runs; a feed never fetched has the state `FeedState()`.
public struct FeedState: Hashable, Sendable {
  /// A fingerprint of what the validators depend on: address, headers, credentials.
  ///
  /// Another one drops them.
  public var requestFingerprint: UInt64?
  /// A fingerprint of the feed's whole configuration; another one clears backoff.
  public var configurationFingerprint: UInt64?
  /// The validators of the last full answer that could be read.
  public var validators = Validators()
  /// Start of the last run that asked the feed, whatever came of it.
  public var lastAsked: Instant?
  /// Start of the last run that asked the feed and did not fail: what intervals and schedules count from.
  public var lastCounted: Instant?
  /// When the last successful fetch ended.
  public var lastSuccess: Instant?
  /// The last fetch result.
  public var lastResult: FetchResult?
  /// Its reason, in words.
  public var lastReason: String?
  /// What the server wishes, from the last answer.
  public var wish: ServerWish?
  /// What the last document wished.
  public var hints = FeedHints()
  /// A rate limit on this feed (429 or 503): until when, and how often in a row one came without a time of
  /// its own.
  public var rateLimit: RateLimit?
  /// Failures in a row, of every kind.
  public var failures = 0
  /// The kind of the last failure, which says how backoff begins.
  public var backoffClass: BackoffClass?
  /// Failures in a row of that kind, which say how far backoff has grown.
  public var backoffFailures = 0
  /// When the first of two 410 answers came; nil if the last answer was another.
  public var goneSince: Instant?
  /// Whether the user was told that the feed is gone.
  public var isGone = false
  /// Whether `failing` was said and `recovered` not yet.
  public var failingAnnounced = false
  /// Whether a first successful fetch is behind it.
  public var hasBaseline = false
  /// Runs in a row that ended while this feed was in flight.
  public var crashes = 0
  /// What the person paused; a fetch neither sets nor ends it, and a commit does not write it.
  public var pause: Pause?
  /// Where redirects for good have led: at most one address that is learned, and one that is not yet.
  public var moves: [Move] = []
  /// The address that the last successful fetch was connected to where it is private or one of this machine's own: only
  /// there may items and redirects of the feed lead, but for public addresses; nil elsewhere, and behind a proxy.
  public var innerAddress: NetworkAddress?
  /// The title of the last readable document.
  public var title: String?
  /// The page of the last readable document.
  public var link: String?
  /// What its documents have shown about the identities of its items.
  public var identity = IdentityHistory()
  /// Whether the assets of its items are noted: false until the first document under `download`, whose known items'
  /// assets are not wanted.
  public var notesAssets = false
  /// Whether the transfer that is its fetch is not settled; a commit does not write it.
  public var hasTransferUnderWay = false
  /// When the first of the edits that came too soon after the last may be reported; nil if none is held back.
  public var heldEditDue: Instant?

  /// The state of a feed that was never fetched.
  public init() {}
}

/// The `ETag` and `Last-Modified` of the last full answer, byte for byte as the server wrote them.
public struct Validators: Hashable, Sendable {
  /// The address they came from, and the only one they may be sent to.
  public var address: String?
  /// `ETag` with its quotes and `W/`.
  public var entityTag: String?
  /// `Last-Modified` as written.
  public var lastModified: String?
  /// When the last unconditional full answer came (`PEERS` check 54: validators are dropped once in a while).
  public var since: Instant?

  /// No validators.
  public init() {}

  /// Whether there are none.
  public var isEmpty: Bool { entityTag == nil && lastModified == nil }
}

/// A wish of the server about when to ask again, capped, with where it came from.
public struct ServerWish: Hashable, Sendable {
  /// Not before this moment.
  public var notBefore: Instant
  /// Where it was said, for example `Cache-Control: max-age=3600`.
  public var source: String

  /// A wish with its source.
  public init(notBefore: Instant, source: String) {
    self.notBefore = notBefore
    self.source = source
  }
}

/// A rate limit that a server set with 429 or 503.
public struct RateLimit: Hashable, Sendable {
  /// Not before this moment.
  public var until: Instant
  /// How many times in a row a 429 came without `Retry-After`; the time doubles with each.
  public var unnamed: Int
  /// The status that set it.
  public var status: Int

  /// A limit until a moment.
  public init(until: Instant, unnamed: Int, status: Int) {
    self.until = until
    self.unnamed = unnamed
    self.status = status
  }
}

/// How the backoff after a failure begins.
public enum BackoffClass: String, Hashable, Sendable {
  /// Minutes: resolving, connecting, timeouts, 5xx, a cut or unreadable body.
  case transient
  /// Hours: 401, 403, 404.
  case refused
  /// A day after the first 410, a month after a second one.
  case gone
}

/// What a fetch came to.
public enum FetchResult: String, Hashable, Sendable, CaseIterable {
  /// There was something new.
  case newData = "new-data"
  /// There was nothing new.
  case noData = "no-data"
  /// It could not be found out.
  case failed
}

/// What is remembered of a host between runs, by its name in lower case.
public struct HostState: Hashable, Sendable {
  /// When the last request to it began.
  public var lastRequest: Instant?
  /// A rate limit on the whole host.
  public var limitedUntil: Instant?
  /// The feed whose answer set the limit; a second one makes it longer.
  public var limitedBy: FeedName?

  /// A host never asked.
  public init() {}
}

/// An address to which a feed's own one redirects for good (301, 308), as seen by fetches that brought a readable feed.
///
/// It is kept in the state, never in the user's file, and asked in place of the configured address once it is
/// learned.
public struct Move: Hashable, Sendable {
  /// Where the redirect leads.
  public var address: String
  /// How many fetches in a row saw it.
  public var sightings: Int
  /// Start of the run that saw it first.
  public var firstSeen: Instant
  /// Whether it was seen often and long enough to be asked in place of the configured address.
  public var isLearned: Bool
  /// Whether its last fetch failed, so that the configured address is asked next.
  public var isDoubted = false

  /// A move that was seen once.
  public init(address: String, firstSeen: Instant) {
    self.address = address
    sightings = 1
    self.firstSeen = firstSeen
    isLearned = false
  }
}

extension FeedState {
  /// The learned address, asked in place of the configured one; nil if there is none.
  public var learnedMove: Move? { moves.first(where: \.isLearned) }

  /// The move that was not seen often or long enough yet; nil if there is none.
  public var seenMove: Move? { moves.first { !$0.isLearned } }
}

/// A person's word that a feed is left alone.
///
/// It is taken as given: no cap shortens it, and a clock that is set back leaves its end where it is.
public struct Pause: Hashable, Sendable {
  /// When it ends; nil is when the person ends it.
  public var until: Instant?

  /// A pause until a moment, or until it is ended.
  public init(until: Instant?) {
    self.until = until
  }

  /// Whether it still holds.
  public func holds(at now: Instant) -> Bool {
    until.map { now < $0 } ?? true
  }
}

extension FeedState {
  /// Whether a person may have to mend something: the last fetches failed, the feed is gone, or runs died of it.
  public var isProblem: Bool { failures > 0 || isGone || crashes >= 2 }
}

extension HostState {
  /// The state to store where another fetch has stored one meanwhile.
  ///
  /// A limit only grows, until it has ended: a fetch that began before the limit came knows nothing of it. What
  /// lies further in the future than any limit can was stored under another clock and does not count.
  ///
  /// - Parameters:
  ///   - stored: the state that is there.
  ///   - now: the present moment.
  /// - Returns: the later request, and the later end of a limit with the feed that set it.
  public func merged(over stored: HostState, at now: Instant) -> HostState {
    var merged = self
    if let request = stored.lastRequest, request <= now {
      merged.lastRequest = max(request, lastRequest ?? request)
    }
    if let until = stored.limitedUntil, until > now, until <= now + Self.longestLimit,
      limitedUntil.map({ $0 < until }) ?? true
    {
      merged.limitedUntil = until
      merged.limitedBy = stored.limitedBy
    }
    return merged
  }

  /// Further away than the end of any limit: 7 days (the most that `Retry-After` is obeyed for) and their jitter.
  private static let longestLimit = Interval.days(7) + .hours(1)
}

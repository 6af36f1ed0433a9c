// The state of a feed and of a host, as remembered between runs, and the next due time of a feed, kept for later scans.

/// The state of a feed between runs; a feed never fetched has `FeedState()`.
public struct FeedState: Equatable, Sendable {
  /// The number of the feed in the store, which stays when it is renamed; nil if it is not stored.
  public var number: Int64?
  /// A fingerprint of address, headers and credentials; a change drops the validators.
  public var requestFingerprint: UInt64?
  /// Whether its request differs from the one of its last fetch; a commit does not write it.
  public var hasOtherRequest = false
  /// A fingerprint of the feed's whole configuration; a change clears backoff.
  public var configurationFingerprint: UInt64?
  /// The validators of the last full response that was a readable document.
  public var validators = Validators()
  /// The start of the last round that requested the feed, whatever the result.
  public var lastAsked: Instant?
  /// The start of the last round that requested the feed and did not fail; intervals and schedules count from here.
  public var lastCounted: Instant?
  /// The end of the last successful fetch.
  public var lastSuccess: Instant?
  /// The last fetch result.
  public var lastResult: FetchResult?
  /// The reason of the last result, in words.
  public var lastReason: String?
  /// The freshness that the last response asked for.
  public var freshness: ServerFreshness?
  /// The `ttl`, skip times and update period of the last document.
  public var hints = FeedHints()
  /// The rate limit of this feed (429 or 503).
  public var rateLimit: RateLimit?
  /// Failures in a row, of every kind.
  public var failures = 0
  /// The kind of the last failure, which decides the first wait.
  public var backoffClass: BackoffClass?
  /// Failures in a row of that kind, which decide how often the wait has doubled.
  public var backoffFailures = 0
  /// The time of the first of two 410 responses; nil if the last response was another.
  public var goneSince: Instant?
  /// Whether a second 410 was reported to the user.
  public var isGone = false
  /// Whether `failing` was reported and `recovered` not yet.
  public var failingAnnounced = false
  /// Whether a fetch has succeeded.
  public var hasBaseline = false
  /// Runs in a row that crashed while fetching this feed.
  public var crashes = 0
  /// The person's pause; fetches do not change it, and a commit does not write it.
  public var pause: Pause?
  /// Permanent redirects: at most one learned address, and one that is not learned yet.
  public var moves: [Move] = []
  /// The address of the last successful connection, if it is private or this machine's own; else nil, and nil behind a proxy.
  ///
  /// Items and redirects of the feed may lead there and to public addresses only.
  public var innerAddress: NetworkAddress?
  /// The title of the last readable document.
  public var title: String?
  /// The web page of the last readable document.
  public var link: String?
  public var identity = IdentityHistory()
  /// The beginning of the hour in which the pages of its items are counted, and their number.
  public var pageHour: Instant?
  public var pagesInHour = 0
  /// The moment before which no page is requested, because a server asked for that; it was stored with the last page refused.
  public var pagesNotBefore: Instant?
  /// Whether assets of its items are recorded: false until the first document with `download` on, because assets of known
  /// items are not downloaded.
  public var recordsAssets = false
  /// Whether the transfer that serves as its fetch has not ended; a commit does not write it.
  public var hasTransferUnderWay = false
  /// When it was first found waiting for a condition since its last fetch that did not fail.
  public var waitsSince: Instant?
  /// When it was found to be due next at the end of its last fetch; a feed that adapts to its publisher keeps to that.
  public var planned: Instant?

  public init() {}
}

/// The `ETag` and `Last-Modified` of the last full response, byte for byte as the server wrote them.
public struct Validators: Equatable, Sendable {
  public var address: String?
  /// `ETag` with its quotes and `W/`.
  public var entityTag: String?
  public var lastModified: String?
  /// The time of the last unconditional full response; validators are dropped now and then, in case they are wrong.
  public var since: Instant?

  public init() {}

  var isEmpty: Bool { entityTag == nil && lastModified == nil }
}

/// The moment until which the server asks not to be requested, capped, with its source.
public struct ServerFreshness: Equatable, Sendable {
  public var notBefore: Instant
  /// For example `Cache-Control: max-age=3600`.
  public var source: String

  public init(notBefore: Instant, source: String) {
    (self.notBefore, self.source) = (notBefore, source)
  }
}

/// A rate limit that a server set with 429 or 503.
public struct RateLimit: Equatable, Sendable {
  public var until: Instant
  /// How many 429 without `Retry-After` came in a row; the time doubles with each.
  public var withoutRetryAfter: Int
  /// The status that set it.
  public var status: Int

  public init(until: Instant, withoutRetryAfter: Int, status: Int) {
    (self.until, self.withoutRetryAfter, self.status) = (until, withoutRetryAfter, status)
  }
}

/// How the backoff after a failure begins.
public enum BackoffClass: String, Sendable {
  /// Minutes: resolving, connecting, timeouts, 5xx, a cut or unreadable body.
  case transient
  /// Hours: 401, 403, 404.
  case refused
  /// A day after the first 410, 30 d after a second one.
  case gone
}

/// The result of a fetch.
public enum FetchResult: String, Sendable, CaseIterable {
  case newData = "new-data"
  case noData = "no-data"
  /// Whether there is any is not known.
  case failed
}

/// The state of a host between runs.
public struct HostState: Equatable, Sendable {
  /// The start of the last request.
  public var lastRequest: Instant?
  /// The end of a rate limit on the whole host.
  public var limitedUntil: Instant?
  /// The feed whose response set the limit; a second limited feed makes it longer.
  public var limitedBy: FeedName?

  public init() {}
}

/// A permanent redirect (301, 308) of a feed, as seen by fetches that found a readable document.
///
/// It is kept in the state, never in the user's file. Once learned, its address is requested instead of the configured one.
public struct Move: Equatable, Sendable {
  /// The target of the redirect.
  public var address: String
  /// How many fetches in a row saw it.
  public var sightings: Int
  /// The start of the round that saw it first.
  public var firstSeen: Instant
  /// Whether it was seen often and long enough.
  public var isLearned: Bool
  /// Whether its last fetch failed, so that the configured address is requested next.
  public var isSuspect = false

  public init(address: String, firstSeen: Instant) {
    self.address = address
    sightings = 1
    self.firstSeen = firstSeen
    isLearned = false
  }
}

extension FeedState {
  /// The permanent redirect whose address is requested instead of the configured one.
  public var learnedMove: Move? { moves.first(where: \.isLearned) }

  /// The permanent redirect that is not learned yet.
  var seenMove: Move? { moves.first { !$0.isLearned } }
}

/// The person's order not to fetch a feed.
///
/// It is exact: no cap shortens it, and setting the clock back does not change its end.
public struct Pause: Equatable, Sendable {
  public var until: Instant?

  public init(until: Instant?) {
    self.until = until
  }

  /// Whether it has not ended.
  public func isActive(at now: Instant) -> Bool {
    until.map { now < $0 } ?? true
  }
}

extension FeedState {
  /// Whether a person may have to act: the last fetches failed, the feed is gone, or runs crashed while fetching it.
  public var isProblem: Bool { failures > 0 || isGone || crashes >= 2 }
}

extension HostState {
  /// The state to store when another fetch has stored one meanwhile.
  ///
  /// A limit that has not ended is never shortened, because a fetch that began before the limit does not know it. A stored
  /// limit further in the future than any limit can be comes from a wrong clock and is ignored.
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

  /// More than any limit: 7 d (the cap of `Retry-After`) and jitter.
  private static let longestLimit = Interval.days(7) + .hours(1)
}

/// A feed's next due time, found when its state was read.
public struct FeedScan: Sendable {
  public var feed: FeedName
  /// When it is due next, or `DueDecision.never`; nil if that is not known, or has come.
  public var dueAt: Instant?
  /// The host that its next fetch begins at; nil if nobody asks.
  public var host: String?

  public init(_ feed: FeedName, dueAt: Instant? = nil, host: String? = nil) {
    (self.feed, self.dueAt, self.host) = (feed, dueAt, host)
  }
}

// MARK: After an edit

/// The state of a feed under the current configuration.
///
/// Any change clears the backoff, because a user who edits a failing feed wants to see whether it works now, and what was
/// planned under other hours. A change of the request (address, headers, credentials) also forgets validators, freshness, the last fetch and the learned
/// address, so that the feed is due at once. Rate limits stay; only `--force` overrides them.
///
/// - Parameters:
///   - state: the stored state.
///   - configuration: the fingerprint of the feed's whole configuration.
///   - request: the fingerprint of its request; nil if a secret in it is not resolved yet.
/// - Returns: the state with the current fingerprints.
public func stateUnderConfiguration(
  _ state: FeedState, configuration: UInt64, request: UInt64?
) -> FeedState {
  var state = state
  if let former = state.configurationFingerprint, former != configuration {
    state.clearBackoff()
    state.planned = nil
  }
  state.configurationFingerprint = configuration
  if let request {
    if let former = state.requestFingerprint, former != request { state.forgetRequest() }
    state.requestFingerprint = request
  }
  return state
}

extension FeedState {
  /// Forgets failures, but not that they were announced, so that `recovered` can follow.
  mutating func clearBackoff() {
    failures = 0
    backoffClass = nil
    backoffFailures = 0
    goneSince = nil
    isGone = false
  }

  /// Forgets everything that belongs to the previous request.
  fileprivate mutating func forgetRequest() {
    hasOtherRequest = true
    validators = Validators()
    freshness = nil
    hints = FeedHints()
    lastCounted = nil
    moves = []
    innerAddress = nil
  }
}

// One fetch of one feed, as far as it matters for when the next one is due.

/// One fetch of one feed: who was asked, when, and what came back.
public struct FetchAttempt: Sendable {
  /// The feed.
  public var feed: FeedSpec
  /// The start of the run.
  public var runStart: Instant
  /// When the fetch was over, its answer read.
  public var ended: Instant
  /// The last address asked; nil where none was, for want of a secret.
  public var address: WebAddress?
  /// The last answer; nil if none came.
  public var response: Response?
  /// The way to that address; nil where none was asked.
  public var route: RequestRoute?
  /// What was known of that address's host before.
  public var hostState: HostState
  /// Whether the answer is one to another feed's request, which this feed shares.
  public var isShared = false
  /// This machine's lasting name, which fixes the jitter.
  public var machine: String
  /// The longest freshness that is obeyed.
  public var freshnessLimit: Interval

  /// A fetch.
  public init(
    feed: FeedSpec, runStart: Instant, ended: Instant, address: WebAddress?, response: Response?,
    hostState: HostState, machine: String, freshnessLimit: Interval
  ) {
    self.feed = feed
    self.runStart = runStart
    self.ended = ended
    self.address = address
    self.response = response
    self.hostState = hostState
    self.machine = machine
    self.freshnessLimit = freshnessLimit
  }

  /// Whether the host is one that many people share.
  var isPublicHost: Bool { address?.isPublicHost ?? false }
}

// Where a feed has moved for good, as far as its servers say so.

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
  public var isSuspect = false

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

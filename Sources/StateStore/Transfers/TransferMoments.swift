// When transfers may go on next: what a run that would otherwise have nothing to do must know.

public import Core

extension Store {
  /// The longest that a transfer waits for its next attempt: what a server may ask for at most (429, 503).
  static let longestTransferWait = Interval.days(7)

  /// Whether a transfer may go on, as SQL over a parameter that holds the present moment.
  ///
  /// A moment further away than any transfer waits was written under a clock that has been set back. What is running may
  /// be a dead process's.
  static func mayGoOn(_ now: String) -> String {
    """
    (status = 'running' OR not_before IS NULL OR not_before <= \(now)
      OR not_before > \(now) + \(longestTransferWait.seconds))
    """
  }

  /// The transfers that nobody holds back, of feeds that were not dormant when that was noted last.
  static let transfersThatGoOn = """
    \(unsettledTransfers) CROSS JOIN feed ON feed.number = transfer.feed
    WHERE settled IS NULL AND is_held = 0
      AND \(isConfigured)
    """

  /// The next moment at which a transfer may go on, not before now; nil where none ever does.
  ///
  /// Those that the person suspended do not count, nor those of dormant feeds.
  public func nextTransferMoment(at now: Instant) throws(StoreFailure) -> Instant? {
    try database.value(
      "SELECT min(iif(\(Self.mayGoOn("?1")), ?1, not_before)) FROM \(Self.transfersThatGoOn)", now)
  }
}

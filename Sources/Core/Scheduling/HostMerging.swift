// How what two fetches know of one host becomes one state.

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

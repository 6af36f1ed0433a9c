// The effect of an edit of the configuration on the state of a feed.

/// The state of a feed under the current configuration.
///
/// Any change clears the backoff, because a user who edits a failing feed wants to see whether it works now. A change of
/// the request (address, headers, credentials) also forgets validators, freshness, the last fetch and the learned
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
  if let former = state.configurationFingerprint, former != configuration { state.clearBackoff() }
  state.configurationFingerprint = configuration
  if let request {
    if let former = state.requestFingerprint, former != request { state.forgetRequest() }
    state.requestFingerprint = request
  }
  return state
}

extension FeedState {
  /// Forgets failures, but not that they were announced, so that `recovered` can follow.
  fileprivate mutating func clearBackoff() {
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

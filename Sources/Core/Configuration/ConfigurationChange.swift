// What of a feed's past still counts when its configuration was edited.

/// The state of a feed under today's configuration.
///
/// Any change clears the backoff: whoever edits a feed that failed wants to see whether it works now. A
/// change of what is sent (address, headers, credentials) makes it another request, of which nothing is
/// known: validators, the server's wish, the last fetch and where the feed moved are forgotten, so that it
/// is due at once. Rate limits stay; only `--force` passes them.
///
/// - Parameters:
///   - state: what is stored.
///   - configuration: a fingerprint of the feed's whole configuration.
///   - request: a fingerprint of what its requests depend on; nil where that is not known yet, because a
///     secret is part of it.
/// - Returns: the state with today's fingerprints in it.
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
  /// Forgets failures; what was announced stays announced, so that `recovered` can follow.
  fileprivate mutating func clearBackoff() {
    failures = 0
    backoffClass = nil
    backoffFailures = 0
    goneSince = nil
    isGone = false
  }

  /// Forgets what is true of another request only.
  fileprivate mutating func forgetRequest() {
    validators = Validators()
    wish = nil
    hints = FeedHints()
    lastCounted = nil
    moves = []
    innerAddress = nil
  }
}

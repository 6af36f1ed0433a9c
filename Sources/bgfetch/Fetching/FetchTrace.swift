// The facts about a fetch under way, and the rules by which another feed may share its response.

import Core

/// The facts about a fetch under way.
struct FetchTrace: Sendable {
  private let turn: FetchWork.Turn
  /// The feed's state, without facts that an edit of the configuration made obsolete.
  var state: FeedState
  let started: Instant
  /// The end of the feed's time limit, in the machine's milliseconds.
  var end = Int64.max
  /// The feed's address and credentials; nil until its secrets are resolved, and for a file.
  var access: FeedAccess?
  /// The secrets that must not be stored or shown.
  var hidden = HiddenWords.none
  /// The last address that was requested.
  var address: WebAddress?
  /// The redirects that led to it.
  var route: RequestRoute?
  var response: Response?
  /// How the requests ended; nil until then.
  var result: RequestResult?
  /// The validators that could be sent.
  var validators = Validators()
  /// Identifies the request that the validators of the response belong to; nil if they cannot be used.
  var validatorKey: String?
  var requests: [RequestRecord] = []
  /// Whether no other host was reached since the feed's last attempt.
  var mayBeOffline = false
  /// Whether the response is another feed's.
  var isShared = false

  init(_ turn: FetchWork.Turn, started: Instant) {
    self.turn = turn
    state = turn.state
    self.started = started
  }

  var feed: FeedSpec { turn.feed }

  /// The failed attempt as evidence about the network; nil if no request was sent.
  func attempt(failed failure: FetchFailure) -> HostAttempt? {
    route.map { HostAttempt($0, failure: failure, hasFailedBefore: state.failures > 0) }
  }
}

extension FetchTrace {
  /// Whether another feed with the same request would get this response.
  ///
  /// It would get the same document or failure with any validators, but the same 304 only with the same
  /// validators.
  func mayBeShared(with feed: FeedSpec, _ state: FeedState, machine: String, at now: Instant) -> Bool {
    guard self.feed.hasSameRequest(as: feed) else { return false }
    switch result {
    case nil, .failed(.suspended): return false
    case .document, .failed: return true
    case .notModified:
      guard let fingerprint = access?.shared(with: feed).fingerprint else { return false }
      var own = validatorsToSend(
        stateUnderConfiguration(state, configuration: feed.fingerprint, request: fingerprint),
        fingerprint: fingerprint, feed: feed.name, machine: machine, at: now)
      own.since = validators.since
      return own == validators
    }
  }

  /// Shares the response with another feed's fetch.
  ///
  /// That feed keeps its own fingerprint, or the next run would take it for a feed that was never fetched.
  func share(with other: inout FetchTrace) {
    other.access = access?.shared(with: other.feed)
    other.hidden = hidden
    other.state = stateUnderConfiguration(
      other.state, configuration: other.feed.fingerprint, request: other.access?.fingerprint)
    other.address = address
    other.route = route
    other.response = response
    other.validatorKey = validatorKey
    other.isShared = true
  }
}

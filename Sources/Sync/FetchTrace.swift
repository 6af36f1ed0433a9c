// What is known of one fetch while it goes on, and what of it another feed may share.

import Core

/// What is known of one fetch while it goes on.
struct FetchTrace: Sendable {
  /// The feed.
  let feed: FeedSpec
  /// What was remembered of it, under today's configuration.
  var state: FeedState
  /// When the fetch began.
  let started: Instant
  /// When it has taken as long as it may, in the machine's milliseconds.
  var end = Int64.max
  /// How the feed is asked; nil until its secrets are resolved, and for a file.
  var access: FeedAccess?
  /// What of its secrets must not be kept or shown.
  var hidden = HiddenWords.none
  /// The last address asked.
  var address: WebAddress?
  /// The way to it.
  var route: RequestRoute?
  /// The last answer.
  var response: Response?
  /// How the requests ended; nil while they go on.
  var exchange: Exchange?
  /// The validators that were there to be sent.
  var validators = Validators()
  /// What validators of the last answer are stored with.
  var validatorKey = ""
  /// When each host was last sent a request, in the machine's milliseconds.
  var sent: [String: Int64] = [:]
  /// The requests so far.
  var requests: [RequestRecord] = []
  /// Whether another feed asked.
  var isShared = false

  init(feed: FeedSpec, state: FeedState, started: Instant) {
    self.feed = feed
    self.state = state
    self.started = started
  }

  /// The fetch as far as it says something about the network; nil where nothing was asked.
  func attempt(failed failure: FetchFailure) -> HostAttempt? {
    route.map { HostAttempt($0, failure: failure, hasFailedBefore: state.failures > 0) }
  }
}

extension FetchTrace {
  /// Whether the answer is the one that another feed, which would send the same request, would get.
  ///
  /// A whole document is, whatever validators that feed has, and so is a failure. A 304 is only under the same
  /// validators: it speaks of the document they came with.
  func mayBeShared(with feed: FeedSpec, _ state: FeedState, machine: String, at now: Instant) -> Bool {
    switch exchange {
    case nil, .failed(.suspended): return false
    case .document, .failed: return true
    case .notModified:
      guard let fingerprint = access?.lent(to: feed).fingerprint else { return false }
      var own = validatorsToSend(
        stateUnderConfiguration(state, configuration: feed.fingerprint, request: fingerprint),
        fingerprint: fingerprint, feed: feed.name, machine: machine, at: now)
      own.since = validators.since
      return own == validators
    }
  }

  /// Lends the answer to another feed's fetch.
  ///
  /// That feed's fingerprint is its own all the same: under another one it would be a feed never fetched in the next run.
  func lend(to other: inout FetchTrace) {
    other.access = access?.lent(to: other.feed)
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

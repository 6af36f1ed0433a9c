// Fingerprints of a feed's request, and the effect of an edit of the configuration on its state.

extension FeedSpec {
  /// A fingerprint of everything that validators depend on; nil if it includes a secret.
  public var requestFingerprint: UInt64? { isLocal ? localFingerprint : plainAccess?.fingerprint }

  /// A fingerprint of a feed's file or command, and its kind, on which its validators depend.
  public var localFingerprint: UInt64 {
    var print = Fingerprint()
    if let file { print.add(file.text) }
    print.add(kind)
    print.add(command: command)
    return print.value
  }

  /// The access to the feed, or nil if it includes a secret.
  public var plainAccess: FeedAccess? {
    guard let address, cookies == nil else { return nil }
    var access = FeedAccess(address: address)
    access.userAgent = network.userAgent
    access.kind = kind
    access.command = command
    if let body {
      guard let sent = body.withoutSecrets else { return nil }
      access.body = sent
    }
    for header in headers {
      guard case .plain(let value) = header.value else { return nil }
      access.headers.append(HeaderField(header.name, value))
    }
    switch authentication {
    case nil: return access
    case .netrc:
      access.credentials = .netrc
      return access
    case .password, .bearer, .certificate: return nil
    }
  }
}

extension Fingerprint {
  /// Adds the kind and its mapping; nothing for the kind feed.
  mutating func add(_ kind: FeedKind) {
    switch kind {
    case .feed: break
    case .json(let mapping):
      add(list: mapping.items.map(\.text))
      for part in JSONMapping.Part.allCases { add(list: (mapping.parts[part] ?? []).map(\.text)) }
      for condition in mapping.only { add(list: [condition.pointer.text] + condition.values) }
      if mapping.allowsEmpty { add("allow-empty") }
    case .html(let mapping):
      add("html")
      add(list: [mapping.items, mapping.text, mapping.ignored].map { $0?.text ?? "" } + mapping.ignoredLines)
      for part in JSONMapping.Part.allCases { add(mapping.parts[part]?.text) }
      if mapping.allowsEmpty { add("allow-empty") }
    case .asset: add("asset")
    }
  }

  /// Adds the command of a feed; nothing for none.
  mutating func add(command: [String]) {
    if !command.isEmpty { add(list: ["command"] + command) }
  }

  /// Adds texts with their number, so that consecutive lists are unambiguous.
  fileprivate mutating func add(list: [String]) {
    add(String(list.count))
    for text in list { add(text) }
  }
}

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
    validators = Validators()
    freshness = nil
    hints = FeedHints()
    lastCounted = nil
    moves = []
    innerAddress = nil
  }
}

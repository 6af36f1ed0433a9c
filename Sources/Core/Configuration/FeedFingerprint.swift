// Fingerprints of a feed's configuration, and the effect of an edit on its state.
//
// A new key of a feed must be added here. FeedFingerprintTests fail if a stored property is forgotten.

extension FeedSpec {
  /// A fingerprint of everything configured for the feed; secrets count by their sources, not their values.
  public var fingerprint: UInt64 {
    var print = Fingerprint()
    print.add(url)
    print.add(title)
    print.add(kind)
    switch minimumInterval {
    case .every(let interval): print.add(String(interval.seconds))
    case .everyRun: print.add("every-run")
    case .never: print.add("never")
    case nil: print.add(nil)
    }
    print.add(list: schedule.map(\.text))
    print.add(hours.text)
    print.add(String(headers.count))
    for header in headers {
      print.add(header.name)
      print.add(header.value)
    }
    switch authentication {
    case .basic(let username, let password):
      print.add(username)
      print.add(.secret(password))
    case .digest(let username, let password):
      print.add("digest")
      print.add(username)
      print.add(.secret(password))
    case .bearer(let token): print.add(.secret(token))
    case .certificate(let file, let key, let password):
      print.add("certificate " + file)
      print.add(key)
      if let password { print.add(.secret(password)) }
    case .netrc: print.add("netrc")
    case nil: print.add(nil)
    }
    print.add(list: filter.include)
    print.add(list: filter.exclude)
    print.add(identity.rawValue)
    print.add(updated)
    print.add(firstRun)
    print.add(notifying: notify)
    print.add(downloading: self)
    print.add(pushing: self)
    print.add(number: sharedNetwork.fingerprint)
    print.add(keeping: contentLimit)
    print.add(command: command)
    print.add(sending: body)
    if let cookies { print.add("cookies " + cookies) }
    return print.value
  }

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
    case .basic, .digest, .bearer, .certificate: return nil
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
      add(list: [mapping.items?.text ?? "", mapping.text?.text ?? ""])
      for part in JSONMapping.Part.allCases { add(mapping.parts[part]?.text) }
      if mapping.allowsEmpty { add("allow-empty") }
    case .asset: add("asset")
    }
  }

  /// Adds the command of a feed; nothing for none.
  mutating func add(command: [String]) {
    if !command.isEmpty { add(list: ["command"] + command) }
  }

  /// Adds the downloads of a feed; nothing for the defaults, so that new keys with defaults do not change fingerprints.
  fileprivate mutating func add(downloading feed: FeedSpec) {
    if let readiness = feed.notify?.readiness, readiness != .ready { add("when " + readiness.rawValue) }
    guard let download = feed.sharedDownload else { return }
    add("download")
    add(number: download.fingerprint)
    add(feed.firstRunDownload)
  }

  /// Adds pushes, habits and the delay of notifications; nothing for the defaults.
  fileprivate mutating func add(pushing feed: FeedSpec) {
    if feed.adaptsToHabits { add("habits") }
    if let delay = feed.notify?.delay, delay != .zero { add("delay " + delay.text) }
    guard feed.sharedPush != .standard else { return }
    add("push")
    for template in [feed.push.url, feed.push.description] {
      if let template { add(template) } else { add(nil) }
    }
    add("\(feed.push.limit.count)/\(feed.push.limit.interval.text)")
  }

  /// Adds the limit of contents; nothing for the default, as above.
  fileprivate mutating func add(keeping limit: ByteCount?) {
    guard limit != DetailBounds.content else { return }
    add("content " + (limit.map { String($0.bytes) } ?? "none"))
  }

  /// Adds the body; nothing without one.
  fileprivate mutating func add(sending body: RequestBody?) {
    guard let body else { return }
    add("body " + body.mediaType)
    for piece in body.pieces {
      switch piece {
      case .text(let text): add(text)
      case .secret(let secret), .quotedSecret(let secret): add(.secret(secret))
      }
    }
  }

  fileprivate mutating func add(number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      add(byte: UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
  }

  fileprivate mutating func add(_ rule: UpdatedRule) {
    add(rule.isReported ? "notify" : "silent")
    if rule.atMost != UpdatedRule.notify.atMost { add("at most " + rule.atMost.text) }
  }

  fileprivate mutating func add(_ rule: FirstRun) {
    switch rule {
    case .none: add("none")
    case .latest: add("latest")
    case .all: add("all")
    case .newest(let count): add(String(count))
    }
  }

  fileprivate mutating func add(_ text: SecretText) {
    switch text {
    case .plain(let text): add(text)
    case .secret(.environment(let name)): add("env " + name)
    case .secret(.file(let path)): add("file " + path)
    case .secret(.credential(let name)): add("credential " + name)
    case .secret(.command(let arguments)): add(list: ["command"] + arguments)
    }
  }

  /// Adds texts with their number, so that consecutive lists are unambiguous.
  fileprivate mutating func add(list: [String]) {
    add(String(list.count))
    for text in list { add(text) }
  }

  fileprivate mutating func add(notifying notify: NotifySpec?) {
    guard let notify else { return add(nil as String?) }
    add(list: notify.hooks ?? ["*"])
    add(notify.group.rawValue)
    add(notify.sound)
    add(notify.urgency.rawValue)
    add(notify.hours.text)
    add(String(notify.failures))
    for template in [notify.title, notify.body, notify.identifier] { add(template) }
    if !notify.item.parts.isEmpty { add(notify.item) }
  }

  fileprivate mutating func add(_ template: Template) {
    add(String(template.parts.count))
    for part in template.parts {
      switch part {
      case .literal(let text): add(text)
      case .placeholder(let name, let format): add(list: [name, format ?? ""])
      }
    }
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

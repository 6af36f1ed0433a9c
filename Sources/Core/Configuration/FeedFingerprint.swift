// Fingerprints of the request of a feed, by which an edit is noticed.

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

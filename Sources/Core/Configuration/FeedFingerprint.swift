// A number for all that the configuration says of a feed, so that an edit can be noticed.

extension FeedSpec {
  /// A fingerprint of everything configured for the feed; secrets count by where they come from, not by their
  /// value.
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
    case .bearer(let token): print.add(.secret(token))
    case .netrc: print.add("netrc")
    case nil: print.add(nil)
    }
    print.add(list: filter.include)
    print.add(list: filter.exclude)
    print.add(identity.rawValue)
    print.add(updated.rawValue)
    print.add(firstRun)
    print.add(notifying: notify)
    print.add(downloading: self)
    print.add(pushing: self)
    print.add(number: sharedNetwork.fingerprint)
    return print.value
  }

  /// A fingerprint of all that its validators depend on; nil where a secret is part of that.
  public var requestFingerprint: UInt64? { file.map { fingerprint(of: $0) } ?? plainAccess?.fingerprint }

  /// A fingerprint of a feed's file and of how it is read, on which its validators depend.
  public func fingerprint(of file: FileAddress) -> UInt64 {
    var print = Fingerprint()
    print.add(file.text)
    print.add(kind)
    return print.value
  }

  /// The access to the feed where no secret is part of it; nil otherwise.
  public var plainAccess: FeedAccess? {
    guard let address else { return nil }
    var access = FeedAccess(address: address)
    access.userAgent = network.userAgent
    access.kind = kind
    for header in headers {
      guard case .plain(let value) = header.value else { return nil }
      access.headers.append(HeaderField(header.name, value))
    }
    switch authentication {
    case nil: return access
    case .netrc:
      access.credentials = .netrc
      return access
    case .basic, .bearer: return nil
    }
  }
}

extension Fingerprint {
  /// Adds what an answer is, and where a mapping finds items and their parts in it; nothing for a feed.
  mutating func add(_ kind: FeedKind) {
    switch kind {
    case .feed: break
    case .json(let mapping):
      add(list: mapping.items.map(\.text))
      for part in JSONMapping.Part.allCases { add(list: (mapping.parts[part] ?? []).map(\.text)) }
    case .asset: add("asset")
    }
  }

  /// Adds what is downloaded of a feed; nothing where all of it is as in a configuration that knows no downloads.
  ///
  /// So a new version of the program changes the fingerprint of no feed.
  fileprivate mutating func add(downloading feed: FeedSpec) {
    if let readiness = feed.notify?.readiness, readiness != .ready { add("when " + readiness.rawValue) }
    guard let download = feed.sharedDownload else { return }
    add("download")
    add(number: download.fingerprint)
    add(feed.firstRunDownload)
  }

  /// Adds what pushes, habits and a delay change of a feed; nothing where all of it is as if nobody had said anything.
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

  fileprivate mutating func add(number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      add(byte: UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
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

  /// Adds texts and how many they are, so that lists that follow each other cannot be taken for others.
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

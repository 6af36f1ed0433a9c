// A number for all that the configuration says of a feed, so that an edit can be noticed.

public import Model
import Timing

extension FeedSpec {
  /// A fingerprint of everything configured for the feed; secrets count by where they come from, not by their
  /// value.
  public var fingerprint: UInt64 {
    var print = Fingerprint()
    print.add(url)
    print.add(title)
    print.add(mapping: kind.mapping)
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
    switch firstRun {
    case .none: print.add("none")
    case .latest: print.add("latest")
    case .all: print.add("all")
    case .newest(let count): print.add(String(count))
    }
    print.add(notifying: notify)
    for shift in stride(from: 0, to: 64, by: 8) {
      print.add(byte: UInt8(truncatingIfNeeded: sharedNetwork.fingerprint >> UInt64(shift)))
    }
    return print.value
  }

  /// A fingerprint of all that its validators depend on; nil where a secret is part of that.
  public var requestFingerprint: UInt64? { file.map { fingerprint(of: $0) } ?? plainAccess?.fingerprint }

  /// A fingerprint of a feed's file and of how it is read, on which its validators depend.
  public func fingerprint(of file: FileAddress) -> UInt64 {
    var print = Fingerprint()
    print.add(file.text)
    print.add(mapping: kind.mapping)
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
  /// Adds where a mapping finds items and their parts; nothing for no mapping.
  mutating func add(mapping: JSONMapping?) {
    guard let mapping else { return }
    add(list: mapping.items.map(\.text))
    for part in JSONMapping.Part.allCases { add(list: (mapping.parts[part] ?? []).map(\.text)) }
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
    for template in [notify.title, notify.body, notify.identifier] {
      add(String(template.parts.count))
      for part in template.parts {
        switch part {
        case .literal(let text): add(text)
        case .placeholder(let name, let format): add(list: [name, format ?? ""])
        }
      }
    }
  }
}

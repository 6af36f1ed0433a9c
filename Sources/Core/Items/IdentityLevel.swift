// What tells items apart, one thing after another.

/// One thing that items may be told apart by.
enum IdentityLevel: CaseIterable {
  case guid, link, title, content
  /// The date, and where an item has none its content.
  case dateOrContent

  /// What tells items with these keys apart under a rule: the first decides, and each further one is asked where a
  /// document or the store has the ones before it more than once.
  static func chain(_ keys: IdentityKeys, _ rule: IdentityRule) -> [IdentityLevel] {
    if rule == .guid, keys.guid != nil { return [.guid, .link, .title, .dateOrContent] }
    if rule != .title, keys.link != nil { return [.link, .title, .dateOrContent] }
    if rule == .title, keys.title != nil { return [.title, .dateOrContent] }
    return [.content, .dateOrContent]
  }

  /// The rule by whose name people know it; nil where it has none.
  var rule: IdentityRule? {
    switch self {
    case .guid: .guid
    case .link: .link
    case .title: .title
    case .content, .dateOrContent: nil
    }
  }

  /// What an item of a document has here.
  func value(of sighting: Sighting) -> IdentityValue {
    if self == .dateOrContent, let date = sighting.date { return .date(date) }
    return .key(key(of: sighting.keys))
  }

  /// What a known item has here; for the date also what counts where the document has none.
  func values(of known: KnownItem) -> [IdentityValue] {
    let key = IdentityValue.key(key(of: known.keys))
    guard self == .dateOrContent, let date = known.published else { return [key] }
    return [.date(date), key]
  }

  /// The key that counts here, of all that an item has; nil where it has none.
  func key(of keys: IdentityKeys) -> UInt64? {
    switch self {
    case .guid: keys.guid
    case .link: keys.link
    case .title: keys.title
    case .content, .dateOrContent: keys.content
    }
  }
}

/// What an item has at one level.
enum IdentityValue: Hashable {
  case key(UInt64?)
  case date(Instant)
}

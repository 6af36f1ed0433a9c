// Feeds that were renamed in the configuration: a name is what a person calls a feed, and what it requests is what it is.

/// The name of a feed of the configuration or the store, and what tells it apart from others.
public struct FeedTraits: Equatable, Sendable {
  public var name: FeedName
  /// The fingerprint of all its keys.
  public var configuration: UInt64?
  /// The fingerprint of its request; nil if that includes a secret, or was never made.
  public var request: UInt64?

  public init(name: FeedName, configuration: UInt64?, request: UInt64?) {
    (self.name, self.configuration, self.request) = (name, configuration, request)
  }

  public init(_ feed: FeedSpec) {
    self.init(name: feed.name, configuration: feed.fingerprint, request: feed.requestFingerprint)
  }

  /// Whether nothing says that this feed of the configuration is another one than the stored feed of its name.
  ///
  /// - Parameter keys: the fingerprints of the keys of all stored feeds, which count if the request includes a secret.
  fileprivate func mayBe(_ stored: FeedTraits, _ keys: Set<UInt64?>) -> Bool {
    if configuration != nil, configuration == stored.configuration { return true }
    guard let former = stored.request else { return stored.configuration != nil }
    return request.map { $0 == former } ?? !keys.contains(configuration)
  }
}

/// A new name of a feed.
public struct FeedRename: Equatable, Sendable {
  public var former: FeedName
  public var name: FeedName

  public init(_ former: FeedName, _ name: FeedName) { (self.former, self.name) = (former, name) }
}

/// The new names of stored feeds, by what the configuration requests under which name.
///
/// A feed keeps its name if its request is unchanged. Otherwise it is the one stored feed with the same keys, or else the one
/// with the same request, that no other feed of the configuration is. Without one it keeps its name, too: then its address has
/// changed. Names may be swapped.
///
/// - Parameters:
///   - configured: the feeds of the configuration.
///   - stored: the stored feeds that have their names or their fingerprints.
public func feedRenames(of stored: [FeedTraits], in configured: [FeedTraits]) -> [FeedRename] {
  let rows = Dictionary(stored.map { ($0.name, $0) }) { first, _ in first }
  let keys = Set(stored.map(\.configuration))
  let changed = configured.filter { feed in rows[feed.name].map { !feed.mayBe($0, keys) } ?? true }
  let unchanged = Set(configured.map(\.name)).subtracting(changed.map(\.name))
  /// The former names by the new ones.
  var formerNames: [FeedName: FeedName] = [:]
  var taken = unchanged
  for trait in [\FeedTraits.configuration, \FeedTraits.request] {
    let wanted = Dictionary(grouping: changed.filter { formerNames[$0.name] == nil }) { $0[keyPath: trait] }
    let left = Dictionary(grouping: stored.filter { !taken.contains($0.name) }) { $0[keyPath: trait] }
    for (value, feeds) in wanted where value != nil && feeds.count == 1 {
      guard let found = left[value], found.count == 1 else { continue }
      formerNames[feeds[0].name] = found[0].name
      taken.insert(found[0].name)
    }
  }
  // A stored feed whose name another one gets, and that gets none itself, gets the name that becomes free.
  for name in formerNames.keys.sorted() where rows[name] != nil && !taken.contains(name) {
    var (chain, free) = ([name], name)
    while let former = formerNames[free] {
      free = former
      chain.append(free)
    }
    if configured.contains(where: { $0.name == free }) {
      // It would be taken for a feed that it is not.
      for name in chain { formerNames[name] = nil }
    } else {
      formerNames[free] = name
    }
  }
  return formerNames.map { FeedRename($1, $0) }.sorted { $0.name < $1.name }
}

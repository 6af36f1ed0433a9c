// The configured feeds: feeds of the files, in memory, and feeds of the catalog, each read when it is asked for. So a
// command about one feed of a hundred thousand reads one, and a run never has all of them in memory.

/// All configured feeds: feeds of the files in their order, then feeds of the catalog by name.
///
/// Iterating reads the catalog part by part; `all` has its feeds in memory together.
public struct FeedList: Sequence, Sendable {
  fileprivate let own: OwnFeeds
  fileprivate let catalog: (any FeedCatalog)?
  private let settings: CatalogSettings

  public init(_ feeds: [FeedSpec]) { self.init(OwnFeeds(feeds), nil, CatalogSettings()) }

  private init(_ own: OwnFeeds, _ catalog: (any FeedCatalog)?, _ settings: CatalogSettings) {
    (self.own, self.catalog, self.settings) = (own, catalog, settings)
  }

  /// The list with the feeds of a catalog; the files have precedence.
  public func joined(with catalog: any FeedCatalog, _ settings: CatalogSettings) -> FeedList {
    FeedList(own, catalog, settings)
  }

  /// The list with a feed in place of the one with its name.
  public func replacing(_ feed: FeedSpec) -> FeedList {
    FeedList(OwnFeeds(own.all.filter { $0.name != feed.name } + [feed]), catalog, settings)
  }

  /// The feeds of the files.
  public var ofFiles: [FeedSpec] { own.all }
  /// Whether the store has a catalog.
  public var haveCatalog: Bool { catalog != nil }

  public var isEmpty: Bool { own.all.isEmpty && first == nil }
  public var first: FeedSpec? { parts.first { _ in true }?.first }
  public var underestimatedCount: Int { own.all.count }

  public var count: Int {
    own.all.count + (catalog.map { $0.count - $0.known(among: Array(own.indexByName.keys)).count } ?? 0)
  }

  /// The feeds as an array.
  public var all: [FeedSpec] { catalog == nil ? own.all : parts.flatMap(\.self) }

  /// The feeds in parts of at most a thousand.
  public var parts: FeedParts { FeedParts(self, nil) }

  /// The feeds of these names in parts of at most a thousand, each part in the order of the configuration; nil means all.
  public func parts(of names: [FeedName]?) -> FeedParts { FeedParts(self, names) }

  public func makeIterator() -> some IteratorProtocol<FeedSpec> { parts.joined().makeIterator() }

  /// The feed of a name; nil if there is none.
  public subscript(name: FeedName) -> FeedSpec? {
    if let index = own.indexByName[name] { return own.all[index] }
    return catalog == nil ? nil : named(CollectionOfOne(name)).first
  }

  /// The feeds of these names, in the order of the configuration; names without a feed are left out.
  public func named(_ names: some Sequence<FeedName>) -> [FeedSpec] {
    let wanted = Set(names)
    let known = wanted.compactMap { own.indexByName[$0] }.sorted().map { own.all[$0] }
    guard let catalog, known.count < wanted.count else { return known }
    return known
      + catalog.feeds(named: wanted.filter { own.indexByName[$0] == nil }.sorted()).map(settings.spec)
  }

  public var names: FeedNames { FeedNames(self) }

  /// A page of the catalog without the names that files have, and the name for the next page; nil at the end.
  fileprivate func page(after name: String?, limit: Int) -> (feeds: [FeedSpec], end: String?) {
    guard let (feeds, end) = catalog?.page(after: name, limit: limit) else { return ([], nil) }
    return (feeds.filter { own.indexByName[$0.name] == nil }.map(settings.spec), end)
  }
}

extension FeedList: ExpressibleByArrayLiteral, Equatable {
  public init(arrayLiteral feeds: FeedSpec...) { self.init(feeds) }

  public static func == (left: FeedList, right: FeedList) -> Bool {
    (left.own === right.own || left.own.all == right.own.all)
      && left.catalog?.version == right.catalog?.version
      && left.settings == right.settings
  }
}

/// The feeds of a list in parts of at most a thousand, without empty ones.
public struct FeedParts: Sequence, IteratorProtocol {
  private let feeds: FeedList
  private let names: [FeedName]?
  private var nextIndex = 0
  private var last: String?
  private var isAtEnd = false

  private static let limit = 1000

  fileprivate init(_ feeds: FeedList, _ names: [FeedName]?) { (self.feeds, self.names) = (feeds, names) }

  public mutating func next() -> [FeedSpec]? {
    while !isAtEnd {
      let part = read()
      if !part.isEmpty { return part }
    }
    return nil
  }

  private mutating func read() -> [FeedSpec] {
    let (start, count) = (nextIndex, names?.count ?? feeds.own.all.count)
    if start < count {
      nextIndex = Swift.min(start + Self.limit, count)
      return names.map { feeds.named($0[start..<nextIndex]) } ?? Array(feeds.own.all[start..<nextIndex])
    }
    let (part, end) = names == nil ? feeds.page(after: last, limit: Self.limit) : ([], nil)
    last = end
    isAtEnd = end == nil
    return part
  }
}

/// The names of all configured feeds.
public struct FeedNames: Sequence, Sendable {
  private let feeds: FeedList

  fileprivate init(_ feeds: FeedList) { self.feeds = feeds }

  public init(_ names: some Sequence<FeedName>) {
    self.init(FeedList(names.map { FeedSpec(name: $0, url: .plain("")) }))
  }

  public func contains(_ name: FeedName) -> Bool {
    feeds.own.indexByName[name] != nil || feeds.catalog?.known(among: [name]).isEmpty == false
  }

  /// The address of a feed; nil if it has none on the web, or it is a secret.
  public func address(of name: FeedName) -> WebAddress? { feeds[name]?.address }

  /// The configured names among some; the catalog is asked once.
  public func known(among names: [FeedName]) -> Set<FeedName> {
    let own = Set(names.filter { feeds.own.indexByName[$0] != nil })
    guard let catalog = feeds.catalog, own.count < names.count else { return own }
    return own.union(catalog.known(among: names.filter { !own.contains($0) }))
  }

  /// Tells sets of names apart; their order does not matter.
  public var fingerprint: UInt64 {
    feeds.own.namesFingerprint &+ UInt64(bitPattern: feeds.catalog?.version ?? 0)
  }

  public func makeIterator() -> some IteratorProtocol<FeedName> {
    feeds.parts.lazy.flatMap { $0.lazy.map(\.name) }.makeIterator()
  }
}

extension FeedNames: ExpressibleByArrayLiteral {
  public init(arrayLiteral names: FeedName...) { self.init(names) }
}

/// The feeds of the catalog, which others may change meanwhile; what cannot be read is left out.
public protocol FeedCatalog: AnyObject, Sendable {
  /// The version when it was opened, which every change raises.
  var version: Int64 { get }
  var count: Int { get }
  /// The feeds with these names, by name.
  func feeds(named names: [FeedName]) -> [CatalogFeed]
  /// The names among these that have a feed.
  func known(among names: [FeedName]) -> Set<FeedName>
  /// The feeds after a name, by name, and the name for the next page; nil at the end.
  func page(after name: String?, limit: Int) -> (feeds: [CatalogFeed], end: String?)
}

/// The feeds of the files.
private final class OwnFeeds: Sendable {
  let all: [FeedSpec]
  let indexByName: [FeedName: Int]
  /// The sum of the fingerprints of all names.
  let namesFingerprint: UInt64

  init(_ feeds: [FeedSpec]) {
    all = feeds
    // By index, so that no feed is copied for its name.
    indexByName = Dictionary(feeds.indices.map { (feeds[$0].name, $0) }) { first, _ in first }
    namesFingerprint = indexByName.keys.reduce(0) { $0 &+ Fingerprint(of: $1.text).value }
  }
}

// The feeds of a configuration as a collection that can read each feed when it is asked for: a command about one feed
// of a hundred thousand reads one.

/// All configured feeds, in the order of the configuration.
///
/// A feed found by its name costs that feed. Iterating, or `all`, reads the whole list.
public struct FeedList: RandomAccessCollection, Sendable {
  private let source: any FeedSource

  public init(_ feeds: [FeedSpec]) { source = FeedsInMemory(feeds) }

  public init(_ source: any FeedSource) { self.source = source }

  public var startIndex: Int { 0 }
  public var endIndex: Int { source.count }
  public subscript(place: Int) -> FeedSpec { source.all[place] }
  public func makeIterator() -> IndexingIterator<[FeedSpec]> { source.all.makeIterator() }

  /// Whether each feed is read when it is asked for.
  public var areIndexed: Bool { !(source is FeedsInMemory) }

  /// The feeds as an array.
  public var all: [FeedSpec] { source.all }

  /// The feeds in parts of at most a thousand, so that the feeds of a large configuration are never in memory together.
  public var parts: some Sequence<[FeedSpec]> {
    stride(from: 0, to: source.count, by: Self.largestPart).lazy.map { [source] start in
      source.feeds(at: Array(start..<Swift.min(start + Self.largestPart, source.count)))
    }
  }

  private static let largestPart = 1000

  /// The feed of a name; nil if there is none.
  public subscript(name: FeedName) -> FeedSpec? {
    source.place(of: name).flatMap { source.feeds(at: [$0]).first }
  }

  /// The feeds of these names, in the order of the configuration; names without a feed are left out.
  public func named(_ names: some Sequence<FeedName>) -> [FeedSpec] {
    source.feeds(at: Set(names).compactMap(source.place).sorted())
  }

  public var names: FeedNames { FeedNames(source) }

  /// The environment variables with secrets of feeds, which hooks do not get.
  public var secretVariables: Set<String> { source.secretVariables }
}

extension FeedList: ExpressibleByArrayLiteral, Hashable {
  public init(arrayLiteral feeds: FeedSpec...) { self.init(feeds) }

  public static func == (left: FeedList, right: FeedList) -> Bool {
    left.source === right.source || left.source.all == right.source.all
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(source.count) }
}

/// The names of all configured feeds.
public struct FeedNames: Sequence, Sendable {
  private let source: any FeedSource

  fileprivate init(_ source: any FeedSource) { self.source = source }

  public init(_ names: some Sequence<FeedName>) {
    source = FeedsInMemory(names.map { FeedSpec(name: $0, url: .plain("")) })
  }

  public var isEmpty: Bool { source.count == 0 }
  public func contains(_ name: FeedName) -> Bool { source.place(of: name) != nil }
  public func makeIterator() -> IndexingIterator<[FeedName]> { source.names.makeIterator() }
}

extension FeedNames: ExpressibleByArrayLiteral, Hashable {
  public init(arrayLiteral names: FeedName...) { self.init(names) }

  public static func == (left: FeedNames, right: FeedNames) -> Bool {
    left.source === right.source || Set(left) == Set(right)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(source.count) }
}

/// The source of the feeds of a list.
public protocol FeedSource: AnyObject, Sendable {
  var count: Int { get }
  /// All feeds, in the order of the configuration.
  var all: [FeedSpec] { get }
  /// The names of all feeds, in the order of the configuration.
  var names: [FeedName] { get }
  /// The place of a feed in the configuration; nil if there is no feed of this name.
  func place(of name: FeedName) -> Int?
  /// The feeds at these places.
  func feeds(at places: [Int]) -> [FeedSpec]
  var secretVariables: Set<String> { get }
}

/// Feeds that have been read.
private final class FeedsInMemory: FeedSource {
  let all: [FeedSpec]
  private let places: [FeedName: Int]

  init(_ feeds: [FeedSpec]) {
    all = feeds
    places = Dictionary(feeds.enumerated().map { ($1.name, $0) }) { first, _ in first }
  }

  var count: Int { all.count }
  var names: [FeedName] { all.map(\.name) }
  func place(of name: FeedName) -> Int? { places[name] }
  func feeds(at places: [Int]) -> [FeedSpec] { places.map { all[$0] } }

  var secretVariables: Set<String> { Set(all.lazy.flatMap(\.secretVariables)) }
}

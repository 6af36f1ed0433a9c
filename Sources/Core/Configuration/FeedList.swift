// The feeds of a configuration as a sequence that can read each feed when it is asked for: a command about one feed of a
// hundred thousand reads one, and a run never has all of them in memory.

/// All configured feeds, in the order of the configuration.
///
/// A feed found by its name costs that feed. Iterating reads the feeds part by part; `all` has them in memory together.
public struct FeedList: Sequence, Sendable {
  fileprivate let source: any FeedSource

  public init(_ feeds: [FeedSpec]) { source = FeedsInMemory(feeds) }

  public init(_ source: any FeedSource) { self.source = source }

  public var count: Int { source.count }
  public var isEmpty: Bool { source.count == 0 }
  public var underestimatedCount: Int { source.count }
  public var first: FeedSpec? { isEmpty ? nil : source.feeds(at: [0]).first }

  /// Whether each feed is read when it is asked for.
  public var areIndexed: Bool { !(source is FeedsInMemory) }

  /// The feeds as an array.
  public var all: [FeedSpec] { source.feeds(in: 0..<source.count) }

  /// The feeds in parts of at most a thousand.
  public var parts: some Sequence<[FeedSpec]> { parts(of: nil) }

  /// The feeds of these names in parts of at most a thousand, each part in the order of the configuration; nil means all.
  public func parts(of names: [FeedName]?) -> some Sequence<[FeedSpec]> {
    inParts(of: names?.count ?? count) { range in names.map { named($0[range]) } ?? source.feeds(in: range) }
  }

  public func makeIterator() -> some IteratorProtocol<FeedSpec> { parts.joined().makeIterator() }

  /// The feed of a name; nil if there is none.
  public subscript(name: FeedName) -> FeedSpec? {
    source.place(of: name).flatMap { source.feeds(at: [$0]).first }
  }

  /// The feeds of these names, in the order of the configuration; names without a feed are left out.
  public func named(_ names: some Sequence<FeedName>) -> [FeedSpec] {
    source.feeds(at: Set(names).compactMap(source.place).sorted())
  }

  public var names: FeedNames { FeedNames(source) }

  /// These feeds and those of another source, but for names that are among these.
  public func joined(with more: any FeedSource) -> FeedList {
    more.count == 0 ? self : FeedList(JoinedFeeds(source, more))
  }

  /// The facts about all feeds that a run needs at once.
  public var facts: FeedListFacts { source.facts }
}

extension FeedList: ExpressibleByArrayLiteral, Hashable {
  public init(arrayLiteral feeds: FeedSpec...) { self.init(feeds) }

  public static func == (left: FeedList, right: FeedList) -> Bool {
    left.source === right.source || left.elementsEqual(right)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(source.count) }
}

/// Facts about all feeds of a list, collected when they are read.
public struct FeedListFacts: Hashable, Sendable {
  /// The environment variables with secrets of feeds, which hooks do not get.
  public var secretVariables: Set<String> = []
  /// The files with the certificates that feeds trust.
  public var certificateFiles: Set<String> = []

  public init() {}

  public mutating func add(_ feed: FeedSpec) {
    secretVariables.formUnion(feed.secretVariables)
    if let file = feed.network.caFile { certificateFiles.insert(file) }
  }
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

  /// Tells sets of names apart; their order does not matter.
  public var fingerprint: UInt64 { source.namesFingerprint }

  public func makeIterator() -> some IteratorProtocol<FeedName> {
    inParts(of: source.count) { [source] in source.names(in: $0) }.joined().makeIterator()
  }
}

extension FeedNames: ExpressibleByArrayLiteral {
  public init(arrayLiteral names: FeedName...) { self.init(names) }
}

/// The source of the feeds of a list.
public protocol FeedSource: AnyObject, Sendable {
  var count: Int { get }
  var facts: FeedListFacts { get }
  /// The sum of the fingerprints of all names.
  var namesFingerprint: UInt64 { get }
  /// The feeds at these places, in the order of the configuration; none if they cannot be read.
  func feeds(in places: Range<Int>) -> [FeedSpec]
  /// The names of the feeds at these places.
  func names(in places: Range<Int>) -> [FeedName]
  /// The place of a feed in the configuration; nil if there is no feed of this name.
  func place(of name: FeedName) -> Int?
  /// The feeds at these places, which ascend; none if one of them cannot be read.
  func feeds(at places: [Int]) -> [FeedSpec]
}

/// The feeds of two sources, one after the other; of a name that both have, the first.
private final class JoinedFeeds: FeedSource {
  private let first: any FeedSource
  private let second: any FeedSource
  /// The places of the second source whose names the first one has; usually none.
  private let hidden: [Int]

  init(_ first: any FeedSource, _ second: any FeedSource) {
    self.first = first
    self.second = second
    hidden = first.names(in: 0..<first.count).compactMap(second.place).sorted()
  }

  var count: Int { first.count + second.count - hidden.count }

  var facts: FeedListFacts {
    var facts = first.facts
    facts.secretVariables.formUnion(second.facts.secretVariables)
    facts.certificateFiles.formUnion(second.facts.certificateFiles)
    return facts
  }

  var namesFingerprint: UInt64 {
    second.names(at: hidden).reduce(first.namesFingerprint &+ second.namesFingerprint) {
      $0 &- Fingerprint(of: $1.text).value
    }
  }

  func place(of name: FeedName) -> Int? {
    if let place = first.place(of: name) { return place }
    guard let place = second.place(of: name) else { return nil }
    return first.count + place - firstPlace { hidden[$0] >= place }
  }

  func feeds(in places: Range<Int>) -> [FeedSpec] {
    if places.upperBound <= first.count { return first.feeds(in: places) }
    return feeds(at: Array(places))
  }

  func feeds(at places: [Int]) -> [FeedSpec] {
    let (firsts, seconds) = split(places)
    let feeds =
      (firsts.isEmpty ? [] : first.feeds(at: firsts)) + (seconds.isEmpty ? [] : second.feeds(at: seconds))
    return feeds.count == places.count ? feeds : []
  }

  func names(in places: Range<Int>) -> [FeedName] {
    let own = places.clamped(to: 0..<first.count)
    return (own.isEmpty ? [] : first.names(in: own)) + second.names(at: split(Array(places)).seconds)
  }

  /// The places in each of the sources.
  private func split(_ places: [Int]) -> (firsts: [Int], seconds: [Int]) {
    let firsts = Array(places.prefix { $0 < first.count })
    let seconds = places.dropFirst(firsts.count).map { place in
      let visible = place - first.count
      return visible + firstPlace { hidden[$0] - $0 > visible }
    }
    return (firsts, seconds)
  }

  /// The first place in `hidden` for which a condition holds that holds for all later ones.
  private func firstPlace(where holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, hidden.count)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension FeedSource {
  fileprivate func names(at places: [Int]) -> [FeedName] {
    places.isEmpty ? [] : feeds(at: places).map(\.name)
  }
}

/// The results of reading parts of at most a thousand elements.
private func inParts<Part>(
  of count: Int, _ read: @escaping (Range<Int>) -> Part
) -> LazyMapSequence<StrideTo<Int>, Part> {
  stride(from: 0, to: count, by: 1000).lazy.map { read($0..<min($0 + 1000, count)) }
}

/// Feeds that have been read.
private final class FeedsInMemory: FeedSource {
  private let all: [FeedSpec]
  private let places: [FeedName: Int]
  let namesFingerprint: UInt64

  init(_ feeds: [FeedSpec]) {
    all = feeds
    places = Dictionary(feeds.enumerated().map { ($1.name, $0) }) { first, _ in first }
    namesFingerprint = places.keys.reduce(0) { $0 &+ Fingerprint(of: $1.text).value }
  }

  var count: Int { all.count }
  var facts: FeedListFacts { all.reduce(into: FeedListFacts()) { $0.add($1) } }
  func feeds(in places: Range<Int>) -> [FeedSpec] { places == all.indices ? all : Array(all[places]) }
  func names(in places: Range<Int>) -> [FeedName] { all[places].map(\.name) }
  func place(of name: FeedName) -> Int? { places[name] }
  func feeds(at places: [Int]) -> [FeedSpec] { places.map { all[$0] } }
}

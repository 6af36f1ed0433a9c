// The feeds of an indexed configuration, read when they are asked for.

import Core
import Synchronization

/// Feeds that are read from the texts of their files, by the same functions as a whole configuration.
final class IndexedFeeds: FeedSource {
  let facts: FeedListFacts
  private let index: FeedIndex
  private let files: [IndexedFile]
  private let network: NetworkSettings
  private let context: ConfigurationContext
  private let reading = Mutex(Reading())

  private struct Reading {
    /// The files without their feeds, and the defaults of these; nil before the first feed is read.
    var files: [(part: ConfigurationPart, defaults: FeedDraft)]?
    /// Computed when it is first asked for.
    var namesFingerprint: UInt64?
    /// Feeds that were read, by place.
    var known: [Int: FeedSpec] = [:]
  }

  /// The number of feeds that are remembered.
  private static let mostKnown = 4096

  init(
    _ index: FeedIndex, _ files: [IndexedFile], _ facts: FeedListFacts, network: NetworkSettings,
    _ context: ConfigurationContext
  ) {
    self.index = index
    self.files = files
    self.facts = facts
    self.network = network
    var context = context
    context.known = (index, facts)
    self.context = context
  }

  var count: Int { index.count }

  var namesFingerprint: UInt64 {
    reading.withLock { reading in
      let known = reading.namesFingerprint ?? index.namesFingerprint
      reading.namesFingerprint = known
      return known
    }
  }

  func place(of name: FeedName) -> Int? { index.place(of: name.text, in: files.map(\.bytes)) }

  func names(in places: Range<Int>) -> [FeedName] {
    zip(index.files, files).flatMap { indexed, file in
      places.clamped(to: indexed.places).compactMap { index.name(at: $0, file.bytes) }
    }
  }

  func feeds(in places: Range<Int>) -> [FeedSpec] { feeds(at: Array(places)) }

  func feeds(at places: [Int]) -> [FeedSpec] {
    reading.withLock { reading in
      guard places.count <= Self.mostKnown else { return read(places, &reading) }
      let missing = places.filter { reading.known[$0] == nil }
      let read = read(missing, &reading)
      if reading.known.count + read.count > Self.mostKnown {
        let wanted = Set(places)
        reading.known = reading.known.filter { wanted.contains($0.key) }
      }
      for (place, feed) in zip(missing, read) { reading.known[place] = feed }
      return places.compactMap { reading.known[$0] }
    }
  }

  /// Reads the feeds at some places, in order; none if one of them cannot be read.
  private func read(_ places: [Int], _ reading: inout Reading) -> [FeedSpec] {
    guard !places.isEmpty else { return [] }
    let files = reading.files ?? withoutFeeds
    reading.files = files
    var feeds: [FeedSpec] = []
    feeds.reserveCapacity(places.count)
    for (indexed, file) in zip(index.files, files) {
      let own = places.filter(indexed.places.contains)
      guard !own.isEmpty, let text = index.text(ofFeedsAt: own, file.part.bytes) else { continue }
      for entry in feedEntries(in: text, file.part.pass) {
        if let feed = readFeed(entry, file.defaults, file.part.pass) { feeds.append(feed) }
      }
    }
    // The index may be damaged.
    let isWhole =
      feeds.count == places.count && zip(feeds, places).allSatisfy { index.hasName($0.name, at: $1) }
    return isWhole ? feeds : []
  }

  /// The files without their feeds; fewer if the index is damaged.
  private var withoutFeeds: [(part: ConfigurationPart, defaults: FeedDraft)] {
    let parts = files.enumerated().compactMap { number, file in
      ConfigurationPart(
        file.bytes, ConfigurationPass(file: file.name, path: file.path, context: context), number: number)
    }
    return Array(zip(parts, readDefaults(of: parts, network: network)))
  }
}

/// A file of an indexed configuration.
struct IndexedFile: Sendable {
  /// The file as messages name it.
  let name: String
  let path: String
  let bytes: [UInt8]
}

// The feeds of an indexed configuration, read when they are asked for.

import Core
import Synchronization

/// Feeds that are read one by one from the texts of their files, by the same functions as a whole configuration.
final class IndexedFeeds: FeedSource {
  private let index: FeedIndex
  private let files: [IndexedFile]
  private let texts: [[UInt8]]
  private let context: ConfigurationContext
  private let network: NetworkSettings
  let secretVariables: Set<String>
  private let known = Mutex(Known())

  private struct Known {
    var feeds: [Int: FeedSpec] = [:]
    var all: [FeedSpec]?
  }

  init(
    _ index: FeedIndex, _ files: [IndexedFile], _ context: ConfigurationContext, network: NetworkSettings,
    secretVariables: Set<String>
  ) {
    self.index = index
    self.files = files
    texts = files.map(\.bytes)
    self.context = context
    self.network = network
    self.secretVariables = secretVariables
  }

  var count: Int { index.count }

  var all: [FeedSpec] {
    known.withLock { known in
      if let all = known.all { return all }
      let all = read(texts)
      known.all = all
      return all
    }
  }

  var names: [FeedName] { all.map(\.name) }

  func place(of name: FeedName) -> Int? { index.place(of: name.text, in: texts) }

  func feeds(at places: [Int]) -> [FeedSpec] {
    known.withLock { known in
      if let all = known.all { return places.filter(all.indices.contains).map { all[$0] } }
      let missing = places.filter { known.feeds[$0] == nil }.sorted()
      for (place, feed) in zip(missing, read(at: missing)) { known.feeds[place] = feed }
      return places.compactMap { known.feeds[$0] }
    }
  }

  /// Reads the feeds at some places, in order.
  private func read(at places: [Int]) -> [FeedSpec] {
    guard !places.isEmpty else { return [] }
    var texts: [[UInt8]] = []
    for (number, file) in files.enumerated() {
      guard
        let text = index.text(
          ofFile: number, file.bytes, keeping: places.filter(index.files[number].places.contains))
      else { return [] }
      texts.append(text)
    }
    let feeds = read(texts)
    return feeds.count == places.count ? feeds : []
  }

  private func read(_ texts: [[UInt8]]) -> [FeedSpec] {
    let parts = zip(files, texts).enumerated().compactMap { number, file in
      ConfigurationPart(
        file.1, ConfigurationPass(file: file.0.name, path: file.0.path, context: context),
        isIncluded: number > 0)
    }
    return parts.count == files.count ? readFeeds(parts, network: network) : []
  }
}

/// A file of an indexed configuration.
struct IndexedFile: Sendable {
  /// The file as messages name it.
  let name: String
  let path: String
  let bytes: [UInt8]
}

// The copy of the catalog: made from changes, found by name and by place, and refused if it is damaged.

import Core
import Foundation
import TestKit
import Testing

@testable import Machine

@Suite struct CatalogCopyTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.file("catalog") }

  init() throws { directory = try TemporaryDirectory() }

  private func feed(_ number: Int, _ text: String = "") throws -> CatalogFeed {
    try CatalogFeed(
      name: "feed-\(number)", url: "https://a.example/\(number)\(text)",
      profile: number % 3 == 0 ? "slow" : nil,
      tags: number % 5 == 0 ? ["five", "x"] : [])
  }

  /// Makes a new copy of changes, which come in parts of 100.
  private func replace(
    _ old: CatalogCopy?, _ changes: [CatalogChange], version: Int64
  ) async throws -> CatalogCopy? {
    let ordered = changes.sorted { $0.name < $1.name }
    let isDone = try await CatalogCopy.replace(path, old: old, mark: "mark", version: version) { name in
      let page = Array(ordered.filter { change in name.map { change.name.text > $0 } ?? true }.prefix(100))
      return (page, page.last?.name.text)
    }
    return isDone ? CatalogCopy(path, mark: "mark") : nil
  }

  @Test func `random changes give the same feeds as a dictionary`() async throws {
    var random = RandomNumbers(seed: 7)
    var known: [FeedName: CatalogFeed] = [:]
    var copy: CatalogCopy?
    for version in 1...20 {
      var changes: [FeedName: CatalogChange] = [:]
      for _ in 0..<Int.random(in: 0..<400, using: &random) {
        let feed = try feed(
          Int.random(in: 0..<700, using: &random),
          Int.random(in: 0..<2, using: &random) == 0 ? "" : "?v=\(version)")
        let isRemoved = Int.random(in: 0..<4, using: &random) == 0
        changes[feed.name] = CatalogChange(name: feed.name, feed: isRemoved ? nil : feed)
      }
      for change in changes.values { known[change.name] = change.feed }

      let made = try #require(try await replace(copy, Array(changes.values), version: Int64(version)))
      copy = made

      let expected = known.values.sorted { $0.name < $1.name }
      #expect(made.version == version && made.count == expected.count)
      #expect(made.feeds(at: Array(expected.indices)) == expected)
      #expect(expected.indices.allSatisfy { made.place(of: expected[$0].name) == $0 })
      #expect(made.place(of: try #require(FeedName("feed-701"))) == nil)
      #expect(made.place(of: try #require(FeedName("a"))) == nil)
      #expect(made.namesFingerprint == FeedNames(known.keys).fingerprint)
    }
  }

  @Test func `an empty catalog is a copy without feeds`() async throws {
    let copy = try #require(try await replace(nil, [], version: 3))

    #expect(copy.count == 0 && copy.version == 3)
    #expect(copy.place(of: try feed(1).name) == nil)
  }

  @Test func `a copy of another store is not used`() async throws {
    _ = try await replace(nil, [CatalogChange(name: feed(1).name, feed: feed(1))], version: 1)

    #expect(CatalogCopy(path, mark: "other") == nil)
    #expect(CatalogCopy(directory.file("missing"), mark: "mark") == nil)
  }

  @Test func `a damaged copy is refused, or nothing is made of it`() async throws {
    let changes = try (1...200).map { CatalogChange(name: try feed($0).name, feed: try feed($0)) }
    _ = try await replace(nil, changes, version: 1)
    let whole = try Data(contentsOf: URL(filePath: path))
    var random = RandomNumbers(seed: 3)
    for _ in 0..<200 {
      var bytes = whole
      if Int.random(in: 0..<3, using: &random) == 0 {
        bytes.removeLast(1 + Int.random(in: 0..<(bytes.count - 1), using: &random))
      } else {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8(
          Int.random(in: 0..<256, using: &random))
      }
      try bytes.write(to: URL(filePath: path))
      guard let copy = CatalogCopy(path, mark: "mark") else { continue }
      // One changed byte can make another feed of a line, but none is lost without notice.
      #expect(copy.feeds(at: Array(0..<copy.count)).count <= copy.count)
      if let made = try await replace(copy, [], version: 2) { #expect(made.count == 200) }
    }
  }
}

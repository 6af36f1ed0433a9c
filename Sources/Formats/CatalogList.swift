// Lists of feeds for the catalog: lines of JSON objects.

import Core

/// One feed of a list as it is written.
public struct ListedFeed: Equatable, Sendable {
  /// The first line of the feed in the list, counted from 1.
  public var line: Int
  public var name = ""
  public var url = ""
  public var tags: [String] = []

  public init(line: Int) { self.line = line }
}

/// A line that is no JSON object, counted from 1.
public struct CatalogListFailure: Error, Equatable, Sendable {
  public let line: Int
}

/// Passes the feeds of lines of JSON to a function, in their order: objects with `name`, `url`, and perhaps `tags`,
/// a list.
public func readJSONLines(
  _ bytes: [UInt8], _ take: (ListedFeed) throws -> Void
) throws {
  var (line, rest) = (1, bytes[...])
  while !rest.isEmpty {
    let text = rest.prefix { $0 != "\n" }
    if text.contains(where: { $0 > 0x20 }) {
      guard let feed = listedFeed(text, line: line) else { throw CatalogListFailure(line: line) }
      try take(feed)
    }
    rest = rest[text.endIndex...].dropFirst()
    line += 1
  }
}

private func listedFeed(_ text: ArraySlice<UInt8>, line: Int) -> ListedFeed? {
  guard let json = JSONValue(parsing: String(decoding: text, as: UTF8.self)), case .object = json else {
    return nil
  }
  var feed = ListedFeed(line: line)
  feed.name = json["name"]?.string ?? ""
  feed.url = json["url"]?.string ?? ""
  feed.tags = json["tags"]?.elements.compactMap(\.string) ?? []
  return feed
}

// Lists of feeds for the catalog: lines of JSON objects.

/// One feed of a list as it is written.
public struct ListedFeed: Hashable, Sendable {
  /// The first line of the feed in the list, counted from 1.
  public var line: Int
  public var name = ""
  public var url = ""
  public var profile: String?
  public var tags: [String] = []

  public init(line: Int) { self.line = line }
}

/// A line that is no JSON object, counted from 1.
public struct CatalogListFailure: Error, Hashable, Sendable {
  public let line: Int
}

/// Passes the feeds of lines of JSON to a function, in their order: objects with `name`, `url`, and perhaps `profile` and
/// `tags`, a list.
public func readJSONLines(
  _ bytes: [UInt8], _ take: (ListedFeed) throws -> Void
) throws {
  var (line, rest) = (1, bytes[...])
  while !rest.isEmpty {
    let text = rest.prefix { $0 != UInt8(ascii: "\n") }
    if text.contains(where: { $0 > 0x20 }) {
      guard let feed = listedFeed(text, line: line) else { throw CatalogListFailure(line: line) }
      try take(feed)
    }
    rest = rest[text.endIndex...].dropFirst()
    line += 1
  }
}

private func listedFeed(_ text: ArraySlice<UInt8>, line: Int) -> ListedFeed? {
  text.withUnsafeBufferPointer { source in
    var json = JSONScanner(source)
    guard json.peek() == UInt8(ascii: "{"), json.enter("{") else { return nil }
    var feed = ListedFeed(line: line)
    while let member = json.nextMember().map({ String(decoding: $0, as: UTF8.self) }) {
      switch member {
      case "name": feed.name = json.text().map { String(decoding: $0, as: UTF8.self) } ?? ""
      case "url": feed.url = json.text().map { String(decoding: $0, as: UTF8.self) } ?? ""
      case "profile": feed.profile = json.text().map { String(decoding: $0, as: UTF8.self) }
      case "tags":
        guard json.enter("[") else { continue }
        while json.nextValue() {
          if let tag = json.text() { feed.tags.append(String(decoding: tag, as: UTF8.self)) }
        }
      default: json.skip()
      }
    }
    return json.isBroken || json.peek() != 0 ? nil : feed
  }
}

// Lists of feeds for the catalog: CSV (RFC 4180) with a line of names, and lines of JSON objects.

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

/// Why bytes are no such list.
public enum CatalogListFailure: Error, Hashable, Sendable {
  /// A column of this name is missing in the first line.
  case noColumn(String)
  /// A line that is no JSON object, or has a quote that does not end.
  case broken(line: Int)
}

/// Passes the feeds of CSV to a function, in their order.
///
/// The first line has the names of the columns: `name` and `url`, and perhaps `profile` and `tags`, which are separated by
/// blanks or commas; other columns are ignored.
public func readCSV(
  _ bytes: [UInt8], _ take: (ListedFeed) throws -> Void
) throws {
  var reader = CSVReader(bytes)
  let head = try reader.record() ?? []
  func column(_ name: String) -> Int? { head.firstIndex { $0.lowercased() == name } }
  guard let name = column("name") else { throw CatalogListFailure.noColumn("name") }
  guard let url = column("url") else { throw CatalogListFailure.noColumn("url") }
  let (profile, tags) = (column("profile"), column("tags"))
  while true {
    let line = reader.line
    guard let record = try reader.record() else { return }
    guard record != [""] else { continue }
    func value(_ column: Int?) -> String {
      column.flatMap { record.indices.contains($0) ? record[$0] : nil } ?? ""
    }
    var feed = ListedFeed(line: line)
    (feed.name, feed.url) = (value(name), value(url))
    feed.profile = value(profile).isEmpty ? nil : value(profile)
    feed.tags = value(tags).split { $0 == " " || $0 == "," }.map(String.init)
    try take(feed)
  }
}

/// The records of CSV.
private struct CSVReader {
  private let bytes: [UInt8]
  private var position = 0
  private(set) var line = 1

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// The fields of the next record; nil at the end.
  mutating func record() throws(CatalogListFailure) -> [String]? {
    guard position < bytes.count else { return nil }
    var fields: [String] = []
    while true {
      fields.append(try field())
      guard position < bytes.count else { return fields }
      let end = bytes[position]
      position += 1
      if end == UInt8(ascii: ",") { continue }
      if end == UInt8(ascii: "\r"), position < bytes.count, bytes[position] == UInt8(ascii: "\n") {
        position += 1
      }
      line += 1
      return fields
    }
  }

  /// The next field; what ends it is next.
  private mutating func field() throws(CatalogListFailure) -> String {
    let start = position
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
      position = bytes[start...].firstIndex { [44, 10, 13].contains($0) } ?? bytes.count
      return String(decoding: bytes[start..<position], as: UTF8.self)
    }
    let first = line
    var text: [UInt8] = []
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\n") { line += 1 }
      guard byte == UInt8(ascii: "\"") else {
        text.append(byte)
        continue
      }
      // Two quotes stand for one.
      if position < bytes.count, bytes[position] == byte {
        text.append(byte)
        position += 1
      } else if position == bytes.count || [44, 10, 13].contains(bytes[position]) {
        return String(decoding: text, as: UTF8.self)
      } else {
        break
      }
    }
    throw .broken(line: first)
  }
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
      guard let feed = listedFeed(text, line: line) else { throw CatalogListFailure.broken(line: line) }
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

// Lists of subscriptions and seen items as other programs keep them.
//
// Doors: readOtherProgram and readSubscriptions (this file), opmlText (OPML.swift). The lists of urlwatch are YAML, which Config
// reads.

public import Core

/// The content of a file of another program.
public enum OtherProgramFile: Equatable, Sendable {
  /// Feeds.
  case subscriptions([SubscriptionEntry])
  /// Pages to watch, as YAML in UTF-8.
  case watchList([UInt8])
  /// The mailed items of rss2email, by its name of the feed.
  case seenItems([String: MailedItems])
}

/// The items of a feed that rss2email has mailed.
public struct MailedItems: Equatable, Sendable {
  /// Their guids or links.
  public var ids: [String]
  /// The number of items with a checksum of their text instead, which cannot be compared with a later document.
  public var sums: Int

  public init(ids: [String], sums: Int = 0) { (self.ids, self.sums) = (ids, sums) }
}

/// Reads a file of another program, which is distinguished by content.
///
/// - Throws: the reason why it has neither feeds nor seen items.
public func readOtherProgram(_ bytes: [UInt8]) throws(SubscriptionListFailure) -> OtherProgramFile {
  let text = try listText(bytes)
  if text.first(where: { $0 > 0x20 }) == "{" {
    guard let seen = seenItems(text) else { throw .other("JSON") }
    return .seenItems(seen)
  }
  let isWatchList = text.withUnsafeBufferPointer { source in
    TextLines(source).contains { line in
      ["url:", "navigate:", "command:", "- url:"].contains { line.text.hasPrefix($0) }
    }
  }
  return isWatchList ? .watchList(text) : .subscriptions(try subscriptions(in: text))
}

/// The text of a file in UTF-8.
private func listText(_ bytes: [UInt8]) throws(SubscriptionListFailure) -> [UInt8] {
  if let kind = fileKind(bytes) { throw .other(kind) }
  return decodedText(bytes, contentType: nil)
}

/// The ids in the database of rss2email, an object with `feeds`, each with its name and an object of what it has mailed.
private func seenItems(_ text: [UInt8]) -> [String: MailedItems]? {
  guard let feeds = JSONValue(parsing: String(decoding: text, as: UTF8.self))?["feeds"] else { return nil }
  var seen: [String: MailedItems] = [:]
  for feed in feeds.elements {
    guard let name = feed["name"]?.string, case .object(let items)? = feed["seen"] else { continue }
    // An item without a guid, or of a feed with `trust-guid = False`, has the checksum of its text as its id.
    let ids = items.filter { $0.name != $0.value["hash"]?.string }.map(\.name)
    seen[name] = MailedItems(ids: ids, sums: items.count - ids.count)
  }
  return seen.isEmpty ? nil : seen
}

/// The lines of a text, each without blanks at its ends and cut to 64 KiB, longer than any address with its tags.
struct TextLines: Sequence, IteratorProtocol {
  private let source: UnsafeBufferPointer<UInt8>
  private var start = 0
  private var number = 0

  init(_ source: UnsafeBufferPointer<UInt8>) { self.source = source }

  mutating func next() -> (number: Int, text: String)? {
    guard start < source.count else { return nil }
    let end = firstIndex(of: "\n", in: source, from: start) ?? source.count
    defer { start = end + 1 }
    number += 1
    let bytes = source[start..<end].prefix(65_536).drop { $0 <= 0x20 }
    let last = bytes.lastIndex { $0 > 0x20 }
    return (number, last.map { String(decoding: bytes[...$0], as: UTF8.self) } ?? "")
  }
}

/// Reads a list of subscriptions, whose format is distinguished by content: OPML 1.0 and 2.0, newsboat's `urls`, podget's
/// `serverlist` and `podgetrc`, rss2email's configuration.
///
/// Broken documents are read as far as they make sense, in any encoding that feeds come in. At most 100,000 entries are
/// read, the maximum of a configuration. Time and memory are proportional to the size of the list.
///
/// - Parameter bytes: the whole file.
/// - Returns: the entries in the list's order.
/// - Throws: the reason why the bytes are not a list.
public func readSubscriptions(_ bytes: [UInt8]) throws(SubscriptionListFailure) -> [SubscriptionEntry] {
  try subscriptions(in: listText(bytes))
}

private func subscriptions(in text: [UInt8]) throws(SubscriptionListFailure) -> [SubscriptionEntry] {
  guard let first = text.first(where: { $0 > 0x20 }) else { throw .empty }
  let result = text.withUnsafeBufferPointer {
    source -> Result<[SubscriptionEntry], SubscriptionListFailure> in
    if first == "<" { return readOPML(source) }
    let lines = TextLines(source)
    return readMailConfiguration(lines) ?? readPodgetList(lines) ?? readNewsboatList(lines)
  }
  return try result.get()
}

/// The entries read so far, bounded in number.
struct SubscriptionEntries {
  private var entries: [SubscriptionEntry] = []
  private var beyond: (line: Int, count: Int)?

  private static let most = 100_000

  mutating func add(_ subscription: Subscription, line: Int) {
    add(.feed(subscription, line: line), line: line)
  }

  mutating func add(_ kind: SubscriptionRemark.Kind, line: Int) {
    add(.remark(SubscriptionRemark(line: line, kind)), line: line)
  }

  private mutating func add(_ entry: SubscriptionEntry, line: Int) {
    if entries.count < Self.most {
      entries.append(entry)
    } else {
      beyond = (beyond?.line ?? line, (beyond?.count ?? 0) + 1)
    }
  }

  /// Ends the list with a remark on the number of further entries, if there are any.
  mutating func finish() -> [SubscriptionEntry] {
    if let beyond { entries.append(.remark(SubscriptionRemark(line: beyond.line, .tooMany(beyond.count)))) }
    return entries
  }
}

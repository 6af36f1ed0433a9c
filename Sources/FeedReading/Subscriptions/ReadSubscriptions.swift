// Bytes to a list of subscriptions. Which of them can be taken, and under which names, is Planning's business.

public import Core

/// Reads a list of subscriptions: OPML 1.0 and 2.0, or newsboat's file `urls`, told apart by content.
///
/// Broken documents are read as far as they make sense, in any encoding that feeds come in. At most 100,000 entries are
/// read, as many feeds as a configuration may have; time and memory are proportional to the size of the list.
///
/// - Parameter bytes: the whole file.
/// - Returns: its entries in their order.
/// - Throws: what the bytes are instead.
public func readSubscriptions(_ bytes: [UInt8]) throws(SubscriptionListFailure) -> [SubscriptionEntry] {
  if let kind = fileKind(bytes) { throw .other(kind) }
  let text = decodedText(bytes, contentType: nil)
  guard let first = text.first(where: { $0 > 0x20 }) else { throw .empty }
  let result = text.withUnsafeBufferPointer {
    source -> Result<[SubscriptionEntry], SubscriptionListFailure> in
    first == UInt8(ascii: "<") ? readOPML(source) : readNewsboatList(source)
  }
  return try result.get()
}

/// Entries as they are collected, up to a number.
struct SubscriptionEntries {
  /// Those that were read.
  private(set) var entries: [SubscriptionEntry] = []
  private var beyond: (line: Int, count: Int)?

  private static let most = 100_000

  /// Adds a feed.
  mutating func add(_ subscription: Subscription, line: Int) {
    add(.feed(subscription, line: line), line: line)
  }

  /// Adds a remark.
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

  /// All of them, and how many more there were.
  var all: [SubscriptionEntry] {
    guard let beyond else { return entries }
    return entries + [.remark(SubscriptionRemark(line: beyond.line, .tooMany(beyond.count)))]
  }
}

// Lists of subscriptions: recognising them, and newsboat's format. OPML.swift reads the other format.

public import Core

/// Reads a list of subscriptions: OPML 1.0 and 2.0, or newsboat's file `urls`, distinguished by content.
///
/// Broken documents are read as far as they make sense, in any encoding that feeds come in. At most 100,000 entries are
/// read, the maximum of a configuration. Time and memory are proportional to the size of the list.
///
/// - Parameter bytes: the whole file.
/// - Returns: the entries in the list's order.
/// - Throws: the reason why the bytes are not a list.
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

/// Reads newsboat's file `urls`: an address in each line, followed by tags (newsboat(1), "First steps" and "Tags").
///
/// Text in which no line begins with an address is not such a list.
func readNewsboatList(
  _ source: UnsafeBufferPointer<UInt8>
) -> Result<[SubscriptionEntry], SubscriptionListFailure> {
  var entries = SubscriptionEntries()
  var hasAddress = false
  var number = 0
  var start = 0
  while start < source.count {
    let end = place(of: UInt8(ascii: "\n"), in: source, from: start) ?? source.count
    defer { start = end + 1 }
    number += 1
    // Longer than any address with its tags: this bounds the words of a line of 60 MB.
    let words = words(of: source[start..<end].prefix(65_536))
    guard let address = words.first else { continue }
    hasAddress = hasAddress || looksLikeAddress(address)
    takeLine(address, words.dropFirst().prefix(mostTags), line: number, into: &entries)
  }
  return hasAddress ? .success(entries.finish()) : .failure(.other("text"))
}

/// The maximum number of tags of a feed; an import keeps 20.
private let mostTags = 100

private func takeLine(
  _ address: String, _ tags: ArraySlice<String>, line: Int, into entries: inout SubscriptionEntries
) {
  if address.hasPrefix("query:") { return entries.add(.query, line: line) }
  var address = address
  var command: [String] = []
  for kind in ["exec", "filter"] where address.hasPrefix(kind + ":") {
    let rest = address.dropFirst(kind.count + 1)
    let end = kind == "filter" ? rest.firstIndex(of: ":") ?? rest.endIndex : rest.endIndex
    guard let words = plainCommand(rest[..<end]) else { return entries.add(.shellCommand(kind), line: line) }
    command = words
    address = String(rest[end...].dropFirst())
    break
  }
  // As in OPML, so that an exported list is read back the same.
  var subscription = Subscription(url: address.withUTF8(cleanAddress))
  subscription.command = command
  for tag in tags {
    if tag.hasPrefix("~") {
      let title = plainTitle(String(tag.dropFirst()))
      subscription.title = subscription.title ?? title
    } else if tag.hasPrefix("!") {
      entries.add(.hidden, line: line)
    } else {
      subscription.tags.append(tag)
    }
  }
  entries.add(subscription, line: line)
}

/// The words of a command line that mean the same without a shell; nil if there are none, or a shell would change them.
///
/// Quotes join spaces and special characters into words, as in `sed 's/a/b/'`.
private func plainCommand(_ line: Substring) -> [String]? {
  var words: [String] = []
  var word: String?
  var quote: Unicode.Scalar?
  for scalar in line.unicodeScalars {
    if scalar == quote {
      quote = nil
    } else if quote != nil {
      if quote == "\"", "$`\\".unicodeScalars.contains(scalar) { return nil }
      word?.unicodeScalars.append(scalar)
    } else if scalar == " " {
      if let ended = word { words.append(ended) }
      word = nil
    } else if scalar == "'" || scalar == "\"" {
      // Unlike a shell, bgfetch would also expand the "~" of a program's path in quotes.
      if word == nil, words.isEmpty { return nil }
      quote = scalar
      word = word ?? ""
    } else {
      let isHome = scalar == "~" && word == nil && !words.isEmpty
      if isHome || "|&;<>()$`\\*?[]{}#!\n\t".unicodeScalars.contains(scalar) { return nil }
      if word == nil { word = "" }
      word?.unicodeScalars.append(scalar)
    }
  }
  guard quote == nil else { return nil }
  if let ended = word { words.append(ended) }
  return words.isEmpty ? nil : words
}

private func looksLikeAddress(_ text: String) -> Bool {
  ["query:", "exec:", "filter:"].contains { text.hasPrefix($0) } || text.contains("://")
}

private func plainTitle(_ text: String) -> String? {
  var text = text
  return text.withUTF8 { plainTitle($0, .text) }
}

/// The words of a line.
///
/// Double quotes enclose words with spaces, and in them `\` quotes the next character. `#` begins a comment.
private func words(of line: Slice<UnsafeBufferPointer<UInt8>>) -> [String] {
  var words: [String] = []
  var word: [UInt8]?
  var isQuoted = false
  var isEscaped = false
  characters: for byte in line {
    if isEscaped {
      word?.append(byte)
      isEscaped = false
    } else if isQuoted {
      switch byte {
      case UInt8(ascii: "\\"): isEscaped = true
      case UInt8(ascii: "\""): isQuoted = false
      default: word?.append(byte)
      }
    } else if byte <= 0x20 {
      if let ended = word { words.append(String(decoding: ended, as: UTF8.self)) }
      word = nil
    } else if byte == UInt8(ascii: "\"") {
      isQuoted = true
      word = word ?? []
    } else if byte == UInt8(ascii: "#"), word == nil {
      break characters
    } else {
      word = word ?? []
      word?.append(byte)
    }
  }
  if let ended = word { words.append(String(decoding: ended, as: UTF8.self)) }
  return words
}

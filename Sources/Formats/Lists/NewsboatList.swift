// newsboat's file `urls`, a list of addresses with tags.

public import Core

/// Reads newsboat's file `urls`: an address in each line, followed by tags (newsboat(1), "First steps" and "Tags").
///
/// Text in which no line begins with an address is not such a list.
func readNewsboatList(_ lines: TextLines) -> Result<[SubscriptionEntry], SubscriptionListFailure> {
  var entries = SubscriptionEntries()
  var (hasAddress, mayBePodget, hasMarks) = (false, false, false)
  for line in lines {
    let words = words(of: line.text.utf8)
    guard let address = words.first else { continue }
    hasAddress = hasAddress || looksLikeAddress(address)
    mayBePodget = mayBePodget || words.count > 2
    hasMarks =
      hasMarks || !address.hasPrefix("http") || line.text.contains("\"")
      || words.dropFirst().contains { $0.hasPrefix("~") || $0.hasPrefix("!") }
    parseLine(address, words.dropFirst().prefix(mostTags), line: line.number, into: &entries)
  }
  if mayBePodget, !hasMarks {
    entries.add(
      .setting("read as newsboat's urls", "if it is a list of podget, add a line # podget"), line: 1)
  }
  return hasAddress ? .success(entries.finish()) : .failure(.other("text"))
}

/// The maximum number of tags of a feed; an import keeps 20.
private let mostTags = 100

private func parseLine(
  _ address: String, _ tags: ArraySlice<String>, line: Int, into entries: inout SubscriptionEntries
) {
  if address.hasPrefix("query:") {
    let parts = address.dropFirst(6).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    return entries.add(.query(String(parts[0]), parts.count > 1 ? String(parts[1]) : ""), line: line)
  }
  guard var subscription = newsboatSubscription(address) else {
    return entries.add(.shellCommand(address.hasPrefix("exec") ? "exec" : "filter"), line: line)
  }
  for tag in tags {
    if tag.hasPrefix("~") {
      let title = String(tag.dropFirst()).withBytes { plainTitle($0, .text) }
      subscription.title = subscription.title ?? title
    } else if tag.hasPrefix("!") {
      entries.add(.hidden, line: line)
    } else {
      subscription.tags.append(tag)
    }
  }
  entries.add(subscription, line: line)
}

/// A feed as newsboat names it: its address, `exec:COMMAND` or `filter:COMMAND:ADDRESS`; nil if the command needs a shell.
public func newsboatSubscription(_ address: String) -> Subscription? {
  var address = address
  var command: [String] = []
  for kind in ["exec", "filter"] where address.hasPrefix(kind + ":") {
    let rest = address.dropFirst(kind.count + 1)
    let end = kind == "filter" ? rest.firstIndex(of: ":") ?? rest.endIndex : rest.endIndex
    guard let words = plainCommand(rest[..<end]) else { return nil }
    command = words
    address = String(rest[end...].dropFirst())
    break
  }
  // As in OPML, so that an exported list is read back the same.
  var subscription = Subscription(url: address.withUTF8(cleanAddress))
  subscription.command = command
  return subscription
}

private func looksLikeAddress(_ text: String) -> Bool {
  ["query:", "exec:", "filter:"].contains { text.hasPrefix($0) } || text.contains("://")
}

/// The words of a line.
///
/// Double quotes enclose words with spaces, and in them `\` quotes the next character. `#` begins a comment.
private func words(of line: String.UTF8View) -> [String] {
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
      case "\\": isEscaped = true
      case "\"": isQuoted = false
      default: word?.append(byte)
      }
    } else if byte <= 0x20 {
      if let ended = word { words.append(String(decoding: ended, as: UTF8.self)) }
      word = nil
    } else if byte == "\"" {
      isQuoted = true
      word = word ?? []
    } else if byte == "#", word == nil {
      break characters
    } else {
      word = word ?? []
      word?.append(byte)
    }
  }
  if let ended = word { words.append(String(decoding: ended, as: UTF8.self)) }
  return words
}

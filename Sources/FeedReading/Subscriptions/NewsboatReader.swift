// newsboat's file `urls`: an address a line, tags behind it (newsboat(1), "First steps" and "Tags").

import Core

/// Reads newsboat's list; text in which no line begins with something like an address is none.
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
    // More than any address and its tags; without an end to it a line of 60 MB would be split into words.
    let words = words(of: source[start..<end].prefix(65_536))
    guard let address = words.first else { continue }
    hasAddress = hasAddress || looksLikeAddress(address)
    takeLine(address, words.dropFirst().prefix(mostTags), line: number, into: &entries)
  }
  return hasAddress ? .success(entries.all) : .failure(.other("text"))
}

/// More tags than any feed has; an import keeps 20.
private let mostTags = 100

private func takeLine(
  _ address: String, _ tags: ArraySlice<String>, line: Int, into entries: inout SubscriptionEntries
) {
  if address.hasPrefix("query:") { return entries.add(.query, line: line) }
  for kind in ["exec", "filter"] where address.hasPrefix(kind + ":") {
    return entries.add(.program(kind), line: line)
  }
  var subscription = Subscription(url: address)
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

private func looksLikeAddress(_ text: String) -> Bool {
  ["query:", "exec:", "filter:"].contains { text.hasPrefix($0) } || text.contains("://")
}

/// A title that is text and no markup; nil if nothing is left.
private func plainTitle(_ text: String) -> String? {
  var text = text
  return text.withUTF8 { plainTitle($0, .text) }
}

/// The words of a line: separated by blanks, in double quotes where they hold blanks, `\` before what is taken as it
/// is; `#` begins a comment.
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

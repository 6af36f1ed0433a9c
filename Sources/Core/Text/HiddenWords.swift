// Secrets masked in text.

/// Words to mask wherever they occur, in any case of ASCII letters.
public struct HiddenWords: Equatable, Sendable {
  /// The words in lower case, in the order of their bytes.
  private let words: [[UInt8]]
  private let search: WordSearch?

  public init(_ words: some Sequence<String>) {
    self.words = Set(words.map { $0.utf8.map(asciiLowercased) }).filter { !$0.isEmpty }
      .sorted { $0.lexicographicallyPrecedes($1) }
    search = self.words.isEmpty ? nil : WordSearch(self.words)
  }

  public static let none = HiddenWords([])

  var isEmpty: Bool { words.isEmpty }

  /// Whether a text contains one of the words.
  func isIn(_ text: String) -> Bool { parts(of: text) != nil }

  /// These words and those of another value.
  public func union(_ other: HiddenWords) -> HiddenWords {
    other.isEmpty ? self : HiddenWords((words + other.words).map { String(decoding: $0, as: UTF8.self) })
  }

  /// A text with `***` in place of each word, and of words that overlap.
  public func masked(_ text: String) -> String {
    parts(of: text)?.joined(separator: "***") ?? text
  }

  /// The text between the words, or nil if it contains none.
  ///
  /// It compares bytes, so that a combining mark after a word does not prevent a match.
  private func parts(of text: String) -> [String]? {
    guard let search else { return nil }
    var text = text
    return text.withUTF8 { bytes -> [String]? in
      let found = search.ranges(in: bytes)
      guard !found.isEmpty else { return nil }
      return zip([0] + found.map(\.upperBound), found.map(\.lowerBound) + [bytes.count]).map {
        String(decoding: bytes[$0..<$1], as: UTF8.self)
      }
    }
  }
}

/// A search for all words in one pass over a text (Aho and Corasick, "Efficient string matching", 1975).
///
/// Comparing the words one by one at each place would take as long as a server wants, which sets cookies and sends texts that
/// begin like them.
private struct WordSearch: Equatable {
  /// The state after a state and a byte.
  ///
  /// Each state is a beginning of some words; 0 is the empty one.
  private var next: [Int: Int] = [:]
  /// For each state, its longest proper end that is also a state.
  private var shorter = [0]
  /// For each state, the length of the longest word at its end, or 0.
  private var longest = [0]
  private var beginsWord = Array(repeating: false, count: 256)

  init(_ words: [[UInt8]]) {
    // Shorter states come first, because longer ones follow from them.
    var states = Array(repeating: 0, count: words.count)
    for length in 0..<(words.map(\.count).max() ?? 0) {
      for number in words.indices where length < words[number].count {
        let (state, byte) = (states[number], words[number][length])
        let key = Self.key(state, byte)
        if next[key] == nil {
          let end = length == 0 ? 0 : step(shorter[state], byte)
          next[key] = shorter.count
          shorter.append(end)
          longest.append(longest[end])
        }
        states[number] = next[key, default: 0]
        if length + 1 == words[number].count { longest[states[number]] = length + 1 }
      }
    }
    for word in words { beginsWord[Int(word[0])] = true }
  }

  private static func key(_ state: Int, _ byte: UInt8) -> Int { state << 8 | Int(byte) }

  private func step(_ state: Int, _ byte: UInt8) -> Int {
    var state = state
    while true {
      if let found = next[Self.key(state, byte)] { return found }
      if state == 0 { return 0 }
      state = shorter[state]
    }
  }

  /// The places of words, in their order; those of words that overlap are one.
  func ranges(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var state = 0
    for index in text.indices {
      let byte = asciiLowercased(text[index])
      if state == 0, !beginsWord[Int(byte)] { continue }
      state = step(state, byte)
      guard longest[state] > 0 else { continue }
      var start = index + 1 - longest[state]
      while let last = found.last, last.upperBound > start {
        start = min(start, last.lowerBound)
        found.removeLast()
      }
      found.append(start..<(index + 1))
    }
    return found
  }
}

/// A text of libcurl, libpq, SQLite or an S3 server with known secrets and the user parts of addresses masked.
///
/// All such texts enter through this function. The user part ends with the last `@`, and begins after the first `://` or else
/// after a blank or a quote, because a malformed one may contain anything.
public func libraryText(_ text: String, hiding hidden: HiddenWords = .none) -> String {
  let text = hidden.masked(text)
  let at: UInt8 = "@"
  guard let last = text.utf8.lastIndex(of: at) else { return text }
  if let mark = text.utf8[..<last].firstRange(of: "://".utf8) {
    return text[..<mark.upperBound] + "***" + text[last...]
  }
  let parts = text.utf8.split(separator: at, omittingEmptySubsequences: false)
  return parts.enumerated().map { index, part in
    guard index < parts.count - 1 else { return String(Substring(part)) }
    let blank = part.lastIndex { $0 <= 0x20 || "'\"".utf8.contains($0) }
    return String(Substring(part[..<(blank.map(part.index(after:)) ?? part.startIndex)])) + "***"
  }.joined(separator: "@")
}

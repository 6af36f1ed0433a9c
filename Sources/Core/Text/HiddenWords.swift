// Words that must not be shown or kept, and text without them.

/// Words to mask wherever they occur, in whatever case of ASCII they are written.
public struct HiddenWords: Hashable, Sendable {
  /// The words in lower case, the longest first.
  private let words: [[UInt8]]
  /// The first bytes of the words.
  private let firstBytes: Set<UInt8>

  /// Words to mask; empty ones are left out.
  public init(_ words: some Sequence<String>) {
    self.words = Set(words.map { $0.utf8.map(asciiLowercased) }).filter { !$0.isEmpty }
      .sorted { $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count > $1.count }
    firstBytes = Set(self.words.compactMap(\.first))
  }

  /// No words.
  public static let none = HiddenWords([])

  /// Whether there is nothing to mask.
  public var isEmpty: Bool { words.isEmpty }

  /// Whether a text holds one of the words.
  public func isIn(_ text: String) -> Bool { !isEmpty && parts(of: text) != nil }

  /// A text with `***` in place of each of the words.
  public func masked(_ text: String) -> String {
    guard !isEmpty, let parts = parts(of: text) else { return text }
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "***")
  }

  /// What stands between the words, by bytes: a combining mark after a word hides nothing; nil where there is none of them.
  private func parts(of text: String) -> [[UInt8]]? {
    var text = text
    return text.withUTF8 { bytes in
      var parts: [[UInt8]] = []
      var (start, index) = (0, 0)
      while index < bytes.count {
        guard firstBytes.contains(asciiLowercased(bytes[index])), let length = length(at: index, of: bytes)
        else {
          index += 1
          continue
        }
        parts.append(Array(bytes[start..<index]))
        index += length
        start = index
      }
      return parts.isEmpty ? nil : parts + [Array(bytes[start...])]
    }
  }

  /// The length of the word that begins at a place, if one does.
  private func length(at index: Int, of bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    words.first { word in
      word.count <= bytes.count - index
        && word.indices.allSatisfy { asciiLowercased(bytes[index + $0]) == word[$0] }
    }?.count
  }
}

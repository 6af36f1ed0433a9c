// What part of a file an answer says it is.

/// The value of `Content-Range` of a 206 (RFC 9110 section 14.4).
struct ContentRange: Hashable {
  /// The offset of the first byte.
  let first: Int64
  /// The offset of the last byte.
  let last: Int64
  /// The size of the whole file; nil where the server does not know it.
  let total: Int64?

  /// Reads `bytes FIRST-LAST/TOTAL`; nil for other units, for no range, for numbers that contradict each other, and for
  /// those beyond an exbibyte, which no file has: what follows adds to them.
  init?(_ text: String) {
    let words = text.split(whereSeparator: { $0 == " " || $0 == "\t" })
    guard words.count >= 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words.dropFirst().joined().split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last
    else { return nil }
    total = Self.number(parts[1])
    guard total != nil || parts[1] == "*", total.map({ last < $0 }) ?? true else { return nil }
    self.first = first
    self.last = last
  }

  /// A number of bytes; nil for what is too large to be one.
  private static func number(_ text: Substring) -> Int64? {
    guard isDigits(text), let number = Int64(text), number <= 1 << 60 else { return nil }
    return number
  }
}

// Numbers of items and transfers, and ranges of them.

/// The numbers that a word means: `12` and `#12` are one, `12-15` are all between; nil for another word.
func numberRange(_ word: String) -> ClosedRange<Int64>? {
  let ends = (word.hasPrefix("#") ? word.dropFirst() : word[...])
    .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
  guard ends.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } }) else { return nil }
  let numbers = ends.map { Int64($0) ?? .max }.sorted()
  return numbers[0]...numbers[numbers.count - 1]
}

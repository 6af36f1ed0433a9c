// The word that a mistyped one was meant to be.

/// The candidate that was probably meant: the nearest one, if at most a third of its letters differ.
///
/// Case, and `_` or a capital instead of `-`, do not count.
public func nearest(
  _ word: String, among candidates: some Sequence<String>
) -> (word: String, distance: Int)? {
  // A longer word is not a typing slip, and comparing it would cost its length times each candidate's.
  guard word.utf8.count <= 64 else { return nil }
  let plain = kebabCase(word)
  return
    candidates
    .map { (word: $0, distance: editDistance(plain, $0)) }
    .filter { $0.distance <= max(1, min($0.word.utf8.count, plain.utf8.count) / 3) }
    .min { ($0.distance, $0.word) < ($1.distance, $1.word) }
}

/// The number of letters to add, remove, change or swap with a neighbour to turn one word into the other.
func editDistance(_ left: String, _ right: String) -> Int {
  let (left, right) = (Array(left.utf8), Array(right.utf8))
  var rows = (before: [Int](), last: [Int](), this: Array(0...right.count))
  for (row, letter) in left.enumerated() {
    rows = (rows.last, rows.this, [row + 1])
    for (column, other) in right.enumerated() {
      let change = rows.last[column] + (letter == other ? 0 : 1)
      var least = min(change, rows.last[column + 1] + 1, rows.this[column] + 1)
      if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
        least = min(least, rows.before[column - 1] + 1)
      }
      rows.this.append(least)
    }
  }
  return rows.this[right.count]
}

/// `minimumInterval`, `minimum_interval` and `Minimum-Interval` as `minimum-interval`.
private func kebabCase(_ word: String) -> String {
  var kebab = ""
  var afterLowercase = false
  for character in word {
    if character.isUppercase, afterLowercase { kebab += "-" }
    kebab += character == "_" || character == " " ? "-" : character.lowercased()
    afterLowercase = character.isLowercase
  }
  return kebab
}

// How messages list titles: names first, numbers last.

/// The most titles in a message.
let mostTitles = 10

/// Titles on one line: `A; B; and 3 more`.
///
/// - Parameters:
///   - count: how many there are in all; at least as many as titles are given.
///   - most: the most titles to show.
func titleLine(_ titles: some Sequence<String>, count: Int, most: Int) -> String {
  let shown = Array(titles.prefix(most))
  let rest = count - shown.count
  return (shown + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "; ")
}

/// Titles on a line each, and a last line `and 3 more`.
func titleLines(_ titles: some Sequence<String>, count: Int) -> String {
  let shown = Array(titles.prefix(mostTitles))
  let rest = count - shown.count
  return (shown + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "\n")
}

/// The names of a few feeds: `Planet, Moon, Sun and 4 more`.
func shortList(_ titles: [String]) -> String {
  let shown = titles.prefix(3).joined(separator: ", ")
  return titles.count > 3 ? "\(shown) and \(titles.count - 3) more" : shown
}

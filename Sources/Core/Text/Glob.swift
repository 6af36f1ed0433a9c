// Patterns with `*` and `?`.

/// Whether a text matches a pattern of `*` (any text), `?` (any scalar) and literal scalars.
public func glob(matches text: String, pattern: String) -> Bool {
  let text = Array(text.unicodeScalars)
  let pattern = Array(pattern.unicodeScalars)
  var position = 0
  var index = 0
  var resume: (position: Int, index: Int)?
  while position < text.count {
    if index < pattern.count, pattern[index] == "*" {
      resume = (position, index)
      index += 1
    } else if index < pattern.count, pattern[index] == "?" || pattern[index] == text[position] {
      index += 1
      position += 1
    } else if let last = resume {
      resume = (last.position + 1, last.index)
      position = last.position + 1
      index = last.index + 1
    } else {
      return false
    }
  }
  return pattern[index...].allSatisfy { $0 == "*" }
}

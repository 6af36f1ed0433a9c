// The command lines of other programs, which run them by a shell.

/// The words of a command line that mean the same without a shell; nil if there are none, or a shell would change them.
///
/// Quotes join spaces and special characters into words, as in `sed 's/a/b/'`.
///
/// - Parameter hasPlaceholders: whether words may have placeholders, such as `{title}`.
public func plainCommand(_ line: Substring, withPlaceholders hasPlaceholders: Bool = false) -> [String]? {
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
      if isHome || "|&;<>()$`\\*?[]#!\n\t".unicodeScalars.contains(scalar) { return nil }
      if !hasPlaceholders, scalar == "{" || scalar == "}" { return nil }
      if word == nil { word = "" }
      word?.unicodeScalars.append(scalar)
    }
  }
  guard quote == nil else { return nil }
  if let ended = word { words.append(ended) }
  return words.isEmpty ? nil : words
}

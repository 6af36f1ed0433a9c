// Tags: words after `@` that select feeds.

extension Field {
  /// The tags of a feed, each once.
  func tags() -> [String]? {
    if isText, let word = text() {
      report("tags is a list", cure: "write [\(shown(word))]")
      return nil
    }
    guard let elements = elements(expecting: "a list such as [linux, work]") else { return nil }
    if elements.count > Self.mostTags {
      report("there are \(elements.count) tags", cure: "write at most \(Self.mostTags)")
    }
    var tags: [String] = []
    for tag in elements.compactMap({ $0.tag() }) where !tags.contains(tag) { tags.append(tag) }
    return tags
  }

  /// The maximum number of tags of a feed.
  private static let mostTags = 100

  private func tag() -> String? {
    guard let text = someText(expecting: "a word"), !text.isEmpty else { return nil }
    if isTag(text) { return text }
    // A name such as "News & Politics" comes from other readers' folders.
    let mended = text.split { !isOfTag($0) }.joined(separator: "-").drop { $0 == "-" || $0 == "." }
    report(
      "tag \"\(shown(text))\" is not a word of letters, digits, -, _ and .",
      cure: isTag(String(mended))
        ? "write \(shown(String(mended)))" : "write 1 to 100 of them, a letter or digit first")
    return nil
  }
}

/// Whether a text is a tag: letters and digits of any script, `-`, `_` and `.`, beginning with a letter,
/// digit or `_`, so that shells need no quotes.
private func isTag(_ text: String) -> Bool {
  guard let first = text.first, first != "-", first != ".", text.count <= 100 else { return false }
  return text.allSatisfy(isOfTag)
}

private func isOfTag(_ character: Character) -> Bool {
  character.isLetter || character.isNumber || "-_.".contains(character)
}

// Names, globs and tags that select feeds, and suggestions for words that select none.

public import Core

/// The configured feeds, selected by words.
public struct FeedWords: Sendable {
  private let feeds: FeedList

  public init(_ feeds: FeedList) { self.feeds = feeds }

  /// The mistake in a word that selects no feed, with the nearest word that selects one; nil if the word selects a
  /// feed.
  public func mistake(in word: String) -> (what: String, cure: String?)? {
    if word.hasPrefix("@") {
      let tag = String(word.dropFirst())
      guard !feeds.contains(where: { $0.tags.contains(tag) }) else { return nil }
      let tags = tags
      let near = nearest(tag, among: tags).map { "did you mean \"@\($0.word)\"?" }
      let known = "tags: " + tags.sorted().prefix(20).map { "@" + $0 }.joined(separator: ", ")
      return (
        "no feed has the tag \"\(tag)\"", near ?? (tags.isEmpty ? "add tags: [\(tag)] to a feed" : known)
      )
    }
    // A plain name, the usual case, is looked up.
    if let name = FeedName(word), feeds.names.contains(name) { return nil }
    guard word != "*" || feeds.isEmpty else { return nil }
    if word.contains(where: { "*?".contains($0) }), feeds.contains(where: { $0.isSelected(by: word) }) {
      return nil
    }
    let (names, tags) = (Set(feeds.names.map(\.text)), tags)
    if tags.contains(word) {
      return ("no feed is named \"\(word)\"", "write \"@\(word)\" for the feeds with that tag")
    }
    // `lwn` is short for `lwn-weekly`. Names that begin with the word come first, then shorter ones.
    func rank(_ name: String) -> (Int, Int, String) { (name.hasPrefix(word) ? 0 : 1, name.utf8.count, name) }
    let longer = names.filter { !word.isEmpty && $0.contains(word.lowercased()) }.min { rank($0) < rank($1) }
    let near = nearest(word, among: names)?.word ?? longer
    return ("no feed is named \"\(word)\"", near.map { "did you mean \"\($0)\"?" })
  }

  private var tags: Set<String> { feeds.reduce(into: []) { $0.formUnion($1.tags) } }
}

extension ValueType<[String]> {
  /// Feeds by name, glob or @tag.
  static let globs = Self("list of globs") { field throws(Mistake) in
    try field.values(
      expecting: "a list such as [planet, \"yt-*\", \"@linux\"]", insteadOf: { "\"\($0)\"" }
    ) { entry throws(Mistake) in
      let word = try entry.someText(expecting: "a feed's name, a glob or @tag")
      if let mistake = field.pass.feeds?.mistake(in: word) {
        entry.warn(shown(mistake.what), cure: mistake.cure)
      }
      return word
    }
  }

  /// The tags of a feed, each once.
  static let tags = listOf("tags") { field throws(Mistake) in
    let count = field.node.elements.count
    try field.require(
      count <= CatalogFeed.mostTags, "\(count) tags are too many",
      cure: "write at most \(CatalogFeed.mostTags)")
    let tags = try field.values(expecting: "a list such as [linux, work]", insteadOf: { tagText($0) ?? $0 }) {
      entry throws(Mistake) in
      let text = try entry.someText(expecting: "a word")
      guard isTag(text) else {
        let (what, cure) = mistake(inTag: text)
        throw entry.mistake(what, cure: cure + (text.contains(" ") ? ", or a comma between two tags" : ""))
      }
      return text
    }
    var seen: Set<String> = []
    return tags.filter { seen.insert($0).inserted }
  }
}

/// Why a text is not a valid tag, and what to do; nil if it is valid.
public func tagMistake(_ text: String) -> String? {
  guard !isTag(text) else { return nil }
  let (what, cure) = mistake(inTag: text)
  return "\(what); \(cure)"
}

/// The mistake in a text that is not a valid tag, and its cure.
func mistake(inTag text: String) -> (what: String, cure: String) {
  (
    "\"\(shown(text))\" is not a valid tag (letters, digits, -, _ and .)",
    // A name such as "News & Politics" comes from other readers' folders.
    tagText(text).map { "write \(shown($0))" } ?? "use 1 to 100 of them, beginning with a letter or digit"
  )
}

// Names, globs and tags that select feeds, and suggestions for words that select none.

public import Core

/// The configured feeds, selected by words.
public struct FeedWords: Sendable {
  private let feeds: [FeedSpec]
  private let names: Set<String>
  private let tags: Set<String>

  public init(_ feeds: [FeedSpec]) {
    self.feeds = feeds
    names = Set(feeds.map(\.name.text))
    tags = Set(feeds.lazy.flatMap(\.tags))
  }

  /// Whether a hook subscribes to a feed that downloads files.
  func hasDownloads(heardBy hook: HookSpec) -> Bool {
    feeds.contains { $0.transferDownload != nil && hook.hears(of: $0) }
  }

  /// The mistake of a word that selects no feed, with the nearest word that does; nil if it selects any.
  public func mistake(in word: String) -> (what: String, cure: String?)? {
    if word.hasPrefix("@") {
      let tag = String(word.dropFirst())
      guard !tags.contains(tag) else { return nil }
      let near = nearest(tag, among: tags).map { "did you mean \"@\($0.word)\"?" }
      let known = "known here: " + tags.sorted().prefix(20).map { "@" + $0 }.joined(separator: ", ")
      return (
        "no feed has the tag \"\(tag)\"", near ?? (tags.isEmpty ? "write tags: [\(tag)] in feeds" : known)
      )
    }
    // A plain name, the usual case, is looked up.
    guard word != "*" || feeds.isEmpty, !names.contains(word) else { return nil }
    if word.contains(where: { "*?".contains($0) }), feeds.contains(where: { $0.isSelected(by: word) }) {
      return nil
    }
    if tags.contains(word) {
      return ("no feed is named \"\(word)\"", "write \"@\(word)\" for the feeds with that tag")
    }
    return (
      "no feed is named \"\(word)\"", nearest(word, among: names).map { "did you mean \"\($0.word)\"?" }
    )
  }
}

// Names, globs and tags where feeds are named: which feeds there are for a word, and what it was probably meant to be.

public import Core

/// The configured feeds, as words select them.
public struct FeedWords: Sendable {
  private let feeds: [FeedSpec]
  private let names: Set<String>
  private let tags: Set<String>

  /// The words that select these feeds.
  public init(_ feeds: [FeedSpec]) {
    self.feeds = feeds
    names = Set(feeds.map(\.name.text))
    tags = Set(feeds.lazy.flatMap(\.tags))
  }

  /// Whether a hook hears of a feed that downloads something.
  func hasDownloads(heardBy hook: HookSpec) -> Bool {
    feeds.contains { $0.transferDownload != nil && hook.hears(of: $0) }
  }

  /// What is wrong with a word that selects no feed, with the nearest one that does; nil where it selects some.
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

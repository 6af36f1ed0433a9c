// Whether a filter lets an item through.

/// A filter's expressions, compiled once for a document.
struct CompiledFilter {
  private let include: [PatternSearch]
  private let exclude: [PatternSearch]
  private let shouldStop: ShouldStop

  /// Compiles a filter; the configuration has already refused expressions that are none.
  ///
  /// Once it should stop, the filter lets everything through at once.
  init(_ filter: ItemFilter, shouldStop: @escaping ShouldStop = { false }) {
    self.shouldStop = shouldStop
    include = filter.include.compactMap { try? Pattern(parsing: $0) }.map(PatternSearch.init)
    exclude = filter.exclude.compactMap { try? Pattern(parsing: $0) }.map(PatternSearch.init)
  }

  /// Whether the item counts: one `include` matches, or there is none, and no `exclude` does.
  ///
  /// Each expression is held against title, link and every category, of which it sees at most 4 KiB.
  func lets(_ item: ParsedItem) -> Bool {
    lets([item.title, item.link].compactMap { $0 } + item.categories)
  }

  /// Whether what these texts belong to counts.
  func lets(_ texts: @autoclosure () -> [String]) -> Bool {
    guard !include.isEmpty || !exclude.isEmpty else { return true }
    let texts = texts().map(beginning)
    func matches(_ pattern: PatternSearch) -> Bool {
      texts.contains { !shouldStop() && pattern.matches(in: $0) }
    }
    return (include.isEmpty || include.contains(where: matches)) && !exclude.contains(where: matches)
  }

  /// The first 4 KiB of a text, without a scalar that they would divide.
  private func beginning(of text: String) -> String {
    guard text.utf8.count > 4096 else { return text }
    let end = text.utf8.index(text.startIndex, offsetBy: 4096)
    return String(text.unicodeScalars[..<end])
  }
}

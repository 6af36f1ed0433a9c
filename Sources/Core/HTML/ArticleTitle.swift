// The title of an article's page, without the name of its site.

extension HTMLTree {
  /// The title that a page gives for links to it, or else its own, without the name of the site; nil if it has none.
  ///
  /// A heading with which the title begins is the title.
  public var articleTitle: String? {
    var (given, site): (String?, String?) = (nil, nil)
    for node in nodes.indices.prefix(Self.mostOfHead) where nodes[node].element == .meta {
      switch value("property", of: node) ?? value("name", of: node) {
      case "og:title": given = given ?? value("content", of: node).map(title)
      case "og:site_name": site = site ?? value("content", of: node).map(title)
      default: break
      }
    }
    let titles = [given, first(.title).map(line), first(.h1).map(line)].compactMap { $0 }
    guard let title = titles.first(where: { !$0.isEmpty }) else { return nil }
    let headings = nodes.indices.lazy.filter { self.nodes[$0].element == .h1 }.prefix(4).map(line)
    if let heading = headings.first(where: { $0.utf8.count > 3 && title.hasPrefix($0) }) { return heading }
    for separator in [" | ", " - ", " – ", " — ", " · ", " » ", " :: "] {
      let parts = title.split(separator: separator)
      guard parts.count > 1, let last = parts.last else { continue }
      let rest = title.dropLast(last.count + separator.count)
      let isSite = site.map { last == $0 } ?? (rest.utf8.count > 2 * last.utf8.count)
      if isSite { return String(rest) }
    }
    return title
  }

  /// The first heading in an element that repeats a title.
  func heading(of title: String?, in element: Int) -> Int? {
    guard let title else { return nil }
    return (element..<Int(nodes[element].end)).lazy.filter { [.h1, .h2].contains(self.nodes[$0].element) }
      .prefix(4)
      .first { line(of: $0) == title }
  }

  /// How many nodes are searched for the facts about the page, and the maximum length of a title, in bytes.
  private static let (mostOfHead, longestTitle) = (5000, 500)

  private func title(_ text: String) -> String { cleanText(text, limit: Self.longestTitle) }

  private func line(of node: Int) -> String { title(plainText(in: node, limit: Self.longestTitle)) }
}

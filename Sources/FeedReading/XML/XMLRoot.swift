// Which document this is, by its root element.

import Core

/// What the root of a document says.
enum XMLRoot: Equatable {
  /// RSS, or CDF, which is read alike.
  case rss(FeedFormat)
  /// Atom.
  case atom(FeedFormat)
  /// A page.
  case html
  /// Something else, in words.
  case other(String)
}

extension XMLScanner {
  /// Goes to the root element of a feed and leaves it open, or says what the document is.
  ///
  /// What a server's warnings put before the root (`<br />`, `<b>Warning</b>`) is passed over, and so is a second
  /// root after it.
  mutating func findRoot() -> XMLRoot {
    var wasOther: String?
    var hasMarkup = false
    // A feed begins at its beginning; what comes after this many tags is not looked for.
    for _ in 0..<200 {
      switch next() {
      case .open(let element):
        if let root = root(element), wasOther == nil || root != .html { return root }
        hasMarkup = true
        let name = String(decoding: slice(element.name), as: UTF8.self)
        if wasOther == nil, !Self.strayNames.contains(name.lowercased()) {
          wasOther = "XML whose root is \(cleanText(name, limit: 40))"
        }
      case .end:
        return wasOther.map(XMLRoot.other) ?? (hasMarkup ? .html : .other("text that is no feed"))
      case .text, .literal, .close:
        break
      }
    }
    return wasOther.map(XMLRoot.other) ?? .html
  }

  private func root(_ element: Element) -> XMLRoot? {
    switch element.word {
    case .rss: .rss(rssFormat)
    case .rdf: .rss(isNetscape ? .rss09 : .rdf)
    case .channel: .rss(attribute(.about) == nil ? .rss09 : .rdf)
    case .feed where element.space == .plain || element.space == .atom: .atom(atomFormat)
    case .html, .head, .body: .html
    default: nil
    }
  }

  private var rssFormat: FeedFormat {
    guard let version = attribute(.version) else { return .rss20 }
    let isOld = hasPrefix(version, "0.90") || hasPrefix(version, "0.91") || hasPrefix(version, "0.92")
    return isOld ? .rss09 : .rss20
  }

  private var atomFormat: FeedFormat {
    guard let version = attribute(.version) else { return isOldAtom ? .atom03 : .atom10 }
    return isOldAtom || hasPrefix(version, "0.") ? .atom03 : .atom10
  }

  /// Elements that are met before a document that a program spoiled with its messages.
  private static let strayNames: Set<String> = [
    "br", "b", "p", "i", "div", "span", "font", "pre", "strong", "center", "hr", "a", "h1", "h2", "script",
    "link",
    "meta", "title", "table", "tr", "td",
  ]
}

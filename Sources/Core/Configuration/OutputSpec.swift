// Files that are written from items after each change: the snapshot page, and feeds for other readers.

/// One file of `outputs`, or the one of `snapshot`.
public struct OutputSpec: Hashable, Sendable {
  /// The absolute path.
  public var path: String
  public var format: OutputFormat
  /// The feeds by name, glob or @tag.
  public var feeds = ["*"]
  /// Whether only unseen items count.
  public var unseenOnly = false
  /// The most items; the newest ones count.
  public var limit = 500
  /// The title; nil means the default one.
  public var title: String?
  /// Whether a page refers to images on other servers.
  public var showsImages = false

  public init(path: String, format: OutputFormat) {
    self.path = path
    self.format = format
  }
}

/// The format of a file of items.
public enum OutputFormat: String, Hashable, Sendable, CaseIterable {
  case html
  /// Atom (RFC 4287).
  case atom
  /// RSS 2.0.
  case rss
  /// JSON Feed 1.1.
  case jsonFeed = "json-feed"

  /// The words of all formats, as help and messages list them.
  public static let words = list(allCases.map(\.rawValue), "or")

  /// The format that the extension of a file name suggests.
  public init?(ofPath path: String) {
    switch path.split(separator: ".").last?.lowercased() {
    case "html", "htm", "xhtml": self = .html
    case "atom": self = .atom
    case "rss", "xml": self = .rss
    case "json": self = .jsonFeed
    default: return nil
    }
  }
}

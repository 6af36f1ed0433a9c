// The rules that omit files of a feed, and their words.

/// The rule by which a fetch does not download a file that an item refers to.
public enum OmissionRule: String, Sendable, CaseIterable {
  /// The feed's filter does not accept the item.
  case filter
  /// The item was there before the feed had `download`.
  case earlier = "download"
  case file = "download.filter"
  case types = "download.types"
  case maxSize = "download.max-size"
  case firstRun = "first-run"
  case keep = "download.keep"
  /// The feed has too many unsettled transfers.
  case queue = "queue"

  /// The rule and what it says about the file.
  public var text: String {
    let why =
      switch self {
      case .filter: "does not accept the item"
      case .earlier: "was set after the item appeared"
      case .file: "does not accept the file"
      case .types: "does not have the file's type"
      case .maxSize: "is less than the size in the document"
      case .firstRun: "leaves out this item of the first fetch"
      case .keep: "has no room for it beside newer files, or is less than its age"
      case .queue: "was full: too many transfers of the feed waited"
      }
    return "\(rawValue) \(why)"
  }
}

/// Files that a fetch does not download, in words, for example `2 files are not downloaded: 1 by download.types, 1 by filter`.
public func text(ofOmitted counts: [OmissionRule: Int]) -> String? {
  let total = counts.values.reduce(0, +)
  guard total > 0 else { return nil }
  let parts = OmissionRule.allCases.compactMap { rule in counts[rule].map { "\($0) by \(rule.rawValue)" } }
  return counted(total, "file is", plural: "files are") + " not downloaded: " + parts.joined(separator: ", ")
}

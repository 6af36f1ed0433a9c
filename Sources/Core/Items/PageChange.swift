// Watching the text of a page: each change of it is an item that says which lines are new.
//
// The text itself is stored in the content of the newest item, after the changed lines, so that the next fetch can
// compare (`PageText`). The id contains the time, so that a page that changes back is a new item too.

/// The stored text that a page is compared with.
public struct FormerPage: Hashable, Sendable {
  /// The newest item of the feed.
  public var number: Int64
  /// Its content; nil if that is not stored any more.
  public var content: String?

  public init(number: Int64, content: String?) {
    self.number = number
    self.content = content
  }
}

/// The items of a page whose text is watched: one if the text has changed.
///
/// The whole text is compared: line by line as far as the former one is stored, by a fingerprint beyond that.
///
/// - Parameters:
///   - page: the page, with one item whose content `PageContent` made.
///   - former: the newest item; nil at the first fetch.
///   - limit: the most content to store of an item; three quarters of it are for lines of the page.
///   - now: the time of the change.
/// - Returns: the page with one item, or nil if the text is the same.
public func pageChange(
  _ page: ParsedFeed, since former: FormerPage?, limit: ByteCount, at now: Instant
) -> ParsedFeed? {
  guard var item = page.items.first else { return nil }
  let text = PageText(ofContent: item.content ?? "")
  let difference = former?.content.map { PageDifference(from: PageText(ofContent: $0), to: text) }
  if let difference, difference.isEmpty { return nil }
  let title = page.title ?? item.title ?? "page"
  item.title = title
  // The rest is for the changed lines, the tags and the line about the rest of the page.
  let content = text.content(bytes: Int(limit.bytes) / 4 * 3 - 64)
  item.content = content
  if let difference {
    item.title = title + ": " + graphemePrefix(of: difference.title, limit: 200)
    let summary = escapedMarkup(difference.text(limit: min(Int(limit.bytes) / 5, 16 << 10)))
    item.summary = summary
    item.content = "<pre>" + summary + "</pre><hr>" + content
  }
  // Two changes may fall into one second.
  item.id = now.rfc3339 + "/" + String(former?.number ?? 0)
  item.published = now
  var result = page
  result.items = [item]
  return result
}

/// The difference between the former text of a page, whose end may be known only by its sum, and the present one.
private struct PageDifference {
  private let lines: LineDifference
  /// A sentence about the end, if that has changed.
  private var end: String?

  var isEmpty: Bool { lines.groups.isEmpty && end == nil }

  init(from old: PageText, to new: PageText) {
    let place = new.sum.count - old.rest.count
    if new.lines.indices.contains(place - 1) || place == 0,
      new.sum.without(LineSum(new.lines[..<place])) == old.rest
    {
      lines = LineDifference(from: old.lines, to: Array(new.lines[..<place]))
      return
    }
    // Lines before the end may have been added or removed, too.
    let former = old.lines.count
    let nearby = new.lines.indices.clamped(to: max(former - 1000, 0)..<former + 1000)
    let last = nearby.filter { new.lines[$0] == old.lines.last }.min {
      abs($0 - former + 1) < abs($1 - former + 1)
    }
    let begin = last.map { $0 + 1 } ?? min(former, new.lines.count)
    lines = LineDifference(from: old.lines, to: Array(new.lines[..<begin]))
    end =
      "something changed after line \(begin): \(counted(old.rest.count, "line")) before, \(new.sum.count - begin) now, "
      + "of which only a fingerprint was kept"
  }

  /// The first changed line.
  var title: String {
    lines.firstAdded ?? lines.firstRemoved.map { "removed: " + $0 } ?? end ?? ""
  }

  /// The changed lines and the sentence about the end, cut after whole lines.
  func text(limit: Int) -> String {
    guard let end else { return lines.text(limit: limit) }
    return lines.groups.isEmpty ? end : lines.text(limit: limit - end.utf8.count - 2) + "\n\n" + end
  }
}

/// The classification of a page whose text is the same: its newest item stays, and nothing is new.
public func classifyUnchanged(_ page: FormerPage, state: FeedState) -> Classification {
  var result = Classification()
  result.identity = state.identity
  result.recognised = [page.number]
  return result
}

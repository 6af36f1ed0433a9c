// The text of a watched page, compared by lines: each change of it is an item that says which lines are new.
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
    (self.number, self.content) = (number, content)
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

/// The changed lines in the content of a watched page's item, as HTML; nil if it is the page as it was first.
public func changedLines(ofContent content: String) -> String? {
  guard content.hasPrefix("<pre>"), let end = content.utf8.firstRange(of: "</pre><hr>".utf8) else {
    return nil
  }
  return String(content[..<end.lowerBound])
}

/// The difference between the former text of a page, whose end may be known only by its sum, and the present one.
private struct PageDifference {
  private let lines: LineDifference
  /// A sentence about the end, if that has changed.
  private var end: String?

  var isEmpty: Bool { end == nil && lines.groups.isEmpty }

  init(from old: PageText, to new: PageText) {
    let index = new.count - old.rest.count
    if new.lines.indices.contains(index - 1) || index == 0,
      LineSum(new.lines[index...]).followed(by: new.rest).note == old.rest.note
    {
      lines = LineDifference(from: old.lines, to: Array(new.lines[..<index]))
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
      "something changed after line \(begin): \(counted(old.rest.count, "line")) before, \(new.count - begin) now, "
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

/// The removed and added lines between two texts.
struct LineDifference: Hashable, Sendable {
  /// Groups of lines that follow one another, removed ones first.
  private(set) var groups: [Group] = []

  struct Group: Hashable, Sendable {
    var removed: [String] = []
    var added: [String] = []
  }

  /// The most lines that are compared one by one, between the equal lines at both ends.
  ///
  /// The time grows with the square of the lines. More than these count as replaced.
  private static let mostCompared = 1000

  init(from old: [String], to new: [String]) {
    var start = 0
    while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
    var (oldEnd, newEnd) = (old.count, new.count)
    while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
      oldEnd -= 1
      newEnd -= 1
    }
    let (before, after) = (Array(old[start..<oldEnd]), Array(new[start..<newEnd]))
    guard before.count <= Self.mostCompared, after.count <= Self.mostCompared else {
      groups = [Group(removed: before, added: after)]
      return
    }
    var isRemoved = Array(repeating: false, count: before.count)
    var isAdded = Array(repeating: false, count: after.count)
    for change in after.difference(from: before) {
      switch change {
      case .remove(let offset, _, _): isRemoved[offset] = true
      case .insert(let offset, _, _): isAdded[offset] = true
      }
    }
    var (oldPlace, newPlace) = (0, 0)
    while oldPlace < before.count || newPlace < after.count {
      var group = Group()
      while oldPlace < before.count, isRemoved[oldPlace] {
        group.removed.append(before[oldPlace])
        oldPlace += 1
      }
      while newPlace < after.count, isAdded[newPlace] {
        group.added.append(after[newPlace])
        newPlace += 1
      }
      if !group.removed.isEmpty || !group.added.isEmpty {
        groups.append(group)
      } else {
        oldPlace += 1
        newPlace += 1
      }
    }
  }

  var firstAdded: String? { groups.lazy.compactMap(\.added.first).first }
  var firstRemoved: String? { groups.lazy.compactMap(\.removed.first).first }

  /// The changed lines after `+ ` and `- `, with an empty line between places, cut after whole lines.
  func text(limit: Int) -> String {
    var output = ""
    var left = groups.reduce(0) { $0 + $1.removed.count + $1.added.count }
    for (index, group) in groups.enumerated() {
      let lines = group.removed.map { "- " + $0 } + group.added.map { "+ " + $0 }
      for (number, line) in lines.enumerated() {
        let separator = output.isEmpty ? "" : number == 0 && index > 0 ? "\n\n" : "\n"
        guard output.utf8.count + separator.utf8.count + line.utf8.count + 40 <= limit else {
          return output + (output.isEmpty ? "" : "\n") + "… and \(counted(left, "more changed line"))"
        }
        output += separator + line
        left -= 1
      }
    }
    return output
  }
}

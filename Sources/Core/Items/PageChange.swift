// The text of a watched page, compared by lines: each change of it is an item that says which lines are new.
//
// The text itself is stored in the content of the newest item, after the changed lines, so that the next fetch can
// compare (`pageLines`). The id contains the time, so that a page that changes back is a new item too.

/// The stored text that a page is compared with.
public struct FormerPage: Sendable {
  /// The newest item of the feed.
  var number: Int64
  /// Its content; nil if that is not stored any more.
  var content: String?
  /// Its summary: the lines that were changed.
  var summary: String?

  public init(number: Int64, content: String?, summary: String? = nil) {
    (self.number, self.content, self.summary) = (number, content, summary)
  }
}

/// The lines whose changes count, if not all do.
public enum LineChange: String, Sendable, CaseIterable {
  case added
  case removed
}

/// A change of a watched page.
struct PageChange: Equatable, Sendable {
  /// The changed lines that count, in the order of the page, with `- ` before removed ones and `+ ` before added ones.
  var lines: [String]
  /// The first of them, cut where they are long, and the number of the others; it has line ends.
  var message: String

  /// The most lines in a message.
  static let mostTold = 10
}

/// The classification of a page whose text is watched: one new item if the text has changed.
///
/// The first text is an item without changes, which no filter leaves out. Each change is news, even if the page changes back
/// and forth, so it is compared with no stored item: all of them have the same link, and perhaps the same second. The title is
/// the configured one with the first line that the filter accepts.
///
/// - Parameters:
///   - page: the page, with one item whose content `PageContent` made.
///   - former: the newest item; nil at the first fetch.
///   - state: the feed's state.
///   - now: the start of the round.
public func classifyPage(
  _ page: ParsedFeed, since former: FormerPage?, feed: FeedSpec, state: FeedState,
  at now: Instant, shouldStop: @escaping ShouldStop = { false }
) -> Classification {
  var page = page
  let title = feed.title ?? page.title ?? feed.name.text
  page.title = title
  let changed = pageChange(page, since: former, only: feed.kind.page?.onlyChanges, at: now)
  var result = Classification()
  if var changed {
    let filter = CompiledFilter(feed.filter, shouldStop: shouldStop)
    if let former, let item = changed.items.first, let change = item.change,
      change.lines.isEmpty || !filter.accepts(item)
    {
      result.filtered = 1
      result.articles[former.number] = former.record(withTextOf: item)
      result.recognised = [former.number]
    } else {
      if !feed.filter.include.isEmpty, let line = changed.items.first?.reason(by: filter, title: title) {
        changed.items[0].title = changeTitle(title, line)
      }
      result = classify(changed, known: [], feed: feed, state: state, at: now, shouldStop: shouldStop)
    }
  } else if let former {
    result.recognised = [former.number]
  }
  // A page always replaces its one item, which says nothing about identities.
  result.identity = state.identity
  return result
}

/// The items of a page whose text is watched: one if the text has changed.
///
/// - Parameters:
///   - page: the page, with one item whose content `PageContent` made.
///   - former: the newest item; nil at the first fetch.
///   - only: the lines that count; nil means all. A change of others has no lines.
///   - now: the time of the change.
/// - Returns: the page with one item, or nil if the text is the same.
public func pageChange(
  _ page: ParsedFeed, since former: FormerPage?, only: LineChange? = nil, at now: Instant
) -> ParsedFeed? {
  guard var item = page.items.first else { return nil }
  let content = item.content ?? ""
  var difference = former?.content.map {
    LineDifference(from: pageLines(ofContent: $0), to: pageLines(ofContent: content))
  }
  if let difference, difference.isEmpty { return nil }
  difference?.keep(only)
  let title = page.title ?? item.title ?? "page"
  item.title = title
  if let difference {
    item.title = changeTitle(title, difference.title)
    item.change = difference.change
    let lines = difference.text(limit: 16 << 10)
    item.content = "<pre>" + escapedMarkup(lines) + PageChange.end + content
  }
  // Two changes may fall into one second.
  item.id = now.rfc3339 + "/" + String(former?.number ?? 0)
  item.published = now
  var result = page
  result.items = [item]
  return result
}

private func changeTitle(_ title: String, _ line: String) -> String {
  title + ": " + graphemePrefix(of: line, limit: 200)
}

extension ParsedItem {
  /// The first changed line that a filter accepts alone, an added one if there is one; nil if only several lines together are
  /// accepted.
  fileprivate func reason(by filter: CompiledFilter, title: String) -> String? {
    func isReason(_ line: String) -> Bool {
      var item = self
      item.title = title
      item.change?.lines = [line]
      return filter.accepts(item)
    }
    let lines = change?.lines ?? []
    if let added = lines.first(where: { $0.hasPrefix("+ ") && isReason($0) }) {
      return String(added.dropFirst(2))
    }
    return lines.first(where: isReason).map { $0.hasPrefix("- ") ? "removed: " + $0.dropFirst(2) : $0 }
  }
}

extension PageChange {
  /// The lines of a message that one of several changes has room for.
  ///
  /// Among them is an added line, if there is one.
  static func beginning(of lines: [String], amongChanges count: Int) -> [String] {
    let most = max(1, mostLines / max(count, 1) - 1)
    guard lines.count > most else { return lines }
    var shown = Array(lines.prefix(most))
    func isAdded(_ line: String) -> Bool { line.hasPrefix("+ ") }
    if !shown.contains(where: isAdded), let added = lines.first(where: isAdded) { shown[most - 1] = added }
    shown[most - 1] += " …"
    return shown
  }

  /// The markup between the changed lines and the text of the page.
  fileprivate static let end = "</pre><hr>"
}

extension FormerPage {
  /// Whether a page has none of the stored lines, as if another one came in its place.
  public func isReplaced(by page: ParsedFeed) -> Bool {
    let lines = pageLines(ofContent: content ?? "")
    return !lines.isEmpty
      && Set(lines).isDisjoint(with: pageLines(ofContent: page.items.first?.content ?? ""))
  }

  /// The newest item with the text of a page whose changes do not count, so that the next fetch compares with that.
  fileprivate func record(withTextOf item: ParsedItem) -> ItemRecord {
    let all = item.content ?? ""
    let text = all[(all.utf8.firstRange(of: PageChange.end.utf8)?.upperBound ?? all.startIndex)...]
    let own = content.flatMap(changedLines).map { $0 + PageChange.end } ?? ""
    var record = ItemRecord(
      keys: IdentityKeys(content: 0), editHash: 0,
      summary: own.isEmpty ? ItemRecord.summary(of: String(text)) : summary, isSeen: true)
    var details = ItemDetails()
    details.content = own + text
    record.details = details
    return record
  }
}

extension ItemRecord {
  /// The lines of the message of a watched page's item; none if it is the page as it was first.
  var changedLines: [String] {
    guard let guid, !guid.hasSuffix("/0") else { return [] }
    return (summary ?? "").split(separator: "\n").map(String.init)
  }
}

/// The changed lines in the content of a watched page's item, as HTML; nil if it is the page as it was first.
public func changedLines(ofContent content: String) -> String? {
  guard content.hasPrefix("<pre>"), let end = content.utf8.firstRange(of: PageChange.end.utf8) else {
    return nil
  }
  return String(content[..<end.lowerBound])
}

/// The removed and added lines between two texts.
struct LineDifference: Sendable {
  /// Groups of lines that follow one another, removed ones first.
  private(set) var groups: [Group] = []
  /// A sentence about a change of no lines.
  private var note: String?

  var isEmpty: Bool { groups.isEmpty && note == nil }

  struct Group: Sendable {
    var removed: [String] = []
    var added: [String] = []

    var lines: [String] { removed.map { "- " + $0 } + added.map { "+ " + $0 } }
  }

  /// The most lines of both texts whose order is compared, between the equal ones at both ends.
  ///
  /// The time grows with the square of these lines. Of more, only those are found that one text has more often.
  private static let mostCompared = 1000

  init(from old: [String], to new: [String]) {
    guard old != new else { return }
    let common = Set(old).intersection(new)
    var isRemoved = old.map { !common.contains($0) }
    var isAdded = new.map { !common.contains($0) }
    var before = old.indices.filter { !isRemoved[$0] }[...]
    var after = new.indices.filter { !isAdded[$0] }[...]
    while let first = before.first, let other = after.first, old[first] == new[other] {
      before = before.dropFirst()
      after = after.dropFirst()
    }
    while let last = before.last, let other = after.last, old[last] == new[other] {
      before = before.dropLast()
      after = after.dropLast()
    }
    if max(before.count, after.count) <= Self.mostCompared {
      for change in after.map({ new[$0] }).difference(from: before.map { old[$0] }) {
        switch change {
        case .remove(let offset, _, _): isRemoved[before[before.startIndex + offset]] = true
        case .insert(let offset, _, _): isAdded[after[after.startIndex + offset]] = true
        }
      }
    } else {
      var surplus: [String: Int] = [:]
      for index in after { surplus[new[index], default: 0] += 1 }
      for index in before { surplus[old[index], default: 0] -= 1 }
      for index in before where surplus[old[index], default: 0] < 0 {
        surplus[old[index], default: 0] += 1
        isRemoved[index] = true
      }
      for index in after where surplus[new[index], default: 0] > 0 {
        surplus[new[index], default: 0] -= 1
        isAdded[index] = true
      }
    }
    collect(old, isRemoved, new, isAdded)
    if groups.isEmpty { note = "the order of the lines changed" }
  }

  /// Collects the groups of marked lines; there are as many unmarked lines before as after.
  private mutating func collect(_ old: [String], _ isRemoved: [Bool], _ new: [String], _ isAdded: [Bool]) {
    var (oldPlace, newPlace) = (0, 0)
    while oldPlace < old.count || newPlace < new.count {
      var group = Group()
      while oldPlace < old.count, isRemoved[oldPlace] {
        group.removed.append(old[oldPlace])
        oldPlace += 1
      }
      while newPlace < new.count, isAdded[newPlace] {
        group.added.append(new[newPlace])
        newPlace += 1
      }
      if !group.lines.isEmpty { groups.append(group) }
      oldPlace += 1
      newPlace += 1
    }
  }

  /// Forgets the changes that do not count.
  mutating func keep(_ only: LineChange?) {
    guard let only else { return }
    note = nil
    groups = groups.compactMap { group in
      let kept =
        only == .added ? Group(added: group.added) : Group(removed: group.removed)
      return kept.lines.isEmpty ? nil : kept
    }
  }

  private var lines: [String] { groups.flatMap(\.lines) }

  /// The first changed line.
  var title: String {
    groups.lazy.compactMap(\.added.first).first
      ?? groups.lazy.compactMap(\.removed.first).first.map { "removed: " + $0 } ?? note ?? ""
  }

  var change: PageChange {
    guard let note else {
      let told = beginning(lines: PageChange.mostTold)
      return PageChange(lines: lines, message: told.joined(separator: "\n"))
    }
    return PageChange(lines: [note], message: note)
  }

  /// The changed lines after `+ ` and `- `, with an empty line between places, cut after whole lines.
  func text(limit: Int) -> String {
    var output = note ?? ""
    var left = lines.count
    for (index, group) in groups.enumerated() {
      for (number, line) in group.lines.enumerated() {
        let separator = output.isEmpty ? "" : number == 0 && index > 0 ? "\n\n" : "\n"
        guard output.utf8.count + separator.utf8.count + line.utf8.count + 40 <= limit else {
          return output + (output.isEmpty ? "" : "\n") + rest(left)
        }
        output += separator + line
        left -= 1
      }
    }
    return output
  }

  /// The first lines, cut where they are long, and the number of the rest.
  ///
  /// A long group is cut so that it has removed and added lines.
  private func beginning(lines most: Int) -> [String] {
    var shown: [String] = []
    for group in groups where shown.count < most {
      let room = most - shown.count
      let removed = group.removed.prefix(max(room - group.added.count, (room + 1) / 2))
      let added = group.added.prefix(room - removed.count)
      shown += zip(removed, group.added.map(Optional.some) + removed.map { _ in nil }).map {
        "- " + excerpt($0, besides: $1)
      }
      shown += zip(added, group.removed.map(Optional.some) + added.map { _ in nil }).map {
        "+ " + excerpt($0, besides: $1)
      }
    }
    let left = lines.count - shown.count
    return shown + (left > 0 ? [rest(left)] : [])
  }

  private func rest(_ count: Int) -> String { "… and \(counted(count, "more changed line"))" }

  /// A line that a message has room for: its beginning, or the part in which it differs from its counterpart.
  private func excerpt(_ line: String, besides other: String?) -> String {
    let most = 240
    guard line.utf8.count > most else { return line }
    let same = zip(line, other ?? "").prefix { $0 == $1 }.count
    let text = same > 80 ? "… " + line.dropFirst(same - 40) : line
    let cut = graphemePrefix(of: text, limit: most)
    return cut.utf8.count < text.utf8.count ? cut + " …" : cut
  }
}

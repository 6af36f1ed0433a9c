// The one message that replaces several, with a line for each of them.

/// The summary of several messages.
///
/// The title names the feeds. There is a line for each feed with news, with a few of its titles, the newest first, and one
/// for each other message. The news of a single feed has a line for each title, as that feed's own message would. Each change
/// of a watched page has its first changed lines, and more of them if there are few changes.
///
/// - Parameters:
///   - messages: the fields with which the messages would have been delivered, with their feeds.
///   - first: the first delivery that it replaces; it and the hook are part of the event's id.
public func summaryEvent(
  _ messages: [(feed: FeedLabel?, fields: JSONValue)], origin: EventOrigin, hook: String, first: Int64,
  identifier: String = summaryIdentifier
) -> Event {
  var news: [FeedNews] = []
  var others: [String] = []
  /// News of a run beyond the news that its message lists.
  var unlisted = 0
  for message in messages {
    let count = newsCount(message.fields)
    let items = message.fields.eventItems
    if let feed = message.feed, count > 0 {
      news.append(FeedNews(feed: feed.name, title: feed.title, count: count, items: items))
    } else if count > 0, !items.isEmpty {
      // The news of a run is of several feeds.
      news += items.grouped(by: \.feed).map {
        FeedNews(feed: $0[0].feed, title: $0[0].feedTitle, count: $0.count, items: $0)
      }
      unlisted += max(0, count - items.count)
    } else {
      others.append(messageLine(message.fields))
    }
  }
  // Messages come oldest first, each with its newest item first.
  let feeds = news.grouped(by: \.feed).map { parts in
    FeedNews(
      feed: parts[0].feed, title: parts[0].title, count: parts.reduce(0) { $0 + $1.count },
      items: parts.reversed().flatMap(\.items))
  }
  let changes = feeds.reduce(0) { $0 + $1.changes.count }
  let total = feeds.reduce(unlisted) { $0 + $1.count }
  let counts =
    (total > 0 ? ["\(total) new"] : []) + (others.isEmpty ? [] : [counted(others.count, "message")])
  let title = (total > 0 ? shortList(feeds.map(\.title)) + ": " : "") + counts.joined(separator: ", ")
  let lines =
    if let only = feeds.first, feeds.count == 1, only.changes.isEmpty, !only.items.isEmpty {
      titleLine(only.items.map(\.title), count: only.count, separator: "\n").split(separator: "\n").map(
        String.init)
    } else {
      feeds.flatMap { $0.lines(amongChanges: changes) }
    }
  let urgency =
    messages.contains { $0.fields.fieldText("urgency") == Urgency.critical.rawValue }
    ? Urgency.critical : .normal
  let sound = messages.map { $0.fields.fieldText("sound") }.first { !$0.isEmpty }
  return origin.event(
    .notification, mark: "summary.\(hook).\(first)",
    fixedMessage(
      title: title, body: body(of: lines + others), identifier: identifier,
      urgency: urgency, count: total, sound: sound))
}

/// The news of one feed in a summary.
private struct FeedNews {
  let feed: FeedName
  let title: String
  let count: Int
  /// Its items, newest first.
  let items: [EventItem]

  var changes: [[String]] { items.map(\.changes).filter { !$0.isEmpty } }

  /// `Planet: A; B; C; and 4 more`, or the first lines of each change of a watched page.
  func lines(amongChanges count: Int) -> [String] {
    let changes = changes
    guard changes.isEmpty else {
      return changes.map { lines in
        let lines = PageChange.beginning(of: lines, amongChanges: count)
        return title + (lines.count == 1 ? ": " : ":\n") + lines.joined(separator: "\n")
      }
    }
    guard !items.isEmpty else { return ["\(title): \(self.count) new"] }
    let titles = items.lazy.map { cleanText($0.title, limit: 120) }
    return [title + ": " + titleLine(titles, count: self.count, most: 3)]
  }
}

/// A message without items on one line: its title and body.
func messageLine(_ fields: JSONValue) -> String {
  let words = [fields.fieldText("title"), fields.fieldText("body")].filter { !$0.isEmpty }
  return cleanText(words.joined(separator: ": "), limit: 256)
}

private func newsCount(_ fields: JSONValue) -> Int {
  // A sum of counts from a damaged database must not overflow.
  min(max(Int(fields.fieldText("count")) ?? 0, 0), Int(Int32.max))
}

/// As many lines as fit into an argument even as markup, and a last one that says how many more there are.
private func body(of lines: [String]) -> String {
  let lines = lines.map { cleanLines($0, limit: 1024) }
  let sizes = lines.map { markup($0).utf8.count + 1 }
  // The last line has no line end.
  var room = longestArgument + 1
  if sizes.reduce(0, +) <= room { return lines.joined(separator: "\n") }
  func rest(_ count: Int) -> String { "and \(count) more" }
  room -= rest(lines.count).utf8.count + 1
  var shown = 0
  while shown < lines.count, sizes[shown] <= room {
    room -= sizes[shown]
    shown += 1
  }
  return (lines.prefix(shown) + [rest(lines.count - shown)]).joined(separator: "\n")
}

/// The most titles in a message.
let mostTitles = 10

/// The most lines of the titles or changes in a message, of which the first may have more.
let mostLines = 2 * mostTitles

/// Titles on one line: `A; B; and 3 more`.
///
/// - Parameters:
///   - count: how many there are in all; at least as many as titles are given.
///   - most: the most titles to show.
///   - separator: a line break for titles on a line each.
func titleLine(
  _ titles: some Sequence<String>, count: Int, most: Int = mostTitles, separator: String = "; "
) -> String {
  let shown = Array(titles.prefix(most))
  let rest = count - shown.count
  return (shown + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: separator)
}

/// The names of a few feeds: `Planet, Moon, Sun and 4 more`.
func shortList(_ titles: [String]) -> String {
  let shown = titles.prefix(3).joined(separator: ", ")
  return titles.count > 3 ? "\(shown) and \(titles.count - 3) more" : shown
}

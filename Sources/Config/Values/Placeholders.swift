// The placeholders of each context: the table of bgfetch.yaml(5) as code.

import Core

/// The placeholders of one context.
struct PlaceholderSet {
  let names: [String]
  /// The context, for messages: `in notify`.
  let context: String

  /// - Parameter lists: lists of names with blanks between them; a name may be in several.
  fileprivate init(_ lists: [String], _ context: String) {
    var seen: Set<Substring> = []
    names = lists.flatMap { $0.split(separator: " ") }.filter { seen.insert($0).inserted }.map(String.init)
    self.context = context
  }

  /// Whether a placeholder may begin with `-`, like an option: it is text from feeds, or made from it.
  func isFree(_ name: String) -> Bool { names.contains(name) && freePlaceholders.contains(name) }

  /// The placeholders of `title`, `body` and `identifier`.
  static let notify = PlaceholderSet(
    ["feed feed.title feed.link count titles badge feeds", item], "in notify")

  /// The placeholders of `notify.item`.
  static let notifyItem = PlaceholderSet(["feed feed.title feed.link", item], "in notify.item")

  /// The placeholders of `download.name`.
  static let fileName = PlaceholderSet(
    ["feed feed.title title published id name ext index season episode duration"], "in download.name")

  /// The placeholders of a hook: those of all its events.
  ///
  /// A placeholder that an event does not have is empty.
  static func hook(_ events: Set<EventKind>) -> PlaceholderSet {
    let events = EventKind.allCases.filter(events.contains)
    return PlaceholderSet(
      events.map(placeholders),
      (events.count == 1 ? "for the event " : "for the events ") + list(events.map(\.rawValue), "and"))
  }

  /// The placeholders of all events, for a hook whose events are invalid.
  static let anyHook = PlaceholderSet(EventKind.subscribable.map(placeholders), "for any event")
}

/// The placeholders that are times and may have a format.
let timePlaceholders: Set = ["time", "published", "item.published"]

/// The placeholders with text from feeds, or made from it; all others are numbers, paths, addresses, names or keywords.
private let freePlaceholders: Set = [
  "feed.title", "item.title", "item.id", "item.summary", "item.author", "item.content", "item.content.text",
  "item.categories", "titles", "feeds", "title", "body", "body.markup", "sound", "identifier", "id", "name",
  "asset.type", "reason", "summary",
]

private let item =
  "item.title item.link item.id item.summary item.published item.author item.content item.content.text "
  + "item.categories item.comments item.image item.duration item.season item.episode"

private func placeholders(of event: EventKind) -> String {
  let common = "event event-id time cause "
  let feed = common + "feed feed.title "
  switch event {
  case .notification:
    return "title body body.markup sound urgency badge identifier replaces numbers feed link id count "
      + common
  case .digest: return "title body badge count " + common
  case .newItem: return feed + item
  case .newData, .noData, .failed: return feed + "result reason count"
  case .failing, .recovered: return feed + "reason count"
  case .assetPlaced, .transferFailed, .authRequired:
    return feed + item + " asset.path asset.url asset.type asset.size asset.sha256 reason"
  case .sessionFinished: return feed + "count failed"
  case .pushReceived: return feed + "payload"
  case .badgeChanged: return common + "badge"
  case .runStarted, .runExpired, .runFinished:
    return common + "due new-data no-data failed exit-status summary"
  }
}

// The placeholders of each context: the table of bgfetch.yaml(5) as code.

import Core

/// A placeholder with the facts that checks need.
struct Placeholder {
  let name: String
  /// Whether it is a time and may have a format.
  let isTime: Bool
  /// Whether its text may begin with `-`, like an option: text from feeds, and text made from it.
  let isFree: Bool

  fileprivate static func time(_ name: String) -> Placeholder {
    Placeholder(name: name, isTime: true, isFree: false)
  }

  fileprivate static func free(_ name: String) -> Placeholder {
    Placeholder(name: name, isTime: false, isFree: true)
  }

  /// A name, a number, a path, an address or a keyword.
  fileprivate static func plain(_ name: String) -> Placeholder {
    Placeholder(name: name, isTime: false, isFree: false)
  }
}

/// The placeholders of one context.
struct PlaceholderSet {
  let all: [Placeholder]
  /// The context, for messages: `in notify`.
  let context: String

  fileprivate init(_ placeholders: [Placeholder], _ context: String) {
    var names: Set<String> = []
    all = placeholders.filter { names.insert($0.name).inserted }
    self.context = context
  }

  subscript(name: String) -> Placeholder? { all.first { $0.name == name } }

  /// The placeholders of `title`, `body` and `identifier`.
  static let notify = PlaceholderSet(
    feed + [.plain("count"), .free("titles"), .plain("badge"), .free("feeds")] + item, "in notify")

  /// The placeholders of `notify.item`.
  static let notifyItem = PlaceholderSet(feed + item, "in notify.item")

  /// The placeholders of `download.name`.
  static let fileName = PlaceholderSet(
    [
      .plain("feed"), .free("feed.title"), .free("title"), .time("published"), .free("id"), .free("name"),
      .plain("ext"), .plain("index"), .plain("season"), .plain("episode"), .plain("duration"),
    ], "in download.name")

  /// The placeholders of a hook: those of all its events.
  ///
  /// A placeholder that an event does not have is empty.
  static func hook(_ events: Set<EventKind>) -> PlaceholderSet {
    let events = EventKind.allCases.filter(events.contains)
    return PlaceholderSet(
      events.flatMap(placeholders),
      (events.count == 1 ? "for the event " : "for the events ") + list(events.map(\.rawValue), "and"))
  }

  /// The placeholders of all events, for a hook whose events are invalid.
  static let anyHook = PlaceholderSet(EventKind.subscribable.flatMap(placeholders), "for any event")
}

private let item: [Placeholder] = [
  .free("item.title"), .plain("item.link"), .free("item.id"), .free("item.summary"), .time("item.published"),
  .free("item.author"), .free("item.content"), .free("item.content.text"), .free("item.categories"),
  .plain("item.comments"), .plain("item.image"), .plain("item.duration"), .plain("item.season"),
  .plain("item.episode"),
]

private let asset: [Placeholder] = [
  .plain("asset.path"), .plain("asset.url"), .free("asset.type"), .plain("asset.size"),
  .plain("asset.sha256"),
]

private let feed: [Placeholder] = [.plain("feed"), .free("feed.title"), .plain("feed.link")]

private func placeholders(of event: EventKind) -> [Placeholder] {
  let common: [Placeholder] = [.plain("event"), .plain("event-id"), .time("time"), .plain("cause")]
  let feed: [Placeholder] = [.plain("feed"), .free("feed.title")]
  let outcome: [Placeholder] = [.free("reason"), .plain("count")]
  switch event {
  case .notification:
    return [
      .free("title"), .free("body"), .free("body.markup"), .free("sound"), .plain("urgency"), .plain("badge"),
      .free("identifier"), .plain("replaces"), .plain("numbers"), .plain("feed"), .plain("link"), .free("id"),
      .plain("count"),
    ] + common
  case .digest: return [.free("title"), .free("body"), .plain("badge"), .plain("count")] + common
  case .newItem: return common + feed + item
  case .newData, .noData, .failed: return common + feed + [.plain("result")] + outcome
  case .failing, .recovered: return common + feed + outcome
  case .assetPlaced, .transferFailed, .authRequired:
    return common + feed + item + asset + [.free("reason")]
  case .sessionFinished: return common + feed + ["count", "failed"].map(Placeholder.plain)
  case .pushReceived: return common + feed + ["payload"].map(Placeholder.plain)
  case .badgeChanged: return common + [.plain("badge")]
  case .runStarted, .runExpired, .runFinished:
    return common
      + ["due", "new-data", "no-data", "failed", "exit-status"].map(Placeholder.plain) + [.free("summary")]
  }
}

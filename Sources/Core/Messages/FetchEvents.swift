// The events of one fetch, with the hooks that hear of them.

/// Who and what the events of a run have in common.
public struct EventOrigin: Hashable, Sendable {
  /// The run, in a form that is unique for ever: part of every event's id.
  public var run: String
  /// When the run began.
  public var time: Instant
  /// What woke it.
  public var cause: RunCause

  /// The origin of a run's events.
  public init(run: Int64, time: Instant, cause: RunCause) {
    self.run = "\(time.secondsSince1970)-\(run)"
    self.time = time
    self.cause = cause
  }

  /// An event of this run; `mark` tells it from others of its kind and feed.
  public func event(
    _ kind: EventKind, feed: FeedName? = nil, mark: String = "", _ fields: [EventField] = []
  ) -> Event {
    // No feed name holds a slash, and every part keeps its place: different events never share an id.
    let id = [run, kind.rawValue, feed?.text ?? "", mark].joined(separator: "/")
    return Event(id: id, kind: kind, feed: feed, time: time, cause: cause, fields: fields)
  }
}

/// The events of one fetch that some hook hears of, in the order in which they are told: items oldest first,
/// then the result, the feed's health, and the messages.
public func fetchEvents(
  _ outcome: FetchOutcome, feed: FeedSpec, label: FeedLabel, hooks: [HookSpec], origin: EventOrigin
) -> [EventRecord] {
  var events = FetchEvents(outcome: outcome, feed: feed, label: label, hooks: hooks, origin: origin)
  events.addItems()
  events.addResult()
  events.addMessages()
  return events.records
}

/// The events of one fetch on their way.
private struct FetchEvents {
  let outcome: FetchOutcome
  let feed: FeedSpec
  let label: FeedLabel
  let hooks: [HookSpec]
  let origin: EventOrigin
  private(set) var records: [EventRecord] = []

  private var found: Classification { outcome.classification }

  init(
    outcome: FetchOutcome, feed: FeedSpec, label: FeedLabel, hooks: [HookSpec], origin: EventOrigin
  ) {
    self.outcome = outcome
    self.feed = feed
    self.label = label
    self.hooks = hooks
    self.origin = origin
  }

  /// What is new, an event an item.
  mutating func addItems() {
    for place in found.announcedItems {
      add(.newItem, mark: String(place), itemFields(found.newItems[place]))
    }
  }

  /// What the fetch came to, and what that says of the feed's health.
  mutating func addResult() {
    let counts = [
      EventField("result", outcome.result.rawValue), EventField("reason", outcome.reason),
      EventField("count", outcome.result == .failed ? outcome.failures : found.count),
    ]
    switch outcome.result {
    case .newData: add(.newData, counts)
    case .noData: add(.noData, counts)
    case .failed: add(.failed, counts)
    }
    switch outcome.health {
    case .failing, .gone: add(.failing, counts)
    case .recovered: add(.recovered, counts)
    case nil: break
    }
  }

  /// What the person is told of it.
  mutating func addMessages() {
    guard let notify = feed.notify else { return }
    switch notify.group {
    case .item:
      for place in found.announcedItems {
        add(
          .notification, mark: "n\(place)", aboutItems(notify, found.newItems[place]), among: notify.hooks,
          newItems: [place])
      }
      for item in found.updatedItems {
        add(
          .notification, mark: "u\(item.number)", aboutItems(notify, item.record), among: notify.hooks,
          knownItems: [item.number])
      }
    case .feed, .run:
      guard found.count > 0 else { break }
      add(
        .notification, aboutItems(notify), among: notify.hooks,
        newItems: found.announcedItems, knownItems: found.updatedItems.map(\.number))
    }
    if let health = outcome.health {
      let message = healthMessage(health, outcome, label: label, notify)
      add(.notification, mark: "health", message, among: notify.hooks)
    }
    if let quiet = found.quietItems, quiet > 0 {
      let message = rebuiltMessage(quiet, label: label, notify)
      add(.notification, mark: "rebuilt", message, among: notify.hooks)
    }
  }

  /// What a message about items is recorded with; its text is made when it is told.
  private func aboutItems(_ notify: NotifySpec, _ item: ItemRecord? = nil) -> [EventField] {
    let identifier = waitingIdentifier(notify, label: label, item: item)
    return [EventField("group", notify.group.rawValue), EventField("identifier", identifier)]
  }

  /// Adds an event for the hooks that hear of it, of those that are allowed; nil allows all.
  private mutating func add(
    _ kind: EventKind, mark: String = "", _ fields: [EventField], among allowed: [String]? = nil,
    newItems: [Int] = [], knownItems: [Int64] = []
  ) {
    let hearing = hooks.filter { hook in
      hook.events.contains(kind) && hook.hears(of: feed) && allowed?.contains(hook.name) ?? true
    }
    guard !hearing.isEmpty else { return }
    let about = [EventField("feed.title", label.title), EventField("feed.link", label.link)]
    records.append(
      EventRecord(
        event: origin.event(kind, feed: feed.name, mark: mark, about + fields), hooks: hearing.map(\.name),
        newItems: newItems, knownItems: knownItems))
  }
}

/// The `item.…` fields of an event.
func itemFields(_ item: ItemRecord) -> [EventField] {
  [
    EventField("item.id", (item.guid ?? item.link).map { cleanText($0, limit: 1024) }),
    EventField("item.title", itemTitle(item)),
    EventField("item.link", webLink(item.link)),
    EventField("item.published", item.published.map(EventField.Value.time) ?? .none),
    EventField("item.summary", item.summary), EventField("item.author", item.author),
  ]
}

/// What an item is called: its title, else the beginning of its summary, else its link.
public func itemTitle(_ item: ItemRecord) -> String {
  if let title = item.title, !title.isEmpty { return title }
  if let summary = item.summary, !summary.isEmpty { return cleanText(summary, limit: 120) }
  return item.link.map { cleanText($0, limit: 1024) } ?? "(untitled)"
}

private func healthMessage(
  _ health: HealthChange, _ outcome: FetchOutcome, label: FeedLabel, _ notify: NotifySpec
) -> [EventField] {
  let (title, body) =
    switch health {
    case .failing:
      (
        "\(label.title) is failing",
        "\(outcome.failures == 1 ? "1 failure" : "\(outcome.failures) failures in a row"): \(outcome.reason)"
      )
    case .recovered: ("\(label.title) has recovered", "the feed can be fetched again")
    case .gone:
      ("\(label.title) is gone", "the server says it will not come back (410); asked once in 30 days")
    }
  return fixedMessage(
    title: title, body: body, identifier: "\(label.name).health", urgency: notify.urgency, link: label.link,
    count: 0)
}

/// The one notice of a mass change, in which old items came under new identities.
private func rebuiltMessage(_ quiet: Int, label: FeedLabel, _ notify: NotifySpec) -> [EventField] {
  fixedMessage(
    title: "\(label.title) was rebuilt",
    body: "\(quiet) old items came under new identities and count as seen",
    identifier: "\(label.name).rebuilt", urgency: notify.urgency, link: label.link, count: 0)
}

/// The fields of a message whose text does not depend on which items are still unseen.
public func fixedMessage(
  title: String, body: String, identifier: String, urgency: Urgency, link: String, count: Int,
  sound: String? = nil
) -> [EventField] {
  [
    EventField("group", "fixed"), EventField("title", cleanText(title, limit: 4096)),
    EventField("body", body), EventField("sound", sound), EventField("urgency", urgency.rawValue),
    EventField("identifier", identifier), EventField("link", link), EventField("count", count),
  ]
}

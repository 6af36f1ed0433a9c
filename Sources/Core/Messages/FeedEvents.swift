// The events and messages that one fetch or one download causes.

/// The events of one fetch that some hook receives, in the order of delivery: new items, oldest first; the result; the
/// feed's health; messages.
func fetchEvents(
  _ outcome: FetchOutcome, feed: FeedSpec, label: FeedLabel, hooks: [HookSpec], origin: EventOrigin
) -> [EventRecord] {
  var events = FetchEvents(outcome: outcome, feed: feed, label: label, hooks: hooks, origin: origin)
  events.addItems()
  events.addResult()
  events.addMessages()
  return events.records
}

private struct FetchEvents {
  let outcome: FetchOutcome
  let feed: FeedSpec
  let label: FeedLabel
  let hooks: [HookSpec]
  let origin: EventOrigin
  private(set) var records: [EventRecord] = []

  private var found: Classification { outcome.classification }

  mutating func addItems() {
    // Without a hook for them, their fields need not be made.
    guard hooks.contains(where: { $0.events.contains(.newItem) }) else { return }
    for index in found.announcedItems {
      add(.newItem, mark: String(index), itemFields(found.newItems[index]), newItems: [index])
    }
  }

  mutating func addResult() {
    let counts = JSONValue([
      "result": outcome.result.rawValue, "reason": outcome.reason,
      "count": outcome.result == .failed ? outcome.failures : found.count,
    ])
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

  mutating func addMessages() {
    guard let notify = feed.notify, !hooks.isEmpty else { return }
    for group in NotificationGroup.allCases where found.count > 0 { addNews(notify, group) }
    if let health = outcome.health {
      let message = healthMessage(health, outcome, label: label, notify)
      add(.notification, mark: "health", message, among: notify.hooks)
    }
    if let quiet = found.quietItems, quiet > 0 {
      let message = rebuiltMessage(quiet, label: label, notify)
      add(.notification, mark: "rebuilt", message, among: notify.hooks)
    }
  }

  /// Adds the messages about items, whose text is made later, for the hooks whose messages cover this.
  private mutating func addNews(_ notify: NotifySpec, _ group: NotificationGroup) {
    let hooks = hooks.filter { $0.group == group }
    func add(_ mark: String, about item: ItemRecord? = nil, newItems: [Int] = [], knownItems: [Int64] = []) {
      self.add(
        .notification, mark: mark,
        JSONValue(["identifier": waitingIdentifier(notify, group, label: label, item: item)]),
        group: group, for: hooks, among: notify.hooks, newItems: newItems, knownItems: knownItems)
    }
    guard group == .item else {
      let known = found.updatedItems.map(\.number)
      return add(group == .run ? "run" : "", newItems: found.announcedItems, knownItems: known)
    }
    for index in found.announcedItems { add("n\(index)", about: found.newItems[index], newItems: [index]) }
    for item in found.updatedItems {
      add(Event.markOfUpdate + "\(item.number)", about: item.record, knownItems: [item.number])
    }
  }

  /// Adds an event if one of some hooks, or of all, receives it.
  private mutating func add(
    _ kind: EventKind, mark: String = "", _ fields: JSONValue, group: NotificationGroup? = nil,
    for some: [HookSpec]? = nil, among allowed: [String]? = nil, newItems: [Int] = [],
    knownItems: [Int64] = []
  ) {
    guard
      var record = eventRecord(
        kind, mark: mark, fields, group: group, feed: feed, label: label, hooks: some ?? hooks,
        among: allowed, origin: origin)
    else { return }
    record.newItems = newItems
    record.knownItems = knownItems
    records.append(record)
  }
}

/// An event about a feed for the hooks that subscribe to it, if they are among the allowed ones; nil if there are none.
///
/// - Parameter allowed: the names of the allowed hooks; nil allows all.
func eventRecord(
  _ kind: EventKind, mark: String, _ fields: JSONValue, group: NotificationGroup? = nil, feed: FeedSpec,
  label: FeedLabel, hooks: [HookSpec], among allowed: [String]? = nil, origin: EventOrigin
) -> EventRecord? {
  let subscribers = hooks.filter { hook in
    hook.events.contains(kind) && hook.covers(feed) && allowed?.contains(hook.name) ?? true
  }
  guard !subscribers.isEmpty else { return nil }
  let about = JSONValue(["feed.title": label.title, "feed.link": label.link])
  return EventRecord(
    event: origin.event(kind, feed: feed.name, mark: mark, about.adding(fields), group: group),
    subscribers: subscribers)
}

/// The `item.…` fields of an event.
func itemFields(_ item: ItemRecord) -> JSONValue {
  JSONValue([
    "item.id": (item.guid ?? item.link).map { cleanText($0, limit: 1024) }, "item.title": itemTitle(item),
    "item.link": webLink(item.link), "item.published": item.published, "item.summary": item.summary,
    "item.author": item.author,
  ])
}

/// The name of an item: its title, else the beginning of its summary, else its link.
public func itemTitle(_ item: ItemRecord) -> String {
  if let title = item.title, !title.isEmpty { return title }
  if let summary = item.summary, !summary.isEmpty { return cleanText(summary, limit: 120) }
  return item.link.map { cleanText($0, limit: 1024) } ?? "(untitled)"
}

private func healthMessage(
  _ health: HealthChange, _ outcome: FetchOutcome, label: FeedLabel, _ notify: NotifySpec
) -> JSONValue {
  let (title, body) =
    switch health {
    case .failing:
      (
        "\(label.title) is failing",
        "\(counted(outcome.failures, "failure", plural: "failures in a row")): \(outcome.reason)"
      )
    case .recovered: ("\(label.title) has recovered", "the feed can be fetched again")
    case .gone:
      (
        "\(label.title) is gone",
        "the server answered 410 again a day later, so it is permanently gone; requested once in 30 days"
      )
    }
  return fixedMessage(
    title: title, body: body, identifier: "\(label.name).health", urgency: notify.urgency, link: label.link)
}

/// The message about a mass change, in which old items appeared under new identities.
private func rebuiltMessage(_ quiet: Int, label: FeedLabel, _ notify: NotifySpec) -> JSONValue {
  fixedMessage(
    title: "\(label.title) was rebuilt",
    body: "\(quiet) old items have new identities and count as seen",
    identifier: "\(label.name).rebuilt", urgency: notify.urgency, link: label.link)
}

/// The fields of a message whose text does not depend on items.
func fixedMessage(
  title: String, body: String, identifier: String, urgency: Urgency, link: String = "", count: Int = 0,
  sound: String? = nil
) -> JSONValue {
  JSONValue([
    "title": cleanText(title, limit: 4096), "body": body, "sound": sound, "urgency": urgency.rawValue,
    "identifier": identifier, "link": link, "count": count,
  ])
}

/// The message that says which feeds were fetched for the first time.
public func addedFeedsEvent(_ titles: [String], origin: EventOrigin, hook: String) -> Event {
  origin.event(
    .notification, mark: "added.\(hook)",
    fixedMessage(
      title: counted(titles.count, "feed") + " added", body: shortList(titles), identifier: "bgfetch.added",
      urgency: .low))
}

/// The event `asset-placed`, `transfer-failed` or `auth-required`; nil if no hook subscribes to it.
///
/// - Parameters:
///   - known: the stored item, if there is one.
///   - hidden: the feed's secrets, which the address may contain.
public func transferEvent(
  _ kind: EventKind, _ transfer: Transfer, of known: ItemRecord? = nil, file: PlacedFile?, reason: String?,
  feed: FeedSpec, label: FeedLabel, hooks: [HookSpec], origin: EventOrigin,
  hiding hidden: HiddenWords = .none
) -> EventRecord? {
  let item = transfer.item
  let fields = JSONValue([
    "item.id": (item?.id).map { cleanText($0, limit: 1024) },
    "item.title": item?.title ?? transfer.description, "item.link": webLink(known?.link),
    "item.published": item?.published, "item.summary": known?.summary, "item.author": known?.author,
    "asset.path": file?.path, "asset.url": shownAddress(of: transfer, feed).map(hidden.masked),
    "asset.type": transfer.asset.type.map { cleanText($0, limit: 256) }, "asset.size": file?.size,
    "asset.sha256": file?.sha256, "reason": reason.map { cleanText($0, limit: 1024) },
  ])
  var event = eventRecord(
    kind, mark: String(transfer.number), fields, feed: feed, label: label, hooks: hooks, origin: origin)
  event?.knownItems = (item?.number).map { [$0] } ?? []
  return event
}

/// The event after the last transfer of a session; none if no hook subscribes to it.
public func sessionFinishedEvent(
  _ totals: SessionTotals, feed: FeedSpec, label: FeedLabel, hooks: [HookSpec], origin: EventOrigin
) -> [EventRecord] {
  let fields = JSONValue([
    "count": totals.finished, "failed": totals.failed, "cancelled": totals.cancelled,
    "reason": sessionText(totals),
  ])
  return [
    eventRecord(
      .sessionFinished, mark: String(totals.session), fields, feed: feed, label: label, hooks: hooks,
      origin: origin)
  ].compactMap(\.self)
}

/// The result of a session, such as `3 files` or `2 of 3 files, 1 failed`.
func sessionText(_ totals: SessionTotals) -> String {
  let rest = [(totals.failed, "failed"), (totals.cancelled, "cancelled")].filter { $0.0 > 0 }
  return
    ([filesText(totals.finished, of: totals.finished + totals.failed + totals.cancelled)]
    + rest.map { "\($0.0) \($0.1)" }).joined(separator: ", ")
}

/// How many files are present: `1 file`, `3 files`, `2 of 3 files`.
func filesText(_ count: Int, of total: Int) -> String {
  let word = total == 1 ? "file" : "files"
  return count == total ? "\(total) \(word)" : "\(count) of \(total) \(word)"
}

/// The address of an asset with secrets masked; for a feed of kind `asset` the feed's own.
private func shownAddress(of transfer: Transfer, _ feed: FeedSpec) -> String? {
  guard transfer.isFeedBody else { return webLink(URIReference(transfer.asset.url).masked.text) }
  return feed.hasSecretAddress ? "***" : webLink(feed.address?.masked)
}

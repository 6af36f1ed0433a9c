// The events of downloads.

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
  let fields = [
    EventField("item.id", (item?.id).map { cleanText($0, limit: 1024) }),
    EventField("item.title", item?.title ?? transfer.description),
    EventField("item.link", webLink(known?.link)),
    EventField("item.published", (item?.published).map(EventField.Value.time) ?? .none),
    EventField("item.summary", known?.summary), EventField("item.author", known?.author),
    EventField("asset.path", file?.path),
    EventField("asset.url", shownAddress(of: transfer, feed).map(hidden.masked)),
    EventField("asset.type", transfer.asset.type.map { cleanText($0, limit: 256) }),
    EventField("asset.size", (file?.size).map(EventField.Value.number) ?? .none),
    EventField("asset.sha256", file?.sha256), EventField("reason", reason.map { cleanText($0, limit: 1024) }),
  ]
  var event = eventRecord(
    kind, mark: String(transfer.number), fields, feed: feed, label: label, hooks: hooks, origin: origin)
  event?.knownItems = (item?.number).map { [$0] } ?? []
  return event
}

/// The event after the last transfer of a session; nil if no hook subscribes to it.
public func sessionFinishedEvent(
  _ totals: SessionTotals, feed: FeedSpec, label: FeedLabel, hooks: [HookSpec], origin: EventOrigin
) -> EventRecord? {
  let fields = [
    EventField("count", totals.finished), EventField("failed", totals.failed),
    EventField("cancelled", totals.cancelled), EventField("reason", sessionText(totals)),
  ]
  return eventRecord(
    .sessionFinished, mark: String(totals.session), fields, feed: feed, label: label, hooks: hooks,
    origin: origin)
}

/// The result of a session, such as `3 files` or `2 of 3 files, 1 failed`.
public func sessionText(_ totals: SessionTotals) -> String {
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
  guard transfer.asset.url.isEmpty else { return webLink(URIReference(transfer.asset.url).masked.text) }
  if case .secret = feed.url { return "***" }
  return webLink(feed.address?.masked)
}

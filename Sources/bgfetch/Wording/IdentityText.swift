// What was decided about the identities of a feed's items, in words.

import Core

/// What is said of a feed whose guids do not last.
let renewedGuids = "guids are renewed while links stay, so links decide what is new"

/// What is said of a feed whose document has more items than are read or listed; nil of any other.
func cutDocument(_ history: IdentityHistory) -> String? {
  guard let count = history.documentItems, count > ItemBounds.listed else { return nil }
  let read =
    history.itemsOfCutDocument == nil ? "" : "only the first \(ParsedFeed.maximumItems) are read and "
  return "the document has \(count) items: \(read)only the newest \(ItemBounds.listed) are listed"
}

/// What `status` says below its table about the identities of a feed's items.
func identityNotes(_ feed: FeedSpec, _ state: FeedState, now: Instant, in zone: Zone) -> [String] {
  let history = state.identity
  var notes: [String] = []
  if feed.identity == .guid, history.ignoresGuids { notes.append(renewedGuids) }
  switch history.repeated {
  case .guid: notes.append("guids repeat, so links and titles help to tell items apart")
  case .link: notes.append("links repeat, so titles and dates help to tell items apart")
  case .title: notes.append("titles repeat, so dates help to tell items apart")
  case nil: break
  }
  if history.quietItems > 0, let replacedAt = history.replacedAt, now.since(replacedAt) < .days(7) {
    notes.append(
      "on \(time(replacedAt, "%Y-%m-%d", in: zone)) \(counted(history.quietItems, "old item")) came under new identities and count as seen"
    )
  }
  if let cut = cutDocument(history) { notes.append(cut) }
  return notes.map { "\(feed.name): \($0)" }
}

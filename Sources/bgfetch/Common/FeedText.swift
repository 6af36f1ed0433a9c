// Messages about a feed that several commands share: its address, its move, its identities.

import Core

/// An address without credentials and control characters.
func addressText(_ address: String) -> String {
  cleanText(WebAddress(address)?.masked ?? address, limit: 500)
}

func addressText(of feed: FeedSpec) -> String {
  switch feed.source {
  case .web(let address): address.masked
  case .file(let file): file.text
  case .secret: "***"
  case .command: cleanText("command: " + feed.command.joined(separator: " "), limit: 500)
  }
}

/// The result of a fetch for a person, for example `3 new`, `nothing new, not modified` or `failed, the server answered 500`.
func resultText(_ result: FetchResult, _ reason: String?) -> String {
  guard let reason else { return result.words }
  return result == .newData || reason.hasPrefix(result.words) ? reason : "\(result.words), \(reason)"
}

extension FetchResult {
  /// The word for a person; JSON, hooks and the history have the raw value.
  var words: String {
    switch self {
    case .newData: "new"
    case .noData: "nothing new"
    case .failed: "failed"
    }
  }
}

/// The message that a feed has moved, or is back at its configured address.
func moveText(_ feed: FeedName, _ move: MoveChange) -> String {
  switch move {
  case .learned(let address): "\(feed)  \(movedText(address))"
  case .forgotten(let address):
    "\(feed)  works at its configured address again; \(addressText(address)) is forgotten"
  }
}

/// The message that a feed has another name or another address.
func keptText(_ feed: FeedName, was former: String, items: Int) -> String {
  "\(feed)  was \(former) before, and keeps its \(counted(items, "item")), stars and files"
}

/// The message that feeds left the configuration.
func leftText(_ feeds: [FeedName], unseen: Int) -> String {
  let more = feeds.count > 5 ? ["\(feeds.count - 4) more feeds"] : []
  let names = feeds.prefix(more.isEmpty ? 5 : 4).map(\.text) + more
  let whose = feeds.count == 1 ? "its" : "their"
  return
    "\(list(names, "and")) left the configuration; \(whose) items\(unseen > 0 ? ", \(unseen) of them unseen," : "") are kept for \(Retention.dormantFeeds.text), "
    + "in case \(whose) name or address comes back"
}

/// The message that a feed has moved, and what to do.
func movedText(_ address: String) -> String {
  "has moved to \(addressText(address)); write it into the configuration"
}

/// The same as JSON.
func moveJSON(_ feed: FeedName, _ move: MoveChange) -> JSONValue {
  let (address, isLearned) =
    switch move {
    case .learned(let address): (address, true)
    case .forgotten(let address): (address, false)
    }
  return JSONValue(["type": "moved", "feed": feed, "address": addressText(address), "learned": isLearned])
}

/// The note about a document with more items than are read or listed; nil for other documents.
func cutDocument(_ history: IdentityHistory) -> String? {
  guard let count = history.documentItems, count > ItemBounds.listed else { return nil }
  let read =
    history.itemsOfCutDocument == nil ? "" : "only the first \(ParsedFeed.maximumItems) are read and "
  return "the document has \(count) items: \(read)only the newest \(ItemBounds.listed) are listed"
}

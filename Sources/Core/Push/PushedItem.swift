// The item that stands for the file that a push brings: what the badge counts and messages tell of.

/// The item of a push and the one file to download; nil where the feed has no `push.url`.
///
/// It is told apart by the `content-id`, as an item of the feed's document by its guid, so that the two are one where the
/// publisher calls them the same; without one by the address, or by the time where that is the same for every push. It is
/// unseen, and has no date of its own.
///
/// - Parameters:
///   - payload: what the push says.
///   - feed: its feed.
///   - now: the start of the run.
/// - Returns: the item as it is stored if it is new, and its file. The store may know an item with the same guid; the
///   file belongs to that one then.
/// - Throws: what keeps the templates of the feed from being filled.
public func pushedItem(
  _ payload: PushPayload, feed: FeedSpec, at now: Instant
) throws(PushProblem) -> (item: ItemRecord, asset: Asset)? {
  guard let (address, description) = try pushedAsset(payload, feed: feed) else { return nil }
  var guid = address
  if let contentID = payload.contentID, !contentID.isEmpty {
    guid = contentID
  } else if feed.push.url?.placeholders.isEmpty == true {
    guid += "#\(now.secondsSince1970)"
  }
  var parsed = ParsedItem()
  parsed.id = guid
  parsed.title = description
  parsed.enclosures = [Enclosure(url: address)]
  let keys = parsed.identityKeys
  let item = ItemRecord(
    guid: guid, link: nil, keys: keys, editHash: parsed.editHash(keys), title: description, summary: nil,
    author: nil, published: nil, isSeen: false, isFiltered: false)
  return (item, Asset(url: address))
}

// The item that stands for the file that a push brings: what the badge counts and messages tell of.

public import Model
public import Timing

/// The new item of a push, with the one file that is to be downloaded; nil where the feed has no `push.url`.
///
/// It is told apart by the `content-id`, as an item of the feed's document by its guid, so that the two are one where the
/// publisher calls them the same; without one by the address, or by the time where that is the same for every push. It is
/// unseen, and has no date of its own.
///
/// - Parameters:
///   - payload: what the push says.
///   - feed: its feed.
///   - now: the start of the run.
/// - Returns: the item as the first new one of a commit; the store may know one with the same guid already.
/// - Throws: what keeps the templates of the feed from being filled.
public func pushedItem(
  _ payload: PushPayload, feed: FeedSpec, at now: Instant
) throws(PushProblem) -> (item: ItemRecord, assets: AssetFindings)? {
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
  var asset = FoundAsset(item: .new(0), asset: Asset(url: address), description: description)
  asset.isPushed = true
  var assets = AssetFindings()
  assets.known = [asset]
  assets.wanted = [asset]
  return (item, assets)
}

// Which files of known items are downloaded when the person asks for those of an item.

/// Whether an asset is one of those that the configuration of its feed wants, however old its item is.
///
/// One that `select` did not take when it was found has the index 0. What pushes bring is wanted in any case.
public func isWanted(_ asset: Asset, of feed: FeedSpec) -> Bool {
  if let address = WebAddress(asset.url), feed.isPushAddress(address) { return true }
  guard let download = feed.download else { return false }
  return AssetWish(download).wants(ItemAsset(asset: asset, isSelected: asset.index > 0))
}

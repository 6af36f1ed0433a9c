// What a document says about assets, as it is written together with its items.

/// The assets of one document that the store did not know, and those of them that are wanted.
public struct AssetFindings: Hashable, Sendable {
  /// Assets to be remembered as known, wanted or not: what is known is never queued again.
  public var known: [FoundAsset] = []
  /// Assets to be queued, in the order in which they are to be downloaded; each is in `known` too.
  public var wanted: [FoundAsset] = []

  /// Assets that the store knew, as the document has them now: a renewed query is how signed addresses stay good.
  public var shown: [FoundAsset] = []

  /// No assets.
  public init() {}

  /// The one file that a push names.
  public init(ofPush asset: Asset, of item: FoundAsset.ItemReference, description: String) {
    var found = FoundAsset(item: item, asset: asset, description: description)
    found.isPushed = true
    (known, wanted) = ([found], [found])
  }

  /// Whether there is nothing to write.
  public var isEmpty: Bool { known.isEmpty && wanted.isEmpty && shown.isEmpty }
}

/// One asset of one item of a document, or of a push.
public struct FoundAsset: Hashable, Sendable {
  /// Its item.
  public var item: ItemReference
  /// The asset.
  public var asset: Asset
  /// What people call its transfer.
  public var description: String
  /// Whether a push named it: the user has written its host.
  public var isPushed = false

  /// An item of a commit: one of its new ones by their place, or a known one by the store's number.
  public enum ItemReference: Hashable, Sendable {
    /// The place in `FeedCommit.newItems`.
    case new(Int)
    /// The store's number.
    case known(Int64)
  }

  /// An asset of an item.
  public init(item: ItemReference, asset: Asset, description: String) {
    self.item = item
    self.asset = asset
    self.description = description
  }
}

/// An asset that the store knows of an item.
public struct KnownAsset: Hashable, Sendable {
  /// The item's number.
  public var item: Int64
  /// `Asset.key`.
  public var key: UInt64

  /// A known asset.
  public init(item: Int64, key: UInt64) {
    self.item = item
    self.key = key
  }
}

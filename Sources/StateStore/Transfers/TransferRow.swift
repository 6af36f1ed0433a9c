// A transfer as columns, in one order for reading and writing.

import Core

/// The columns that make a `Transfer`, and how they map to it.
enum TransferRow {
  /// Selects transfers; what follows chooses and sorts them.
  static let select = select(from: "transfer")

  /// Selects transfers from a table of this name.
  static func select(from table: String) -> String { "SELECT \(columns) FROM \(table) \(joins)" }

  /// The columns in the order in which `read` takes them.
  static let columns = """
    transfer.number, feed.name, transfer.session, transfer.url, transfer.type, transfer.length, transfer.place, \
    item.number, \(Store.guid), item.link, iif(is_pruned, transfer.description, item.title), item.published, item.first_seen, is_feed_body, \
    coalesce((SELECT is_pushed \(ofAsset)), 0), (SELECT inner_address \(ofAsset)), \
    transfer.description, transfer.queued, transfer.status, is_held, transfer.reason, transfer.not_before, \
    transfer.failures, failing_since, cuts, transfer.crashes, \(qualifiedPartialColumns), transfer.directory, intent.transfer IS NOT NULL, \
    intent.directory, intent.name, intent.size, intent.sha256, intent.modified, device, inode, replaces, \
    placed_file.transfer IS NOT NULL, placed_file.directory, placed_file.name, placed_file.size, placed_file.sha256, \
    placed, removed
    """

  /// Where an asset's columns come from, which a join would make ambiguous.
  private static let ofAsset = """
    FROM asset WHERE asset.feed = transfer.feed AND asset.item = transfer.item \
    AND asset.asset_key = transfer.asset_key
    """

  /// What the columns are taken from beside `transfer`.
  static let joins = """
    JOIN feed ON feed.number = transfer.feed LEFT JOIN item ON item.number = transfer.item \
    LEFT JOIN intent ON intent.transfer = transfer.number \
    LEFT JOIN placed_file ON placed_file.transfer = transfer.number
    """

  /// The columns of `transfer` that make a `PartialDownload`, in the order in which it has them.
  static let partialColumns =
    "bytes, total, entity_tag, last_modified, date, accepts_ranges, address, partial_sha256"

  /// The same where other tables have columns of these names.
  private static let qualifiedPartialColumns =
    partialColumns.split(separator: ", ").map { "transfer." + $0 }.joined(separator: ", ")

  /// Reads a transfer from a row that stands on the first of `columns`.
  static func read(_ row: inout Row) throws(StoreFailure) -> Transfer {
    let number: Int64 = try row.next()
    let feed: FeedName = try row.next()
    let session: Int64 = try row.next()
    let asset = Asset(
      url: try row.next(), type: try row.next(), length: try row.optionalSize(), index: try row.next())
    let item = try self.item(&row)
    let isFeedBody: Bool = try row.next()
    let isPushed: Bool = try row.next()
    let innerAddress: NetworkAddress? = try row.next()
    var transfer = Transfer(
      number: number, feed: feed, session: session, asset: asset, item: item, description: try row.next(),
      queued: try row.next())
    transfer.isFeedBody = isFeedBody
    (transfer.isPushed, transfer.innerAddress) = (isPushed, innerAddress)
    transfer.status = try row.next()
    transfer.isHeld = try row.next()
    transfer.reason = try row.next()
    transfer.notBefore = try row.next()
    transfer.failures = try row.next()
    transfer.failingSince = try row.next()
    transfer.cuts = try row.next()
    transfer.crashes = try row.next()
    transfer.partial = try partial(&row)
    transfer.directory = try row.next()
    transfer.intent = try intent(&row)
    transfer.file = try file(&row)
    return transfer
  }

  private static func item(_ row: inout Row) throws(StoreFailure) -> TransferItem? {
    let number: Int64? = try row.next()
    let guid: String? = try row.next()
    let link: String? = try row.next()
    let title: String? = try row.next()
    let published: Instant? = try row.next()
    let firstSeen: Instant? = try row.next()
    guard let number, let firstSeen else { return nil }
    return TransferItem(
      number: number, id: guid ?? link, title: title, published: published, firstSeen: firstSeen)
  }

  private static func partial(_ row: inout Row) throws(StoreFailure) -> PartialDownload {
    var partial = PartialDownload()
    partial.bytes = try row.size()
    partial.total = try row.optionalSize()
    partial.entityTag = try row.next()
    partial.lastModified = try row.next()
    partial.date = try row.next()
    partial.acceptsRanges = try row.next()
    partial.address = try row.next()
    partial.sha256 = try row.next()
    return partial
  }

  private static func intent(_ row: inout Row) throws(StoreFailure) -> PlacementIntent? {
    guard try row.next(Bool.self) else {
      row.skip(8)
      return nil
    }
    var intent = PlacementIntent(
      directory: try row.next(), name: try row.next(), size: try row.size(), sha256: try row.next(),
      modified: try row.next(), identity: FileIdentity(device: try row.next(), inode: try row.next()))
    intent.replaces = try row.next()
    return intent
  }

  private static func file(_ row: inout Row) throws(StoreFailure) -> PlacedFile? {
    guard try row.next(Bool.self) else { return nil }
    return try placedFile(&row)
  }

  /// Reads a placed file from a row that stands on its directory, name, size, SHA-256, and when it was placed and removed.
  static func placedFile(_ row: inout Row) throws(StoreFailure) -> PlacedFile {
    var file = PlacedFile(
      directory: try row.next(), name: try row.next(), size: try row.size(), sha256: try row.next(),
      placed: try row.next())
    file.removed = try row.next()
    return file
  }
}

// Transfers, partial files, intents and placed files as columns.

import Core

/// The query that selects transfers.
enum TransferRow {
  /// Selects all transfers; a condition and an order may follow.
  static let select = select(from: "transfer")

  static func select(from table: String) -> String { "SELECT \(columns) FROM \(table) \(joins)" }

  /// The columns that `read` reads.
  static let columns = """
    transfer.number, feed.name, transfer.session, transfer.url, transfer.type, transfer.length, transfer.place, \
    item.number, \(Store.guid), item.link, iif(is_pruned = 1, transfer.description, item.title), item.published, \
    item.first_seen, transfer.description, transfer.queued, \
    coalesce((SELECT is_pushed \(ofAsset)), 0), (SELECT inner_address \(ofAsset)), \
    feed.inner_address, transfer.status, is_suspended_by_user, transfer.reason, transfer.not_before, \(Store.heldUntil), \
    transfer.failures, failing_since, cuts, \
    transfer.crashes, \(PartialDownload.columns.of("transfer")), transfer.directory, \
    intent.transfer IS NOT NULL, \(PlacementIntent.columns.of("intent")), \
    placed_file.transfer IS NOT NULL, \(PlacedFile.columns.of("placed_file"))
    """

  /// The row of `asset`, as a subquery: a join would make the names of columns ambiguous.
  private static let ofAsset = """
    FROM asset WHERE asset.feed = transfer.feed AND asset.item = transfer.item \
    AND asset.asset_key = transfer.asset_key
    """

  static let joins = """
    JOIN feed ON feed.number = transfer.feed LEFT JOIN item ON item.number = transfer.item \
    LEFT JOIN intent ON intent.transfer = transfer.number \
    LEFT JOIN placed_file ON placed_file.transfer = transfer.number
    """

  static func read(_ row: inout Row) throws -> Transfer {
    var transfer = Transfer(
      number: try row.next(), feed: try row.next(), session: try row.next(), asset: try asset(&row),
      item: try item(&row), description: try row.next(), queued: try row.next())
    transfer.isPushed = try row.next()
    let named: NetworkAddress? = try row.next()
    let current: NetworkAddress? = try row.next()
    if let named { transfer.innerAddresses = [named, current].compactMap(\.self) }
    transfer.status = try row.next()
    transfer.isSuspendedByUser = try row.next()
    transfer.reason = try row.next()
    transfer.notBefore = try row.next()
    transfer.heldUntil = try row.next()
    transfer.failures = try row.next()
    transfer.failingSince = try row.next()
    transfer.cuts = try row.next()
    transfer.crashes = try row.next()
    transfer.partial = try row.next(PartialDownload.self)
    transfer.directory = try row.next()
    transfer.intent = try row.nextIfPresent()
    transfer.file = try row.nextIfPresent()
    return transfer
  }

  /// Reads an asset from its URL, type, length and place.
  static func asset(_ row: inout Row) throws -> Asset {
    Asset(url: try row.next(), type: try row.next(), length: try row.size(), index: try row.next())
  }

  private static func item(_ row: inout Row) throws -> TransferItem? {
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
}

/// Columns of `transfer`.
extension PartialDownload: Record {
  static let blank = PartialDownload()
  static let columns = ColumnList(Self.self)

  mutating func visit(_ column: inout ColumnVisitor) {
    column.size("bytes", &bytes)
    column.size("total", &total)
    column("entity_tag", &entityTag)
    column("last_modified", &lastModified)
    column("date", &date)
    column("accepts_ranges", &acceptsRanges)
    column("address", &address)
    column("partial_sha256", &sha256)
  }
}

/// Columns of `intent`.
extension PlacementIntent: Record {
  static let blank = PlacementIntent(
    directory: "", name: "", size: 0, sha256: "", modified: nil, identity: FileIdentity(device: 0, inode: 0))
  static let columns = ColumnList(Self.self)

  mutating func visit(_ column: inout ColumnVisitor) {
    column("directory", &directory)
    column("name", &name)
    column.size("size", &size)
    column("sha256", &sha256)
    column("modified", &modified)
    column("device", &identity.device)
    column("inode", &identity.inode)
    column("replaces", &replaces)
  }
}

/// Columns of `placed_file`.
extension PlacedFile: Record {
  static let blank = PlacedFile(
    directory: "", name: "", size: 0, sha256: "", placed: Instant(secondsSince1970: 0))
  static let columns = ColumnList(Self.self)

  mutating func visit(_ column: inout ColumnVisitor) {
    column("directory", &directory)
    column("name", &name)
    column.size("size", &size)
    column("sha256", &sha256)
    column("placed", &placed)
    column("removed", &removed)
  }
}

// The files of items, as lists of items show them.

import Model

/// What is known of the files of some items.
struct ItemAssets {
  /// The known assets by the items' numbers.
  var assets: [Int64: [Asset]] = [:]
  /// The transfers of them by the items' numbers.
  var transfers: [Int64: [Transfer]] = [:]

  /// The files of an item as JSON, each with what became of its latest transfer.
  func json(of item: StoredItem) -> [JSONValue] {
    let transfers = transfers[item.number] ?? []
    return (assets[item.number] ?? []).filter { $0.index > 0 }.map { asset in
      let transfer = transfers.last { $0.asset.key == asset.key }
      let file = transfer?.file
      return .object([
        ("url", .string(addressText(asset.url))), ("type", .text(asset.type)),
        ("length", asset.length.map(JSONValue.number) ?? .null),
        ("transfer", transfer.map { .number($0.number) } ?? .null),
        ("status", .text(transfer?.status.rawValue)),
        ("path", .text(file?.removed == nil ? file?.path : nil)),
        ("size", file.map { .number($0.size) } ?? .null), ("sha256", .text(file?.sha256)),
      ])
    }
  }

  /// Where the files of an item are that were placed and not removed.
  func paths(of item: StoredItem) -> [String] {
    (transfers[item.number] ?? []).compactMap { $0.file }.filter { $0.removed == nil }.map(\.path)
  }
}

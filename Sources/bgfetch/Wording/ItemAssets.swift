// The files of items, as lists of items show them.

import Core

/// What is known of the files of some items.
struct ItemAssets {
  /// The known assets by the items' numbers.
  var assets: [Int64: [Asset]] = [:]
  /// The transfers of them by the items' numbers.
  var transfers: [Int64: [Transfer]] = [:]
  /// Whether there is a file at a path: a person may have moved what was placed, and no run looks after it.
  var isThere: (String) -> Bool = { _ in true }

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
        ("path", .text(file.flatMap(path))),
        ("size", file.map { .number($0.size) } ?? .null), ("sha256", .text(file?.sha256)),
      ])
    }
  }

  /// Where the first of the files of an item is that was placed and is still there.
  func firstPath(of item: StoredItem) -> String? {
    (transfers[item.number] ?? []).lazy.compactMap { $0.file.flatMap(path) }.first
  }

  /// Where a placed file is; nil where it is gone.
  private func path(of file: PlacedFile) -> String? {
    file.removed == nil && isThere(file.path) ? file.path : nil
  }
}

// The files that one item refers to, and which of them are wanted.

/// A file that an item refers to.
struct ItemAsset {
  /// What it is; its index counts those of the item that `select` takes, others have 0.
  var asset: Asset
  /// Whether `select` takes it.
  let isSelected: Bool

  /// The files of an item, each address once: enclosures, images, its link; only those of the web.
  ///
  /// In a feed that is a file an enclosure with a relative address, or that of a file, is one too: who wrote it means a
  /// file, and is told by its download what is wrong. Other schemes (`magnet:`, `ftp:`) are for other programs.
  ///
  /// All of them are given whatever `select` says, so that another `select` later finds nothing new in old items.
  static func all(of item: ParsedItem, _ select: AssetSelection, isOfFile: Bool = false) -> [ItemAsset] {
    var files = item.enclosures.map { ($0, AssetSelection.enclosures) }
    files += item.images.map { ($0, .images) }
    if let link = item.link { files.append((Enclosure(url: link), .links)) }
    // What is an enclosure and the link too is taken by either.
    var places: [String: Int] = [:]
    var merged: [(file: Enclosure, isSelected: Bool)] = []
    for (file, selection) in files {
      let isSelected = select == .all || select == selection
      if let place = places[file.url] {
        merged[place].isSelected = merged[place].isSelected || isSelected
      } else if file.url.utf8.count <= 4096,
        WebAddress(file.url) != nil
          || isOfFile && selection == .enclosures && URIReference(file.url).isRelativeOrFile
      {
        places[file.url] = merged.count
        merged.append((file, isSelected))
      }
    }
    var index = 0
    return merged.map { file, isSelected in
      if isSelected { index += 1 }
      let type = file.type.map { cleanText($0, limit: 256) }
      return ItemAsset(
        asset: Asset(url: file.url, type: type, length: file.length, index: isSelected ? index : 0),
        isSelected: isSelected)
    }
  }
}

/// What of the files of a feed's items the configuration wants.
struct AssetWish {
  private let download: DownloadSpec
  private let filter: CompiledFilter
  private let types: [String]

  /// The wishes of a configuration.
  init(_ download: DownloadSpec) {
    self.download = download
    filter = CompiledFilter(download.filter)
    types = download.types.map { $0.lowercased() }
  }

  /// Whether a file is wanted, by all that is known of it before it is asked for.
  ///
  /// A file whose type neither the document nor the address says may be of any. A declared length is taken at its word
  /// only where it is too large: the server's own word comes later.
  func wants(_ file: ItemAsset) -> Bool {
    guard file.isSelected else { return false }
    if let limit = download.maxSize, let length = file.asset.length, length > limit.bytes { return false }
    return isOfWantedType(file.asset) && filter.lets([file.asset.url])
  }

  private func isOfWantedType(_ asset: Asset) -> Bool {
    guard !types.isEmpty else { return true }
    guard
      let type = mediaType(asset.type)
        ?? fileExtension(ofAddress: asset.url).flatMap({ mediaType(ofExtension: $0) })
    else { return true }
    return types.contains { glob(matches: type, pattern: $0) }
  }
}

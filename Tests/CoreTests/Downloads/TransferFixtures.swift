// Fixtures of this folder: downloads, partial files and responses.

import Core
import Testing

/// A download of an asset, by default of the feed `planet`.
func transfer(
  _ number: Int64 = 1, feed: String = "planet", url: String = "https://cdn.example/1.mp3",
  type: String? = nil, title: String? = "Episode 1", change: (inout Transfer) -> Void = { _ in }
) throws -> Transfer {
  let item = TransferItem(
    number: 7, id: "guid-1", title: title, published: now - .days(1), firstSeen: now - .hours(2))
  var transfer = Transfer(
    number: number, feed: try name(feed), session: 1, asset: Asset(url: url, type: type), item: item,
    description: title ?? "", queued: now - .hours(1))
  change(&transfer)
  return transfer
}

/// A feed that downloads.
func podcast(
  _ text: String = "planet", url: String = "https://planet.example/atom.xml",
  change: (inout DownloadSpec) -> Void = { _ in }
) throws -> FeedSpec {
  var spec = try feed(text, url: url)
  var download = DownloadSpec()
  change(&download)
  spec.download = download
  return spec
}

/// An address; the text must be one.
func web(_ text: String) throws -> WebAddress { try #require(WebAddress(text)) }

/// A partial file with the first 1,000 of 5,000 bytes, an `ETag`, and the address `https://cdn.example/1.mp3`.
func partial(_ change: (inout PartialDownload) -> Void = { _ in }) -> PartialDownload {
  var partial = PartialDownload()
  partial.bytes = 1000
  partial.total = 5000
  partial.entityTag = "\"v1\""
  partial.acceptsRanges = true
  partial.address = "https://cdn.example/1.mp3"
  change(&partial)
  return partial
}

// Addresses as they may be shown: what may be secret in them masked.

import Core

/// An address, with nothing in it that a terminal obeys.
func addressText(_ address: String) -> String {
  cleanText(WebAddress(address)?.masked ?? address, limit: 500)
}

/// A feed's configured address.
func addressText(of feed: FeedSpec) -> String {
  switch feed.url {
  case .secret: "***"
  case .plain(let text): feed.address?.masked ?? text
  }
}

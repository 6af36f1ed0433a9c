// Publications for the tests of every format.

import Core
import Formats

/// A moment in UTC.
func moment(_ text: String) -> Instant { Instant(rfc3339: text) ?? Instant(secondsSince1970: 0) }

let now = moment("2026-11-23T14:05:00Z")

func label(_ name: String, _ title: String, link: String? = nil) throws -> FeedLabel {
  guard let name = FeedName(name) else { throw NoName() }
  var feed = FeedSpec(name: name, url: .plain("https://\(name).example/feed"))
  feed.title = title
  var state = FeedState()
  state.link = link
  return FeedLabel(feed, state)
}

struct NoName: Error {}

/// An item of a feed.
func item(
  _ number: Int64, _ title: String?, link: String? = nil, at date: String? = "2026-11-23T12:00:00Z",
  summary: String? = nil, feed: FeedLabel, _ change: (inout ItemDetails) -> Void = { _ in }
) -> PublishedItem {
  var record = ItemRecord(
    guid: "guid \(number)", link: link, keys: IdentityKeys(guid: nil, link: nil, title: nil, content: 0),
    editHash: 0, title: title, summary: summary, author: nil, published: date.map(moment), isSeen: false,
    isFiltered: false)
  var details = ItemDetails()
  change(&details)
  if !details.isEmpty { record.details = details }
  return PublishedItem(
    StoredItem(number: number, feed: feed.name, record: record, firstSeen: now, updatedAt: nil), feed: feed)
}

/// Texts that break formats that do not escape.
let hostileTexts = [
  "</title><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
  "]]><evil/>", "<!-- ", "&lt;b&gt; &#60;script&#62;", "\u{202E}gpj.exe", "a\u{0}b\u{1B}[31mc\u{FFFE}",
  "{{x}}", "</style><style>*{display:none}</style>", "\u{600}<script>",
]

func publication(_ items: [PublishedItem]) -> Publication {
  Publication(title: "News & more", updated: now, items: items)
}

/// Unseen items under the standard title.
func unseen(_ items: [PublishedItem]) -> Publication {
  var publication = Publication(title: "bgfetch", updated: now, items: items)
  publication.isUnseen = true
  publication.hasStandardTitle = true
  return publication
}

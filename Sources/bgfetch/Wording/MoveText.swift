// What is said of feeds that have moved, and of a network that cannot be used.

import Model
import Planning

/// A learned address that is new or given up, as a line.
func moveText(_ feed: FeedName, _ move: MoveChange) -> String {
  switch move {
  case .learned(let address): "\(feed)  \(movedText(address))"
  case .forgotten(let address):
    "\(feed)  is asked at its configured address again, which works; \(shown(address)) is forgotten"
  }
}

/// That a feed has moved, with what is to be done.
func movedText(_ address: String) -> String {
  "has moved to \(shown(address)); write it into the configuration"
}

/// A learned address that is new or given up, as JSON.
func moveJSON(_ feed: FeedName, _ move: MoveChange) -> JSONValue {
  let (address, isLearned) =
    switch move {
    case .learned(let address): (address, true)
    case .forgotten(let address): (address, false)
    }
  return .object([
    ("type", .string("moved")), ("feed", .string(feed.text)), ("address", .string(shown(address))),
    ("learned", .bool(isLearned)),
  ])
}

/// That nothing could be reached, as a line.
func offlineText(feeds: Int, portal: String?) -> String {
  guard let portal else {
    return "offline: \(feeds) \(feeds == 1 ? "feed was" : "feeds were") not reached; the next run tries again"
  }
  let cure = "log in to the network with a browser"
  return "offline: \(shown(portal)) answers in place of \(counted(feeds, "feed")); \(cure)"
}

/// An address as it may be shown: what may be secret in it masked, nothing in it that a terminal obeys.
func shown(_ address: String) -> String {
  cleanText(WebAddress(address)?.masked ?? address, limit: 500)
}

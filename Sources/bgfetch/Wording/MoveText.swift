// What is said of feeds that have moved.

import Core

/// A learned address that is new or given up, as a line.
func moveText(_ feed: FeedName, _ move: MoveChange) -> String {
  switch move {
  case .learned(let address): "\(feed)  \(movedText(address))"
  case .forgotten(let address):
    "\(feed)  is asked at its configured address again, which works; \(addressText(address)) is forgotten"
  }
}

/// That a feed has moved, with what is to be done.
func movedText(_ address: String) -> String {
  "has moved to \(addressText(address)); write it into the configuration"
}

/// A learned address that is new or given up, as JSON.
func moveJSON(_ feed: FeedName, _ move: MoveChange) -> JSONValue {
  let (address, isLearned) =
    switch move {
    case .learned(let address): (address, true)
    case .forgotten(let address): (address, false)
    }
  return .object([
    ("type", .string("moved")), ("feed", .string(feed.text)), ("address", .string(addressText(address))),
    ("learned", .bool(isLearned)),
  ])
}
